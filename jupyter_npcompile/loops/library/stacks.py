"""Arrays that are made of the items of lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import cuts, elementwise, lists
from jupyter_npcompile.loops.kinds import CTYPES, SIZE, ArrayType, Declined, Number, TupleType
from jupyter_npcompile.loops.values import Cut, Items, Listed, Ref, Scalar

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


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
    first = f"{owner.code}->items[0]"
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
