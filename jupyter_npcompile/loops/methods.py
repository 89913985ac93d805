"""Methods and attributes of arrays and numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise, hosts, lists
from jupyter_npcompile.loops.calls import elements, number
from jupyter_npcompile.loops.kinds import PYTHON, SIZE, ArrayType, Declined, Number
from jupyter_npcompile.loops.library import aggregates, running
from jupyter_npcompile.loops.library.creation import dtype_named
from jupyter_npcompile.loops.library.diagonals import diagonal
from jupyter_npcompile.loops.library.products import product
from jupyter_npcompile.loops.library.random_numbers import draw
from jupyter_npcompile.loops.library.rearranging import flattened, permuted, reshaped, transposed
from jupyter_npcompile.loops.library.scattering import add_at
from jupyter_npcompile.loops.values import (
    Applied,
    Gathered,
    Items,
    Known,
    Lazy,
    Listed,
    Locked,
    Parts,
    Ref,
    Scalar,
    Source,
    Value,
)

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

METHODS: dict[str, Callable[[Names, Lazy, Sequence[Value], Mapping[str, Value]], Value]] = {}


AS_FUNCTIONS = (
    *("sum", "mean", "max", "min", "any", "all", "argmax", "argmin", "std", "var", "prod", "ptp"),
    *("cumsum", "cumprod", "argsort", "round", "clip", "trace", "nonzero", "searchsorted"),
    *("argpartition", "repeat", "take", "swapaxes"),
)
"""Methods of arrays that are functions of NumPy's by the same names."""


MAYBE_VIEWS = ("reshape", "ravel")
"""Methods that give views, or copies where there can be none."""


