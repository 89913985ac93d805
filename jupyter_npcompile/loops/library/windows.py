"""Windows that slide over an array: views that NumPy lets nobody write into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise, small_arrays
from jupyter_npcompile.loops.calls import elements, named, of, whole_number
from jupyter_npcompile.loops.kinds import ArrayType, Declined
from jupyter_npcompile.loops.library.results import NONE, place_of
from jupyter_npcompile.loops.values import Items, Locked, Ref, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

MOST = 4
"""Dimensions of a result."""


def _several(value: Value) -> Sequence[Value]:
    return value.items if isinstance(value, Items) else (value,)


@of(np.lib.stride_tricks.sliding_window_view)
def _windows(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("sliding_window_view", ("x", "window_shape", "axis"), args, kwargs)
    made = elementwise.materialise(t.writer, elements(given.get("x", NONE)))
    ref = small_arrays.in_memory(t.writer, made)
    sizes = _several(given.get("window_shape", NONE))
    axis = given.get("axis", NONE)
    axes = [*map(arithmetic.constant, range(ref.ndim))] if axis == NONE else _several(axis)
    places = [place_of(place, ref.ndim) for place in axes]
    if len(sizes) != len(places):
        raise Declined("windows of another number of dimensions")
    ndim = ref.ndim + len(sizes)
    if ndim > MOST or len({*places}) != len(places):
        raise Declined(f"windows of {ndim} dimensions")
    w = t.writer
    unit = ref.type.unit and places[-1] == ref.ndim - 1
    type, name = ArrayType(ref.dtype, ndim, unit), w.name("w")
    w.emit(f"{type.view} {name};", f"{name}.p = {ref.code}.p;")
    for d in range(ref.ndim):
        w.emit(f"{name}.n[{d}] = {ref.n(d)}; {name}.s[{d}] = {ref.code}.s[{d}];")
    for k, (size, place) in enumerate(zip(sizes, places, strict=True), ref.ndim):
        length = w.hold("i64", whole_number(size))
        w.emit(
            f"{name}.n[{k}] = {length}; {name}.s[{k}] = {ref.code}.s[{place}];",
            f"NEED({length} >= 0 && {length} <= {name}.n[{place}]);",  # or NumPy raises
            f"{name}.n[{place}] -= {length} - 1;",
        )
    w.emit(f"{name}.b = {ref.code}.b; {name}.id = ++ids_;")
    return Locked.of(Ref(name, type, root=ref.root), is_window=True)
