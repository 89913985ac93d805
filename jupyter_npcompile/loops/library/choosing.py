"""Elements that a condition chooses: ``np.compress`` and ``np.extract``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import elementwise, indexing
from jupyter_npcompile.loops.calls import elements, named, of
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.library.results import NONE, place_of
from jupyter_npcompile.loops.values import Lazy, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


@of(np.compress)
def _compress(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.compress", ("condition", "a", "axis"), args, kwargs, none=("axis",))
    condition, chosen = (elements(given.get(name, NONE)) for name in ("condition", "a"))
    if condition.ndim != 1 or ("axis" not in given and chosen.ndim != 1):
        raise Declined("np.compress of these")
    place = place_of(given["axis"], chosen.ndim) if "axis" in given else 0
    return _chosen(t, condition, chosen, place)


@of(np.extract)
def _extract(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.extract", ("condition", "arr"), args, kwargs)
    condition, chosen = (elements(given.get(name, NONE)) for name in ("condition", "arr"))
    if condition.ndim != chosen.ndim:
        raise Declined("np.extract of arrays of several dimensions")
    return _chosen(t, condition, chosen, 0)


def _chosen(t: Names, condition: Lazy, value: Lazy, place: int) -> Value:
    """What a mask chooses; where it is shorter than the array, Python goes on."""
    w, mask = t.writer, elements(elementwise.converted(condition, "bool"))
    ref = elementwise.materialise(w, value)
    if condition.ndim == ref.ndim:
        return indexing.read(w, ref, [mask])
    chosen = indexing.places(w, mask, elementwise.length(w, ref, place))
    return indexing.along(w, ref, chosen, place)