def _method_copy(
    t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if args or kwargs:
        raise Declined("copy with these arguments")
    return elementwise.copied(t.writer, owner)


def _method_dot(t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) != 1 or kwargs:
        raise Declined("dot with these arguments")
    return product(t, owner, elements(args[0]))


def _method_astype(
    t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if len(args) != 1 or kwargs:
        raise Declined("astype with these arguments")
    dtype = dtype_named(args[0], "")
    if type(owner) is Applied:
        return elementwise.converted(owner, dtype)
    shape = elementwise.shape_of(t.writer, owner)
    return elementwise.copied(t.writer, elementwise.converted(owner, dtype), shape)


def _method_fill(
    t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if len(args) != 1 or kwargs or not isinstance(owner, Ref):
        raise Declined("fill with these arguments")
    elementwise.store(t.writer, owner, elementwise.converted(number(args[0]), owner.dtype))
    t.note_write(owner)
    return Known(None)


def _method_reshape(
    t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if kwargs or not args:
        raise Declined("reshape with these arguments")
    return reshaped(t, owner, args[0] if len(args) == 1 else Items(tuple(args)))


def _method_sort(
    t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if args or kwargs or not isinstance(owner, Ref):
        raise Declined("sort with these arguments")
    hosts.change(t, np.ndarray.sort, [owner], owner)
    return Known(None)


def _method_flatten(
    t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if args or kwargs:
        raise Declined("flatten with these arguments")
    copy = elementwise.copied(t.writer, owner)
    made = reshaped(t, copy, arithmetic.constant(-1))
    if not copy.type.is_small:
        t.writer.emit(f"own({made.code});")
    return made


def _method_ravel(
    t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if args or kwargs:
        raise Declined("ravel with these arguments")
    row = flattened(t.writer, owner) if type(owner) is Applied else None
    if row is not None:
        return row
    ref = elementwise.materialise(t.writer, owner)
    t.writer.emit(f"NEED({ref.code}.contiguous());")  # else it is a copy, and no view
    return reshaped(t, ref, arithmetic.constant(-1))


def _method_conj(
    t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if args or kwargs or np.dtype(owner.dtype).kind != "c":
        raise Declined("conj of what is real")  # which is the array itself
    return t.called(np.conjugate, [owner], {})


def _method_transpose(
    t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if kwargs:
        raise Declined("transpose with these arguments")
    if not args or (len(args) == 1 and args[0] == Known(None)):
        return transposed(t, owner)
    axes = args[0].items if isinstance(args[0], Items) and len(args) == 1 else args
    return permuted(t, owner, axes)


def _method_diagonal(
    t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if kwargs or len(args) > 1:
        raise Declined("diagonal with these arguments")
    return diagonal(t, owner, args[0] if args else arithmetic.constant(0))


METHODS["diagonal"] = _method_diagonal


METHODS["sort"] = _method_sort


METHODS["transpose"] = _method_transpose


METHODS["flatten"] = _method_flatten


METHODS["ravel"] = _method_ravel


METHODS["reshape"] = _method_reshape


METHODS["copy"] = _method_copy


METHODS["dot"] = _method_dot


METHODS["astype"] = _method_astype


METHODS["fill"] = _method_fill


METHODS["conj"] = METHODS["conjugate"] = _method_conj


def _method_of_ufunc(
    t: Names, ufunc: np.ufunc, name: str, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """``np.maximum.accumulate(x)``, ``np.add.at(x, index, y)``: NumPy is called."""
    if name == "accumulate":
        mark = t.writer.mark()
        try:
            return running.accumulate(t, ufunc, args, kwargs)
        except Declined:
            t.writer.back(mark)
    if name in ("reduce", "accumulate", "outer", "reduceat"):
        return hosts.call(t, getattr(ufunc, name), args, kwargs)
    if name == "at" and ufunc is np.add and len(args) == 3 and not kwargs:
        mark = t.writer.mark()
        try:
            return add_at(t, *args)
        except Declined:
            t.writer.back(mark)
    if name == "at" and not kwargs and args and isinstance(args[0], Ref):
        hosts.change(t, ufunc.at, args, args[0])
        return Known(None)
    raise Declined(f"`{ufunc.__name__}.{name}`")


COUNT = Number("py", "int64", 7)

_OF_BITS = ("bit_length", "bit_count")
"""Methods of Python's integers, which are functions in C++."""


def ones_in_binary(t: Names, value: Value) -> Value:
    """``bin(n).count("1")``: the ones in the digits of any integer."""
    if not isinstance(value, Scalar) or value.type.mixed or value.type.kind not in "iu":
        raise Declined("bits of something that is no integer")
    if value.type.dtype == "uint64":
        raise Declined("bits of uint64")
    return _of_bits(t, "bit_count", value)


def _of_bits(t: Names, name: str, value: Scalar) -> Scalar:
    return Scalar(t.writer.hold("i64", f"{name}((i64){value.code})"), COUNT)


def method(
    t: Names, owner: Value, name: str, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """Call a method of an array, a number or a random generator."""
    if isinstance(owner, Listed) and name == "sort" and not args:
        aggregates.order(t, owner, falling=aggregates.falling(kwargs))
        return Known(None)
    if isinstance(owner, Listed) and not kwargs:
        found = lists.method(t, owner, name, args)
        if found is not None:
            return found
    if isinstance(owner, Known) and isinstance(owner.value, np.ufunc):
        return _method_of_ufunc(t, owner.value, name, args, kwargs)
    if isinstance(owner, Source):
        return draw(t, owner, name, args, kwargs)
    if isinstance(owner, Locked) and name == "transpose":
        return _locked(owner, METHODS[name](t, owner.view, args, kwargs))
    if isinstance(owner, Locked) and name in MAYBE_VIEWS:
        raise Declined("a copy of a read-only view, or a view of it", t.line)
    if isinstance(owner, (Ref, Gathered, Applied)) and name in METHODS:
        return METHODS[name](t, owner, args, kwargs)
    if isinstance(owner, (Ref, Gathered, Applied)) and name in AS_FUNCTIONS:
        return t.called(getattr(np, name), [owner, *args], kwargs)
    if (
        isinstance(owner, Scalar)
        and name == "item"
        and not args
        and arithmetic.is_numpys(owner.type)
        and owner.type.dtype in PYTHON
    ):
        return Scalar(owner.code, Number("py", owner.type.dtype, owner.type.bits))
    if isinstance(owner, Scalar) and name in _OF_BITS and not args and not kwargs:
        kind = owner.type
        if kind.origin == "py" and kind.dtype == "int64" and not kind.mixed:
            return _of_bits(t, name, owner)
    raise Declined(f"the method {name}")


def _locked(owner: Locked, made: Value) -> Locked:
    """A view of what nobody may write into: nobody may write into that either."""
    assert isinstance(made, Ref)
    return owner.part(made)


def part_of(t: Names, owner: Lazy, name: str) -> Ref:
    """``x.real`` or ``x.imag`` of complex numbers: a view."""
    w = t.writer
    ref = elementwise.materialise(w, owner)
    # Real parts have imaginary ones between them.
    step = 2 if ref.type.unit else 0
    type, made = ArrayType("float64", ref.ndim, False, apart=step), w.name("w")
    w.emit(f"{type.view} {made};")
    w.emit(f"{made}.p = (double *){ref.code}.p + {int(name == 'imag')};")
    for d in range(ref.ndim):
        w.emit(f"{made}.n[{d}] = {ref.code}.n[{d}]; {made}.s[{d}] = 2 * {ref.code}.s[{d}];")
    w.emit(f"{made}.b = {ref.code}.b; {made}.id = ++ids_;")
    return Ref(made, type, root=ref.root)


def attribute(t: Names, owner: Value, name: str) -> Value | None:
    """An attribute of an array; None when it is none that is known."""
    if isinstance(owner, (Ref, Gathered, Applied)):
        if name == "shape":
            dims = elementwise.shape_of(t.writer, owner)
            return Items(tuple(map(elementwise.as_number, dims)))
        if name == "size":
            dims = elementwise.shape_of(t.writer, owner)
            return Scalar(f"({' * '.join(dims)})", SIZE)
        if name == "ndim":
            return arithmetic.constant(owner.ndim)
        if name == "dtype":
            return Known(np.dtype(owner.dtype))
        if isinstance(owner, Locked) and name in ("T", "real", "imag"):
            found = attribute(t, owner.view, name)
            return None if found is None else _locked(owner, found)
        if name == "T":
            return transposed(t, owner)
        if name in ("real", "imag") and owner.dtype == "complex128":
            return part_of(t, owner, name)
        if name == "real" and np.dtype(owner.dtype).kind in "iuf":
            return owner  # NumPy gives the array itself
    if isinstance(owner, Parts) and name in owner.names:
        part: Value = owner.items[owner.names.index(name)]
        return part
    if isinstance(owner, Scalar) and name in ("real", "imag") and owner.type.dtype == "complex128":
        code = f"{owner.code}.{name[:2]}"
        return Scalar(code, Number(owner.type.origin, "float64"), owner.tag)
    if isinstance(owner, Scalar) and name == "real" and owner.type.kind in "iuf":
        return owner
    return None
