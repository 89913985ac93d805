"""Calls that choose and move elements: ``np.where``, ``np.roll`` and their like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.loops import arithmetic, cuts, elementwise, hosts, promotion
from jupyter_npcompile.loops.calls import (
    Call,
    array,
    axis_of,
    elements,
    integer,
    named,
    of,
    register,
)
from jupyter_npcompile.loops.cuts import Index, view
from jupyter_npcompile.loops.indexing import along
from jupyter_npcompile.loops.kinds import CTYPES, SIZE, ArrayType, Declined, Number, lengths_of
from jupyter_npcompile.loops.library.creation import array_call, shape_named
from jupyter_npcompile.loops.library.results import NONE, place_of
from jupyter_npcompile.loops.library.ufuncs import ufunc
from jupyter_npcompile.loops.values import (
    Applied,
    Cut,
    Flattened,
    Items,
    Known,
    Lazy,
    Ref,
    Scalar,
    Value,
    ZeroDim,
    dtype_of,
)
from jupyter_npcompile.loops.writer import Writer

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

MOST_DIFFERENCES = 4
"""Times that differences of differences are taken in C++."""


@of(np.diff)
def _diff(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.diff", ("a", "n", "axis"), args, kwargs)
    times = integer(given.get("n", arithmetic.constant(1)))
    value = elements(given.get("a", NONE))
    place = place_of(given.get("axis", arithmetic.constant(-1)), value.ndim)
    if not 1 <= times <= MOST_DIFFERENCES or value.dtype == "bool":
        raise Declined("np.diff of these")
    one, minus = arithmetic.constant(1), arithmetic.constant(-1)
    for _ in range(times):
        ref = elementwise.materialise(t.writer, value)
        if ref.ndim > 1:
            t.writer.emit(f"NEED(lies_in_rows({ref.code}));")
        parts = []
        for cut in (Cut(one, None, None), Cut(None, minus, None)):
            full: list[Index] = [Cut(None, None, None)] * ref.ndim
            full[place] = cut
            parts.append(view(t.writer, ref, full))
        value = elementwise.binary("subtract", *parts)
    return value


def _into_first(function: Any) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        if kwargs or len(args) < 2 or not isinstance(args[0], Ref):
            raise Declined(f"np.{function.__name__} with these arguments")
        hosts.change(t, function, args, args[0])
        return Known(None)

    return call


for _function in (np.fill_diagonal, np.copyto, np.putmask, np.put, np.place):
    register(_function, _into_first(_function))


@of(np.roll)
def _roll(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if set(kwargs) - {"axis"} or not 2 <= len(args) <= 3:
        raise Declined("np.roll with these arguments")
    w = t.writer
    ref = elementwise.materialise(w, elements(args[0]))
    shift, axis = args[1], axis_of(args, kwargs, 2)
    if not isinstance(shift, Scalar) or shift.type.kind not in "iu" or shift.type.mixed:
        raise Declined("np.roll by no integer")
    if axis is None and ref.ndim > 1:
        raise Declined("np.roll of a flattened array")
    place = 0 if axis is None else integer(axis)
    place = place + ref.ndim if place < 0 else place
    dims = [f"{ref.code}.n[{d}]" for d in range(ref.ndim)]
    made = elementwise.new(w, ref.dtype, dims)
    n = dims[place]
    by = w.hold("i64", f"{n} ? floor_mod<i64>((i64){shift.code}, {n}) : 0")
    split = Scalar(w.hold("i64", f"{n} - {by}"), SIZE)
    moved = Scalar(by, SIZE)
    for to, source in (
        (Cut(moved, None, None), Cut(None, split, None)),
        (Cut(None, moved, None), Cut(split, None, None)),
    ):
        full: list[Any] = [Cut(None, None, None)] * ref.ndim
        full[place] = to
        target = view(w, made, full)
        full[place] = source
        part = view(w, ref, full)
        sizes = [w.hold("i64", f"{target.code}.n[{d}]", "n") for d in range(ref.ndim)]
        elementwise.fill(w, target, sizes, part)
    if axis is None:  # NumPy's result is then a view of one that it has reshaped
        return view(w, made, [Cut(None, None, None)])
    return made


@of(np.nonzero)
def _nonzero(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1:
        raise Declined("np.nonzero with these arguments")
    w = t.writer
    ref = elementwise.materialise(w, elements(args[0]))
    type, name = ArrayType("int64", 2, True), w.name("a")
    w.emit(f"{type.c} {name} = places_of_truth(run, {ref.code});")
    rows = Cut(None, None, None)
    columns = (view(w, Ref(name, type), [rows, arithmetic.constant(d)]) for d in range(ref.ndim))
    return Items(tuple(columns))


@of(np.argwhere)
def _argwhere(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    found = _nonzero(t, args, kwargs)
    assert isinstance(found, Items)
    w = t.writer
    count = f"{found.items[0].code}.n[0]"
    made = elementwise.new(w, "int64", [str(len(found.items)), count])
    for d, places in enumerate(found.items):  # NumPy has a row for each dimension, and turns it
        row = view(w, made, [arithmetic.constant(d), Cut(None, None, None)])
        elementwise.fill(w, row, [w.hold("i64", count, "n")], places)
    return transposed(t, made)


@of(np.flatnonzero)
def _flatnonzero(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1 or elements(args[0]).ndim != 1:
        raise Declined("np.flatnonzero with these arguments")
    found = _nonzero(t, args, kwargs)
    assert isinstance(found, Items)
    place: Value = found.items[0]
    return place


@of(np.where)
def _where(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) == 1 and not kwargs:
        return _nonzero(t, args, kwargs)
    if kwargs or len(args) != 3:
        raise Declined("np.where with these arguments")
    condition, a, b = (array(arg) for arg in args)
    if isinstance(condition, Scalar) and isinstance(a, Scalar) and isinstance(b, Scalar):
        return _where_of_numbers(t, condition, a, b)
    dtype = promotion.together(elementwise.kinds_of(a), elementwise.kinds_of(b))
    truth = condition
    if dtype_of(condition) != "bool":
        truth = elementwise.converted(condition, "bool")
    return elementwise.chosen(truth, a, b, dtype)


def _where_of_numbers(t: Names, condition: Scalar, a: Scalar, b: Scalar) -> ZeroDim:
    """One of two numbers, as an array of no dimension."""
    if any(value.type.mixed for value in (condition, a, b)):
        raise Declined("np.where of these numbers")
    dtype = promotion.together(elementwise.kinds_of(a), elementwise.kinds_of(b))
    c, x, y = CTYPES[dtype], promotion.as_loop(a, dtype), promotion.as_loop(b, dtype)
    code = f"chosen<{c}>({arithmetic.truth(condition)}, {x}, {y})"
    made = Number("np", dtype, 1 if dtype == "bool" else 63)
    return ZeroDim(Scalar(t.writer.hold(c, code), made))


@of(np.clip)
def _clip(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    plain = {{"a_min": "min", "a_max": "max"}.get(name, name): v for name, v in kwargs.items()}
    if len(plain) < len(kwargs):
        raise Declined("np.clip with two names for one bound")
    bounds = ("min", "max")
    given = named("np.clip", ("a", *bounds), args, plain, none=bounds)
    value = array(given.get("a", NONE))
    low, high = (array(given[name]) if name in given else None for name in bounds)
    are_numbers = isinstance(low, Scalar) and isinstance(high, Scalar)
    if low is None and high is None:
        raise Declined("np.clip without bounds")
    if low is not None:
        value = ufunc(t, "at_least" if are_numbers else "maximum", [value, low])
    if high is not None:
        value = ufunc(t, "at_most" if are_numbers else "minimum", [value, high])
    return value


@of(np.reshape)
def _reshape(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 2:
        raise Declined("np.reshape with these arguments")
    return reshaped(t, elements(args[0]), args[1])


def reshaped(t: Names, value: Lazy, shape: Value) -> Ref:
    """A view with other lengths, or of a copy where none can be had."""
    w = t.writer
    ref = elementwise.materialise(w, value)
    items = shape.items if isinstance(shape, Items) else (shape,)
    open_ = [k for k, item in enumerate(items) if isinstance(item, Scalar) and item.const == -1]
    if len(open_) > 1:
        raise Declined("a shape that is not known")
    rest = Items(tuple(v for k, v in enumerate(items) if k not in open_))
    given = shape_named(t, rest) if rest.items or not open_ else []
    dims = list(given)
    if open_:
        known = w.hold("i64", " * ".join(given) or "1")
        w.emit(f"NEED({known} > 0);")
        dims.insert(open_[0], w.hold("i64", f"{ref.code}.size() / {known}"))
    return elementwise.reshaped(w, ref, dims)


def flattened(writer: Writer, value: Applied) -> Flattened | None:
    """All elements of an expression in one row; None where that is not for one array to say."""
    leaves = elementwise.leaves_of(value)
    first = leaves[0] if leaves else None
    if (
        first is None
        or any(leaf.code != first.code for leaf in leaves)
        or elementwise.sources_of(value)
        or first.ndim != value.ndim
        or first.type.is_small
    ):
        return None
    row = elementwise.reshaped(writer, first, [writer.hold("i64", f"{first.code}.size()")])

    def read(part: Lazy | Scalar) -> Lazy | Scalar:
        if isinstance(part, Ref):
            return row
        if isinstance(part, Applied):
            return Applied(part.template, tuple(map(read, part.operands)), part.dtype, 1)
        return part

    return Flattened(value.template, tuple(map(read, value.operands)), value.dtype, 1, value)


@of(np.expand_dims)
def _expand_dims(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.expand_dims", ("a", "axis"), args, kwargs)
    ref = elementwise.materialise(t.writer, elements(given.get("a", NONE)))
    axis = given.get("axis", NONE)
    axes = axis.items if isinstance(axis, Items) else (axis,)
    ndim = ref.ndim + len(axes)
    new = {place_of(one, ndim) for one in axes}
    if len(new) < len(axes):
        raise Declined("an axis twice")
    sizes = (Scalar(f"{ref.code}.n[{d}]", SIZE) for d in range(ref.ndim))
    one = arithmetic.constant(1)
    return reshaped(t, ref, Items(tuple(one if d in new else next(sizes) for d in range(ndim))))


@of(np.atleast_1d)
def _atleast_1d(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1:
        raise Declined("np.atleast_1d with these arguments")
    return elements(args[0])  # the array itself


@of(np.ix_)
def _open_mesh(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    one, parts = arithmetic.constant(1), []
    for place, arg in enumerate(args):
        ref = elementwise.materialise(t.writer, elements(arg))
        if ref.ndim != 1 or np.dtype(ref.dtype).kind not in "iu":
            raise Declined("np.ix_ of these")
        t.writer.emit(f"NEED({ref.code}.n[0] > 0);")
        size = Scalar(f"{ref.code}.n[0]", SIZE)
        shape = (size if d == place else one for d in range(len(args)))
        parts.append(reshaped(t, ref, Items(tuple(shape))))
    return Items(tuple(parts))


@of(np.transpose)
def _transpose(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.transpose", ("a", "axes"), args, kwargs, none=("axes",))
    value = elements(given.get("a", NONE))
    if "axes" not in given:
        return transposed(t, value)
    axes = given["axes"]
    if not isinstance(axes, Items):
        raise Declined("np.transpose with these axes")
    return permuted(t, value, axes.items)


def transposed(t: Names, value: Lazy) -> Ref:
    """``x.T``."""
    return _with_axes(t, value, list(reversed(range(value.ndim))))


def permuted(t: Names, value: Lazy, axes: Sequence[Value]) -> Ref:
    """``x.transpose(axes)``."""
    order = [place_of(axis, value.ndim) for axis in axes]
    if sorted(order) != list(range(value.ndim)):
        raise Declined("these axes")
    return _with_axes(t, value, order)


def _with_axes(t: Names, value: Lazy, order: Sequence[int]) -> Ref:
    """A view with its axes in another order."""
    ref = elementwise.materialise(t.writer, value)
    same = order[-1] == ref.ndim - 1
    lengths = lengths_of([ref.n(d) for d in order])
    type = ArrayType(ref.dtype, ref.ndim, ref.type.unit and same, lengths=lengths)
    return cuts.turned(t.writer, ref, order, type)


@of(np.swapaxes)
def _swapaxes(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.swapaxes", ("a", "axis1", "axis2"), args, kwargs)
    value = elements(given.get("a", NONE))
    one, other = (place_of(given.get(f"axis{k}", NONE), value.ndim) for k in (1, 2))
    order = list(range(value.ndim))
    order[one], order[other] = other, one
    return _with_axes(t, value, order)


@of(np.moveaxis)
def _moveaxis(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.moveaxis", ("a", "source", "destination"), args, kwargs)
    value = elements(given.get("a", NONE))
    source, target = (
        place_of(given.get(name, NONE), value.ndim) for name in ("source", "destination")
    )
    order = [d for d in range(value.ndim) if d != source]
    order.insert(target, source)
    return _with_axes(t, value, order)


@of(np.flip)
def _flip(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.flip", ("m", "axis"), args, kwargs, none=("axis",))
    value = elements(given.get("m", NONE))
    places: Sequence[int] = range(value.ndim)
    if "axis" in given:
        places = (place_of(given["axis"], value.ndim),)
    turned = Cut(None, None, arithmetic.constant(-1))
    full: list[Index] = [Cut(None, None, None)] * value.ndim
    for place in places:
        full[place] = turned
    return view(t.writer, elementwise.materialise(t.writer, value), full)


@of(np.take)
def _take(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.take", ("a", "indices", "axis"), args, kwargs, none=("axis",))
    value = elements(given.get("a", NONE))
    index = given.get("indices", NONE)
    if isinstance(index, Items):
        index = array_call(t, [index], {})
    chosen = elements(index)
    place = 0 if "axis" not in given else place_of(given["axis"], value.ndim)
    if ("axis" not in given and value.ndim > 1) or np.dtype(chosen.dtype).kind not in "iu":
        raise Declined("np.take with these arguments")
    ref = elementwise.materialise(t.writer, value)
    return along(t.writer, ref, chosen, place)
