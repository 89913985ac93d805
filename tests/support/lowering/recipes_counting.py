"""Recipes for what counts: histograms and bins."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.lowering.arguments import Array, Call, Memory
from tests.support.lowering.comparison import Tolerance
from tests.support.lowering.recipes import MANY, recipe
from tests.support.lowering.strategies import (
    INTEGERS,
    REAL,
    Draw,
    an_array,
    maybe,
    pick,
    shape_of,
)

EDGES = Tolerance(4.0, sums=True)


@recipe("bincount", MANY)
def _bincount(draw: Draw, op: str) -> Call:
    x = an_array(draw, ("bool", *INTEGERS), None, ("small:5", "small:5", "few"), least=1, most=1)
    call = Call((x,))
    if maybe(draw):
        call.kwargs["weights"] = an_array(draw, REAL, shape_of(x), ("ordinary", "infinite"))
    if maybe(draw):
        call.kwargs["minlength"] = pick(draw, 0, 3, 8)
    return call


def _bins(draw: Draw) -> Any:
    form = pick(draw, "number", "number", "edges", "array", "uneven")
    if form == "number":
        return pick(draw, 1, 4, 7)
    if form == "edges":
        return [-3, -1, 0, 0.5, 4]
    if form == "uneven":
        return np.array([0, 1, 5])
    return Array(Memory(pick(draw, "float64", "float32", "int64"), (5,), "rising"))


def _options(draw: Draw, call: Call, shape: tuple[int, ...], ranges: Any) -> Call:
    if maybe(draw, 2):
        call.kwargs["range"] = ranges
    if maybe(draw):
        call.kwargs["weights"] = an_array(draw, REAL, shape, ("ordinary", "positive"))
    if maybe(draw):
        call.kwargs["density"] = pick(draw, True, False)
    return call


@recipe("histogram", EDGES)
def _histogram(draw: Draw, op: str) -> Call:
    x = an_array(draw, REAL, None, ("ordinary", "ordinary", "few", "special"))
    return _options(draw, Call((x, _bins(draw))), shape_of(x), (-2.5, 3))


@recipe("histogram2d", EDGES)
def _histogram2d(draw: Draw, op: str) -> Call:
    x = an_array(draw, REAL, None, ("ordinary", "few"), least=1, most=1)
    y = an_array(draw, REAL, shape_of(x), ("ordinary", "few"))
    bins = pick(draw, 3, [2, 4], [_bins(draw), _bins(draw)])
    return _options(draw, Call((x, y, bins)), shape_of(x), [(-2.5, 3), (-1, 1.5)])


@recipe("histogram_bin_edges", EDGES)
def _edges(draw: Draw, op: str) -> Call:
    x = an_array(draw, REAL, None, ("ordinary", "few", "special"))
    call = Call((x, _bins(draw)))
    if maybe(draw, 2):
        call.kwargs["range"] = (-2.5, 3)
    return call
