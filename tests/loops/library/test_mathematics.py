"""Exponentials and logarithms of arrays in C++: how far from the truth, and which flags."""

from __future__ import annotations

import numpy as np
import pytest

from tests.loops.arrays.test_reductions import same
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import Function, define

TEXT = """
def f(x):
    for i in range(1):
        y = np.exp(x)
        z = np.log(np.abs(x) + 0.0)
    return y, z
"""


@pytest.fixture(scope="module")
def native() -> Function:
    made, state = whole(define(TEXT), [np.arange(1.0, 9.0)])
    assert not state.closed, state.closed
    with np.errstate(all="ignore"):
        made(np.arange(1.0, 9.0))
    assert not state.forms[0].refusals
    return made


def furthest(found: np.ndarray, truth: np.ndarray) -> float:
    """The largest error in units of the last place."""
    rounded = truth.astype(np.float64)
    good = np.isfinite(rounded)
    assert np.array_equal(found[~good], rounded[~good], equal_nan=True)
    error = np.abs(found[good].astype(np.longdouble) - truth[good])
    return float(np.max(error / np.spacing(np.abs(rounded[good])), initial=0.0))


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="no more exact numbers here")
def test_within_a_unit_of_the_last_place(native: Function) -> None:
    rng = np.random.default_rng(5)
    count = 100_000
    drawn = [
        rng.uniform(-745.2, 709.8, count),
        rng.normal(size=count),
        rng.normal(size=count) * 10.0 ** rng.uniform(-300, 2, count),
        1.0 + rng.normal(size=count) * 10.0 ** rng.uniform(-17, 0, count),
        10.0 ** rng.uniform(-323, 308, count),
        rng.integers(0, 1 << 52, count).view(np.float64),
    ]
    for x in drawn:
        with np.errstate(all="ignore"):
            y, z = native(x)
            wide = x.astype(np.longdouble)
            assert furthest(y, np.exp(wide)) < 1.0
            assert furthest(z, np.log(np.abs(wide))) < 1.0


def test_special_numbers_and_warnings(native: Function) -> None:
    ends = [709.78, 709.79, 746.0, -745.1, -745.2, -746.0, 1e300, 5e-324, 2.2e-308, 1.7e308]
    special = [np.nan, np.inf, 0.0, -0.0, 1.0, np.nextafter(1.0, 0.0), *ends]
    special += [-value for value in special]
    function = define(TEXT)
    for value in special:
        for length in (1, 3, 40):
            x = np.linspace(0.5, 1.5, length)
            x[length // 2] = value
            same(function, native, [x])
            with np.errstate(all="ignore"):
                same(function, native, [x])


def test_logarithms_below_zero() -> None:
    function = define("def f(x):\n    for i in range(1):\n        y = np.log(x)\n    return y\n")
    made, state = whole(function, [np.arange(1.0, 9.0)])
    for value in (-1.0, -np.inf, -5e-324, -0.0, -np.nan, np.nan, 2.0):
        x = np.linspace(0.5, 1.5, 20)
        x[7] = value
        same(function, made, [x])
        with np.errstate(all="ignore"):
            same(function, made, [x])
    assert state.forms[0].iterations


def test_zeros_of_two_signs() -> None:
    """NumPy takes the second of two that are equal; what is clipped stays what it is."""
    function = define(
        """
def f(x, y):
    for i in range(1):
        a = np.maximum(x, y), np.minimum(x, y), np.maximum(x, 0.0), np.minimum(-0.0, x)
        b = np.clip(x, 0, 1), np.clip(x, -1.0, -0.0), np.clip(x, y, 1.0), np.maximum(x[0], y[0])
    return a, b, np.maximum.accumulate(x), np.minimum.accumulate(y)
"""
    )
    x, y = np.array([-0.0, 0.0, -0.0, 0.0, 1.0, -0.0]), np.array([0.0, -0.0, -0.0, 0.0, -0.0, 3.0])
    made, state = whole(function, [x, y])
    for _ in range(2):
        same(function, made, [x, y])
    assert state.forms[0].iterations


def test_powers_of_truth_values() -> None:
    """The square of truth values has 8 bits, other powers have more."""
    function = define("def f(b):\n    for i in range(1):\n        y = b ** 2\n    return y\n")
    made, state = whole(function, [np.array([True, False])])
    same(function, made, [np.array([True, False])])
    assert "a power of truth values" in state.closed
