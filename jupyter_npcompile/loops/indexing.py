"""Elements, views and selections of arrays: what stands in square brackets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jupyter_npcompile.loops import elementwise, fancy, reuse, scatters
from jupyter_npcompile.loops.cuts import Index, element, expand, is_fancy, view
from jupyter_npcompile.loops.kinds import CTYPES, SIZE, Declined, Number
from jupyter_npcompile.loops.values import (
    ALL,
    Applied,
    Cut,
    Gathered,
    Lazy,
    Ref,
    Scalar,
    Value,
)
from jupyter_npcompile.loops.writer import Writer


def read(writer: Writer, ref: Ref, indices: Sequence[Index], *, is_dying: bool = False) -> Value:
    """What ``ref[indices]`` gives; the array may be one that nobody reads afterwards."""
    full = expand(indices, ref.ndim)
    if is_fancy(full):
        (index, *more) = full
        if (
            is_dying
            and ref.ndim == 1
            and not more
            and isinstance(index, Ref | Gathered | Applied)
            and index.dtype == "bool"
        ):
            has_memory = ref.code == ref.root and not ref.type.is_small
            return compressed(writer, ref, index, is_dying=has_memory)
        return _select(writer, ref, full)
    if len(full) == ref.ndim and all(isinstance(index, Scalar) for index in full):
        scalars = [index for index in full if isinstance(index, Scalar)]
        type = Number("np", ref.dtype, 1 if ref.dtype == "bool" else 63)
        return Scalar(writer.hold(type.c, element(ref, scalars), "e"), type)
    return view(writer, ref, full)


def _select(writer: Writer, ref: Ref, full: Sequence[Index]) -> Lazy:
    """Elements chosen by arrays: of integers, or of truth values."""
    if sum(not isinstance(index, Scalar) for index in full) == 1 < len(full):
        # Numbers choose a view, and the array elements of it.
        (place,) = (k for k, index in enumerate(full) if not isinstance(index, Scalar))
        chosen = [ALL] * (ref.ndim - len(full) + 1)
        rest = view(writer, ref, [*full[:place], *chosen, *full[place + 1 :]])
        return _select(writer, rest, [full[place]])
    index = full[0]
    if not isinstance(index, Ref | Gathered | Applied) or any(other != ALL for other in full[1:]):
        return fancy.read(writer, ref, full)
    if index.dtype == "bool":
        if index.ndim == ref.ndim:
            return (compressed if ref.ndim == 1 else _where_true)(writer, ref, index)
        if index.ndim > 1:
            return fancy.read(writer, ref, full)
        index = places(writer, index, f"{ref.code}.n[0]")
    if ref.ndim > 2:
        writer.emit(f"NEED(!is_odd({ref.code}));")  # or the result has an order of its own
    return along(writer, ref, index, 0)


def along(writer: Writer, ref: Ref, index: Lazy, axis: int) -> Lazy:
    """``np.take(ref, index, axis)``."""
    if np.dtype(index.dtype).kind not in "iu" or index.dtype == "uint64":
        raise Declined("an array of such numbers as an index")
    if ref.ndim == 1:
        return Gathered(ref, index, index.ndim)
    if index.ndim == 1:
        return _gathered_parts(writer, ref, index, axis)
    if axis:
        raise Declined("an array of several dimensions as an index")
    return fancy.read(writer, ref, [index, *[ALL] * (ref.ndim - 1)])


def _part(writer: Writer, ref: Ref, axis: int, position: str) -> Ref:
    """A view at one place of an axis."""
    full: list[Index] = [Cut(None, None, None)] * ref.ndim
    full[axis] = Scalar(position, SIZE)
    return view(writer, ref, full)


def _gathered_parts(writer: Writer, ref: Ref, index: Lazy, axis: int) -> Ref:
    """``np.take(ref, index, axis)`` for an index of one dimension."""
    held = elementwise.materialise(writer, index)
    dims = [f"{ref.code}.n[{d}]" for d in range(ref.ndim)]
    dims[axis] = f"{held.code}.n[0]"
    made = elementwise.new(writer, ref.dtype, dims)
    if ref.ndim == 2 and axis == 0:
        writer.emit(f"NEED(are_places({held.code}, {ref.code}.n[0]));")
        writer.emit(f"take_rows({made.code}.p, {ref.code}, {held.code});")
        return made
    k = writer.name("k")
    with writer.block(f"for (i64 {k} = 0; {k} < {held.code}.n[0]; {k}++)"):
        where = writer.hold("i64", f"(i64){held.code}.p[{k} * {held.code}.s[0]]")
        target, source = _part(writer, made, axis, k), _part(writer, ref, axis, where)
        sizes = [writer.hold("i64", f"{target.code}.n[{d}]", "n") for d in range(target.ndim)]
        elementwise.fill(writer, target, sizes, source)
    return made


def places(writer: Writer, mask: Lazy, size: str) -> Ref:
    """Where a mask of one dimension is true."""
    held = elementwise.materialise(writer, mask)
    writer.emit(f"NEED({held.code}.n[0] == {size});")
    bits = f"{held.code}.p, {held.code}.s[0], {size}"
    count = writer.hold("i64", f"count_true({bits})", "m")
    made = elementwise.new(writer, "int64", [count])
    writer.emit(f"places_true({made.code}.p, {bits}, {count});")
    return made


def compressed(writer: Writer, ref: Ref, mask: Lazy, *, is_dying: bool = False) -> Ref:
    """The elements where a mask is true: ``x[mask]``."""
    held = elementwise.materialise(writer, mask)
    n = f"{ref.code}.n[0]"
    writer.emit(f"NEED({held.code}.n[0] == {n});")
    bits = f"{held.code}.p, {held.code}.s[0], {n}"
    count = writer.hold("i64", f"count_true({bits})", "m")
    if is_dying:
        made = reuse.memory(writer, ref, [held], [count], "true")
        writer.emit(f"{made.code}.n[0] = {count}; own({made.code});")
    else:
        made = elementwise.new(writer, ref.dtype, [count])
    writer.emit(f"take_true({made.code}.p, {ref.code}.p, {ref.code}.s[0], {bits}, {count});")
    return made


def _where_true(writer: Writer, ref: Ref, mask: Lazy, value: Lazy | None = None) -> Ref:
    """Take the elements where a mask of several dimensions is true, or put a value there."""
    held = elementwise.copied(writer, mask)
    for d in range(ref.ndim):
        writer.emit(f"NEED({held.code}.n[{d}] == {ref.code}.n[{d}]);")
    count = writer.hold("i64", f"count_true({held.code}.p, 1, {held.code}.size())", "m")
    if value is None:
        made = elementwise.new(writer, ref.dtype, [count])
    else:
        stored = elementwise.converted(value, ref.dtype)
        made = elementwise.copied(writer, stored, [count])
    name = "take_where" if value is None else "put_where"
    writer.emit(f"{name}({made.code}.p, {ref.code}, {held.code}.p, {count});")
    return made


def write(writer: Writer, ref: Ref, indices: Sequence[Index], value: Lazy | Scalar) -> str:
    """Write a value: ``ref[indices] = value``; returns C++ for it where it is one element."""
    full = expand(indices, ref.ndim)
    if is_fancy(full):
        _scatter(writer, ref, full, value)
        return ""
    if len(full) == ref.ndim and all(isinstance(index, Scalar) for index in full):
        if not isinstance(value, Scalar):
            raise Declined("an array into one element")
        scalars = [index for index in full if isinstance(index, Scalar)]
        stored = elementwise.converted(value, ref.dtype)
        assert isinstance(stored, Scalar)
        held = writer.hold(CTYPES[ref.dtype], stored.code, "x")
        writer.emit(f"{element(ref, scalars)} = {held};")
        return held
    target = view(writer, ref, full)
    elementwise.store(writer, target, elementwise.converted(value, ref.dtype))
    return ""


def _scatter(writer: Writer, ref: Ref, full: Sequence[Index], value: Lazy | Scalar) -> None:
    """Write where arrays say."""
    index = full[0]
    if not isinstance(index, Ref | Gathered | Applied) or len(full) > 1:
        fancy.write(writer, ref, full, value)
    elif index.dtype == "bool" and not isinstance(value, Scalar):
        if ref.ndim > 1:
            _where_true(writer, ref, index, value)
        else:
            scatters.put(writer, ref, places(writer, index, f"{ref.code}.n[0]"), value)
    elif index.dtype == "bool" or index.ndim > 1:
        fancy.write(writer, ref, full, value)
    else:
        scatters.put(writer, ref, index, value)
