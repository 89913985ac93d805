"""Calls that put arrays together: ``np.concatenate``, ``np.stack`` and their like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, cuts, elementwise
from jupyter_npcompile.loops.calls import elements, named, of
from jupyter_npcompile.loops.kinds import CTYPES, ArrayType, Declined, lengths_of
from jupyter_npcompile.loops.library import stacks
from jupyter_npcompile.loops.library.creation import array_call
from jupyter_npcompile.loops.library.results import NONE, place_of
from jupyter_npcompile.loops.values import (
    ALL,
    Applied,
    Gathered,
    Items,
    Known,
    Lazy,
    Listed,
    Ref,
    Scalar,
    Value,
)

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

FIRST = arithmetic.constant(0)


def _parts(t: Names, value: Value, *, scalars: bool = False) -> list[Ref]:
    """The arrays of a tuple or a list of them."""
    if not isinstance(value, Items) or not value.items:
        raise Declined("arrays that are put together")
    made: list[Lazy] = []
    for item in value.items:
        if isinstance(item, Scalar) and scalars:
            item = Items((item,))
        made.append(elements(array_call(t, [item], {}) if isinstance(item, Items) else item))
    return [elementwise.materialise(t.writer, part) for part in made]


def _with_axis(t: Names, ref: Ref, place: int) -> Ref:
    """A view with one more axis, of length one."""
    full: list[cuts.Index] = [ALL] * ref.ndim
    full.insert(place, Known(None))
    return cuts.view(t.writer, ref, full)


def _joined(t: Names, refs: Sequence[Ref], place: int) -> Ref:
    """Arrays one after the other along an axis."""
    w = t.writer
    ndim = refs[0].ndim
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


def _axis(name: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> tuple[Value, Value]:
    """The arrays, and the axis, which is the first one where nothing is said."""
    if (len(args) > 1 and args[1] == NONE) or kwargs.get("axis") == NONE:
        raise Declined(f"{name} of all elements")
    given = named(name, ("arrays", "axis"), args, kwargs)
    return given.get("arrays", NONE), given.get("axis", FIRST)


@of(np.concatenate)
def _concatenate(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) == 1 and not kwargs and isinstance(args[0], Listed):
        return stacks.joined(t, args[0])
    value, axis = _axis("np.concatenate", args, kwargs)
    refs = _parts(t, value)
    return _joined(t, refs, place_of(axis, refs[0].ndim))


@of(np.stack)
def _stack(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    value, axis = _axis("np.stack", args, kwargs)
    if isinstance(value, (Ref, Applied, Gathered)) and isinstance(axis, Scalar) and axis.const == 0:
        return _as_stack(t, value)
    return stacked(t, _parts(t, value), axis)


def stacked(t: Names, parts: Sequence[Lazy], axis: Value = FIRST) -> Ref:
    """Arrays beside each other, along an axis of their own."""
    refs = [elementwise.materialise(t.writer, part) for part in parts]
    if any(ref.ndim != refs[0].ndim for ref in refs):
        raise Declined("np.stack of several dimensions")
    place = place_of(axis, refs[0].ndim + 1)
    return _joined(t, [_with_axis(t, ref, place) for ref in refs], place)


def _as_stack(t: Names, value: Lazy) -> Ref:
    """Rows that lie on top of each other already: those of a list, or of an array."""
    ref = elementwise.materialise(t.writer, value)
    if ref.ndim < 2:
        raise Declined("a stack of numbers")
    t.writer.emit(f"NEED({ref.code}.n[0] > 0 && lies_in_rows({ref.code}));")
    return ref if ref.is_fresh else elementwise.copied(t.writer, ref)


@of(np.vstack)
def _vstack(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) != 1 or kwargs:
        raise Declined("np.vstack with these arguments")
    if isinstance(args[0], (Ref, Applied, Gathered)) and args[0].ndim == 2:
        return _as_stack(t, args[0])
    refs = _parts(t, args[0], scalars=True)
    return _joined(t, [_with_axis(t, r, 0) if r.ndim == 1 else r for r in refs], 0)


@of(np.hstack)
def _hstack(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) != 1 or kwargs:
        raise Declined("np.hstack with these arguments")
    refs = _parts(t, args[0], scalars=True)
    return _joined(t, refs, 0 if refs[0].ndim == 1 else 1)


@of(np.column_stack)
def _column_stack(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) != 1 or kwargs:
        raise Declined("np.column_stack with these arguments")
    refs = _parts(t, args[0])
    return _joined(t, [_with_axis(t, r, 1) if r.ndim == 1 else r for r in refs], 1)


@of(np.dstack)
def _dstack(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) != 1 or kwargs:
        raise Declined("np.dstack with these arguments")
    deep = []
    for ref in _parts(t, args[0], scalars=True):
        if ref.ndim == 1:
            ref = _with_axis(t, ref, 0)
        deep.append(_with_axis(t, ref, 2) if ref.ndim == 2 else ref)
    return _joined(t, deep, 2)
