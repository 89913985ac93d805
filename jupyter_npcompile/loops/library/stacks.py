"""Arrays that are made of others: of the items of lists, one after the other, one on the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, cuts, elementwise, lists
from jupyter_npcompile.loops.calls import elements
from jupyter_npcompile.loops.kinds import (
    CTYPES,
    SIZE,
    ArrayType,
    Declined,
    Number,
    TupleType,
    lengths_of,
)
from jupyter_npcompile.loops.library import layers
from jupyter_npcompile.loops.library.results import place_of
from jupyter_npcompile.loops.values import ALL, Cut, Items, Known, Lazy, Listed, Ref, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

FIRST = arithmetic.constant(0)


def as_array(t: Names, owner: Listed, dtype: str | None = None) -> Ref:
    """``np.array(list)``; an empty one has NumPy's dtype and shape, not that of its items."""
    w = t.writer
    if not lists.inner(owner).code:
        return elementwise.new(w, dtype or "float64", ["0"])
    item = lists.item_type(owner)
    parts = item.items if isinstance(item, TupleType) else (item,)
    names = [part.dtype for part in parts if isinstance(part, (Number, ArrayType))]
    dtype = dtype or np.result_type(*(np.dtype(name) for name in names)).name
    if dtype not in CTYPES:
        raise Declined(f"an array of {dtype}")
    count = w.hold("i64", f"{owner.code}->size()", "n")
    k = w.name("k")
    if dtype != "float64" or not isinstance(item, Number):
        w.emit(f"NEED({count} > 0);")
    if isinstance(item, ArrayType):
        return _stacked(t, owner, item, dtype, count)
    dims = [count, str(len(parts))] if isinstance(item, TupleType) else [count]
    made = elementwise.new(w, dtype, dims)
    with w.block(f"for (i64 {k} = 0; {k} < {count}; {k}++)"):
        found = lists.item_at(t, owner, k)
        numbers = found.items if isinstance(found, Items) else (found,)
        for place, value in enumerate(numbers):
            stored = elementwise.converted(value, dtype)
            assert isinstance(stored, Scalar)
            w.emit(f"{made.code}.p[{k} * {len(parts)} + {place}] = {stored.code};")
    return made


def _stacked(t: Names, owner: Listed, item: ArrayType, dtype: str, count: str) -> Ref:
    w = t.writer
    first, begin = f"{owner.code}->items[0]", len(w.lines)
    dims = [w.hold("i64", f"{first}.n[{d}]", "n") for d in range(item.ndim)]
    made = elementwise.new(w, dtype, [count, *dims])
    k = w.name("k")
    with w.block(f"for (i64 {k} = 0; {k} < {count}; {k}++)"):
        part = lists.item_at(t, owner, k)
        assert isinstance(part, Ref)
        for d, n in enumerate(dims):
            w.emit(f"NEED({part.code}.n[{d}] == {n});")
        full: list[cuts.Index] = [Scalar(k, SIZE, proven=True)]
        full += [Cut(None, None, None)] * item.ndim
        target = cuts.view(w, made, full)
        elementwise.fill(w, target, dims, elementwise.converted(part, dtype))
    if dtype == item.dtype:
        layers.note(w, made, begin, 0, items=f"{owner.code}->items")
    return made


