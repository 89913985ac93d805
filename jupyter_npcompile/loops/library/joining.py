"""Calls that put arrays together: ``np.concatenate``, ``np.stack`` and their like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.calls import elements, named, of
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.library import layers, stacks
from jupyter_npcompile.loops.library.creation import array_call
from jupyter_npcompile.loops.library.results import NONE, place_of
from jupyter_npcompile.loops.values import (
    Applied,
    Gathered,
    Items,
    Lazy,
    Listed,
    Ref,
    Scalar,
    Value,
)

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


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


def _axis(name: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> tuple[Value, Value]:
    """The arrays, and the axis, which is the first one where nothing is said."""
    if (len(args) > 1 and args[1] == NONE) or kwargs.get("axis") == NONE:
        raise Declined(f"{name} of all elements")
    given = named(name, ("arrays", "axis"), args, kwargs)
    return given.get("arrays", NONE), given.get("axis", stacks.FIRST)


@of(np.concatenate)
def _concatenate(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) == 1 and not kwargs and isinstance(args[0], Listed):
        return stacks.joined(t, args[0])
    value, axis = _axis("np.concatenate", args, kwargs)
    refs = _parts(t, value)
    return stacks.put_together(t, refs, place_of(axis, refs[0].ndim))


@of(np.stack)
def _stack(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    value, axis = _axis("np.stack", args, kwargs)
    if isinstance(value, (Ref, Applied, Gathered)) and isinstance(axis, Scalar) and axis.const == 0:
        return _as_stack(t, value)
    return stacks.stacked(t, _parts(t, value), axis)


def _as_stack(t: Names, value: Lazy) -> Ref:
    """Rows that lie on top of each other already: those of a list, or of an array."""
    ref = elementwise.materialise(t.writer, value)
    if ref.ndim < 2:
        raise Declined("a stack of numbers")
    if layers.is_last(t.writer, ref):
        return ref
    t.writer.emit(f"NEED({ref.code}.n[0] > 0 && lies_in_rows({ref.code}));")
    return ref if ref.is_fresh else elementwise.copied(t.writer, ref)


@of(np.vstack)
def _vstack(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) != 1 or kwargs:
        raise Declined("np.vstack with these arguments")
    if isinstance(args[0], (Ref, Applied, Gathered)) and args[0].ndim == 2:
        return _as_stack(t, args[0])
    refs = _parts(t, args[0], scalars=True)
    return stacks.put_together(
        t, [stacks.with_axis(t, r, 0) if r.ndim == 1 else r for r in refs], 0
    )


@of(np.hstack)
def _hstack(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) != 1 or kwargs:
        raise Declined("np.hstack with these arguments")
    refs = _parts(t, args[0], scalars=True)
    return stacks.put_together(t, refs, 0 if refs[0].ndim == 1 else 1)


@of(np.column_stack)
def _column_stack(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) != 1 or kwargs:
        raise Declined("np.column_stack with these arguments")
    refs = _parts(t, args[0])
    return stacks.put_together(
        t, [stacks.with_axis(t, r, 1) if r.ndim == 1 else r for r in refs], 1
    )


@of(np.dstack)
def _dstack(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) != 1 or kwargs:
        raise Declined("np.dstack with these arguments")
    deep = []
    for ref in _parts(t, args[0], scalars=True):
        if ref.ndim == 1:
            ref = stacks.with_axis(t, ref, 0)
        deep.append(stacks.with_axis(t, ref, 2) if ref.ndim == 2 else ref)
    return stacks.put_together(t, deep, 2)
