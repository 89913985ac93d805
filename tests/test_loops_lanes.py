"""Maxima and minima by vectors of our own: NaN, zeros of two signs and odd lengths as in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.loops.elementwise import apply
from jupyter_npcompile.loops.kinds import ArrayType, Number
from jupyter_npcompile.loops.lanes import lane_of
from jupyter_npcompile.loops.values import Ref, Scalar
from tests.native_loops import define, outcome
from tests.test_loops_fusing import is_same
from tests.test_runtime_whole_function import whole

pytestmark = pytest.mark.usefixtures("straight_functions")

X, Y = (Ref(name, ArrayType("float64", 1, True)) for name in "xy")
ONE = Scalar("1.0", Number("np", "float64"))
MOST = "np_max<double>({0}, {1})"


def test_which_loops_gain() -> None:
    most = apply(MOST, [X, Y], "float64")
    assert lane_of([most], [X]) == "double"
    assert lane_of([apply("({0} - {1})", [most, ONE], "float64")], [X]) == "double"
    assert lane_of([apply(MOST, [X, ONE], "float64")], [X]) == ""  # two instructions anyway
    assert lane_of([apply("({0} + {1})", [X, Y], "float64")], [X]) == ""
    assert lane_of([apply("std::exp({0})", [most], "float64")], [X]) == ""
    assert lane_of([most], [Ref("z", ArrayType("float64", 1, False))]) == ""
    assert lane_of([most], [Ref("z", ArrayType("bool", 1, True))]) == ""
    assert lane_of([apply("np_max<int64_t>({0}, {1})", [X, Y], "int64")], [X]) == ""


PROGRAM = """
def f(x, y, w, n):
    largest, least = np.full(n, -np.inf), x[:n] - y[:n]
    for i in range(3):
        np.maximum(largest, x[i : i + 2 * n : 2], out=largest)
        least = np.minimum(least, y[i : i + n]) - w[:n]
    np.minimum(w[:n], y[:n], out=w[:n])
    both = np.maximum(x[:n], y[:n])
    return largest, least, both, np.maximum(w[1:n], w[: n - 1]), w
"""


def drawn(rng: np.random.Generator, size: int, dtype: str) -> Any:
    """Numbers with what is special among them, so that each meets each."""
    special = [np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf]
    x = rng.normal(size=size)
    places = rng.random(size) < 0.5
    x[places] = rng.choice(special[:4] if rng.random() < 0.5 else special[2:4], places.sum())
    return x.astype(dtype)


def test_elements_of_all_kinds() -> None:
    function = define(PROGRAM)
    rng = np.random.default_rng(3)
    for dtype in ("float64", "float32"):
        first = [np.ones(100, dtype), np.ones(100, dtype), np.ones(100, dtype), 9]
        native, state = whole(function, first)
        assert not state.closed, state.closed
        assert "put_lanes<" in state.forms[0].code.source
        for n in (1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 33, 40):
            given = [drawn(rng, 100, dtype) for _ in range(3)]
            pair = [[v.copy() for v in given] + [n] for _ in range(2)]
            expected, found = outcome(function, pair[0]), outcome(native, pair[1])
            assert is_same(expected.result, found.result), (dtype, n)
            assert is_same(pair[0][:3], pair[1][:3]), (dtype, n)


EXTREMES = """
def f(x):
    for i in range(1):
        most, least = x.max(), x.min()
    return most, least, x.max(axis=1), x.min(axis=1), x.max(axis=0)
"""


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_extremes(dtype: str) -> None:
    function = define(EXTREMES)
    rng = np.random.default_rng(4)
    native, state = whole(function, [np.ones((3, 50), dtype)])
    assert not state.closed, state.closed
    for n in (1, 7, 8, 16, 31, 32, 33, 64, 65, 127, 300):
        x = np.round(3 * rng.normal(size=(3, n))) + 0.0  # zeros of one sign: they come in any order
        if dtype != "int64" and n % 2:
            x[rng.integers(3), rng.integers(n)] = np.nan
        x = x.astype(dtype)
        for one, other in zip(function(x), native(x), strict=True):
            assert np.array_equal(one, other, equal_nan=True), n
            assert one.dtype == other.dtype