def joined(t: Names, owner: Listed) -> Ref:
    """``np.concatenate(list)`` of arrays along their first dimension."""
    w = t.writer
    item = lists.item_type(owner)
    if not isinstance(item, ArrayType):
        raise Declined("np.concatenate of a list of numbers")
    total, k = w.name("total"), w.name("k")
    w.emit(f"NEED({owner.code}->size() > 0);", f"i64 {total} = 0;")
    w.emit(f"for (const auto &part : {owner.code}->items) {total} += part.n[0];")
    first = f"{owner.code}->items[0]"
    dims = [w.hold("i64", f"{first}.n[{d}]", "n") for d in range(1, item.ndim)]
    made = elementwise.new(w, item.dtype, [total, *dims])
    start = w.name("start")
    w.emit(f"i64 {start} = 0;")
    with w.block(f"for (i64 {k} = 0; {k} < {owner.code}->size(); {k}++)"):
        part = lists.item_at(t, owner, k)
        assert isinstance(part, Ref)
        for d, n in enumerate(dims, 1):
            w.emit(f"NEED({part.code}.n[{d}] == {n});")
        window = w.name("w")
        w.emit(f"{made.type.view} {window} = {made.code}; {window}.n[0] = {part.code}.n[0];")
        w.emit(f"{window}.p += {start} * {made.code}.s[0]; {start} += {part.code}.n[0];")
        target = Ref(window, ArrayType(made.dtype, made.ndim, True))
        elementwise.fill(w, target, [f"{part.code}.n[0]", *dims], part)
    return made


def with_axis(t: Names, ref: Ref, place: int) -> Ref:
    """A view with one more axis, of length one."""
    full: list[cuts.Index] = [ALL] * ref.ndim
    full.insert(place, Known(None))
    return cuts.view(t.writer, ref, full)


def put_together(t: Names, refs: Sequence[Ref], place: int) -> Ref:
    """Arrays one after the other along an axis."""
    return _written(t, refs, place, _dtype(t, refs, place))


def _dtype(t: Names, refs: Sequence[Ref], place: int | None) -> str:
    """The dtype of arrays that fit together, but for one axis."""
    w, ndim = t.writer, refs[0].ndim
    if any(ref.ndim != ndim for ref in refs):
        raise Declined("arrays of several dimensions that are put together")
    dtype = np.result_type(*(np.dtype(ref.dtype) for ref in refs)).name
    if dtype not in CTYPES:
        raise Declined(f"arrays that are put together to {dtype}")
    for ref in refs:
        if ndim > 1:
            w.emit(f"NEED(lies_in_rows({ref.code}));")
        for d in range(ndim):
            if d != place and ref is not refs[0]:
                w.emit(f"NEED({ref.code}.n[{d}] == {refs[0].code}.n[{d}]);")
    return dtype


def _written(t: Names, refs: Sequence[Ref], place: int, dtype: str) -> Ref:
    """A new array that holds others."""
    w, ndim = t.writer, refs[0].ndim
    dims = [refs[0].n(d) for d in range(ndim)]
    sizes = [ref.n(place) for ref in refs]
    is_known = all(size.isdigit() for size in sizes)
    dims[place] = str(sum(map(int, sizes))) if is_known else " + ".join(sizes)
    made = elementwise.new(w, dtype, dims)
    start = "0"
    for ref in refs:
        size = ref.n(place)
        window = w.name("w")
        w.emit(f"{made.type.view} {window} = {made.code};")
        w.emit(f"{window}.p += ({start}) * {made.code}.s[{place}]; {window}.n[{place}] = {size};")
        lengths = lengths_of([*dims[:place], size, *dims[place + 1 :]])
        target = Ref(window, ArrayType(dtype, ndim, True, lengths=lengths))
        sizes = [elementwise.length(w, target, d) for d in range(ndim)]
        elementwise.fill(w, target, sizes, elementwise.converted(ref, dtype))
        start = f"{start} + {size}"
    return made


def stacked(t: Names, parts: Sequence[Lazy], axis: Value = FIRST) -> Ref:
    """Arrays beside each other, along an axis of their own."""
    refs = [elementwise.materialise(t.writer, part) for part in parts]
    dtype, w = _dtype(t, refs, None), t.writer
    place, begin = place_of(axis, refs[0].ndim + 1), len(w.lines)
    made = _written(t, [with_axis(t, ref, place) for ref in refs], place, dtype)
    converted = [elementwise.converted(ref, dtype) for ref in refs]
    layers.note(w, made, begin, place, [elements(part) for part in converted])
    return made
