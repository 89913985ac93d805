"""The type of what may have one of two types, and of the items of a list that has both."""

from __future__ import annotations

from dataclasses import replace

from jupyter_npcompile.loops.kinds import (
    COUNTER,
    FLOAT,
    FULL,
    NARROW,
    SMALL,
    ArrayType,
    Declined,
    DictType,
    ListType,
    Maybe,
    Number,
    Origin,
    TupleType,
    Type,
    Unbound,
    describe,
    item_c,
)


def join(first: Type, second: Type) -> Type:
    """The type of what may have either type.

    Raises
    ------
    Declined
        When there is none.

    Examples
    --------
    >>> from jupyter_npcompile.loops.kinds import FLOAT
    >>> join(FLOAT, Number("np", "float64")).origin
    'any'
    >>> join(Number("py", "int64", 3), Number("np", "float64")).mixed
    True
    """
    if first == second:
        return first
    if isinstance(first, Unbound):
        return second if isinstance(second, Maybe) else Maybe(second)
    if isinstance(second, Unbound):
        return join(second, first)
    if isinstance(first, Maybe) or isinstance(second, Maybe):
        either = [type.type if isinstance(type, Maybe) else type for type in (first, second)]
        return Maybe(join(*either))
    if isinstance(first, Number) and isinstance(second, Number):
        return _join_numbers(first, second)
    if (
        isinstance(first, ArrayType)
        and isinstance(second, ArrayType)
        and (first.dtype, first.ndim) == (second.dtype, second.ndim)
    ):
        return _join_arrays(first, second)
    if (
        isinstance(first, TupleType)
        and isinstance(second, TupleType)
        and len(first.items) == len(second.items)
        and first.is_list == second.is_list
    ):
        return TupleType(tuple(map(join, first.items, second.items)), first.is_list)
    if isinstance(first, DictType) and isinstance(second, DictType) and first.names == second.names:
        return DictType(first.names, tuple(map(join, first.items, second.items)))
    if isinstance(first, ListType) and isinstance(second, ListType):
        return _join_lists(first, second)
    raise Declined(f"it is {describe(first)} or {describe(second)}")


def kept_alike(type: Type) -> Type:
    """What decides which variables hold something, without what else is known of arrays."""
    if isinstance(type, ArrayType):
        lengths = type.lengths if type.is_small else ()
        return replace(type, lengths=lengths, is_shared=False, is_view=False, unit=True, thin=False)
    if isinstance(type, TupleType | DictType):
        return replace(type, items=tuple(map(kept_alike, type.items)))
    return type


def either_returned(first: Type, second: Type) -> Type:
    """The type of what a function returns in one place or another.

    Raises
    ------
    Declined
        When one is not converted to the other where it is returned.

    Examples
    --------
    >>> either_returned(FLOAT, Number("np", "float64")).origin
    'any'
    """
    joined = join(first, second)
    if isinstance(joined, ArrayType) or _without_numbers(first) == _without_numbers(second):
        return joined
    raise Declined("a function that returns different types")


def _without_numbers(type: Type) -> Type:
    """What decides which variables hold something that is no number."""
    if isinstance(type, TupleType):
        return replace(type, items=tuple(map(_without_numbers, type.items)))
    return FLOAT if isinstance(type, Number) else kept_alike(type)


def have_join(first: Type, second: Type) -> bool:
    """Whether a name may have either type.

    Examples
    --------
    >>> from jupyter_npcompile.loops.kinds import FLOAT, INT
    >>> have_join(FLOAT, Number("np", "float64")), have_join(INT, FLOAT)
    (True, False)
    """
    try:
        join(first, second)
    except Declined:
        return False
    return True


def _join_arrays(first: ArrayType, second: ArrayType) -> ArrayType:
    unit, thin = first.unit and second.unit, first.thin and second.thin
    made = replace(first, unit=unit, thin=thin)
    if first.is_small and second.is_small and first.lengths == second.lengths:
        is_shared, is_view = first.is_shared or second.is_shared, first.is_view or second.is_view
        return replace(made, is_shared=is_shared, is_view=is_view)
    lengths: tuple[int | None, ...] = ()
    if first.lengths and second.lengths:
        pairs = zip(first.lengths, second.lengths, strict=True)
        lengths = tuple(a if a == b else None for a, b in pairs)
    if not any(length is not None for length in lengths):
        lengths = ()
    return replace(made, lengths=lengths, is_small=False, is_shared=False, is_view=False)


def _join_lists(first: ListType, second: ListType) -> ListType:
    is_shared = first.is_shared or second.is_shared
    if first.is_given != second.is_given:
        raise Declined("it is a list from outside, or another one")
    if first.item is None or second.item is None:
        return ListType(first.item or second.item, is_shared, first.is_given)
    if first.item != second.item and is_shared:
        raise Declined("lists of different items, by two names")
    return ListType(join_items(first.item, second.item), is_shared, first.is_given)


def join_items(first: Type, second: Type) -> Type:
    """The type of the items of a list that has items of either type.

    Examples
    --------
    >>> from jupyter_npcompile.loops.kinds import FLOAT
    >>> join_items(FLOAT, Number("np", "float64")).origin
    'any'
    """
    joined = as_item(join(first, second))
    if item_c(joined) != item_c(first) or item_c(joined) != item_c(second):
        raise Declined(f"a list of {describe(first)} and of {describe(second)}")
    return joined


def as_item(type: Type) -> Type:
    """The type of an item in a list: of its numbers nothing is known but their dtype.

    Raises
    ------
    Declined
        When loops have no lists of such items.
    """
    if isinstance(type, Number) and not type.mixed:
        return replace(type, bits=1 if type.dtype == "bool" else FULL)
    if isinstance(type, ArrayType):
        return ArrayType(type.dtype, type.ndim, False)
    if isinstance(type, TupleType) and all(isinstance(item, Number) for item in type.items):
        return TupleType(tuple(map(as_item, type.items)), type.is_list)
    raise Declined(f"a list of {describe(type)}")


def _join_numbers(first: Number, second: Number) -> Number:
    if first.dtype == second.dtype:
        origin: Origin = first.origin if first.origin == second.origin else "any"
        # Bits only grow here; a loop in which they keep growing ends with all of them,
        # unless it is by steps.
        bits = first.bits
        if second.bits > bits:
            small = second.bits <= SMALL or second.bits == COUNTER
            bits = COUNTER if small else FULL
        return Number(origin, first.dtype, bits, first.mixed or second.mixed)
    for integer, other in ((first, second), (second, first)):
        small = integer.dtype == "int64" and integer.origin == "py" and integer.bits <= 32
        if small and other.dtype == "float64":
            return replace(other, mixed=True)
    for integer, other in ((first, second), (second, first)):
        if takes_place(integer, other):
            return Number("any", other.dtype)
    raise Declined(f"it is {describe(first)} or {describe(second)}")


def takes_place(integer: Number, type: Number) -> bool:
    """Whether a Python integer may stand where one of NumPy's small ones does; if it has room.

    Examples
    --------
    >>> takes_place(Number("py", "int64"), Number("np", "int32"))
    True
    >>> takes_place(Number("np", "int64"), Number("np", "int32"))
    False
    """
    is_python = integer.origin == "py" and integer.dtype == "int64" and not integer.mixed
    return is_python and type.origin != "py" and type.dtype in NARROW
