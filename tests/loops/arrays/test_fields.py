"""Gradients, areas, grids and convolutions, and sums without NaN, in native code: as NumPy has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.support.loops.whole_functions import apart, assert_drawn, odd

Generator = np.random.Generator


def test_gradients_and_grids() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        n, m = (int(v) for v in rng.integers(2, 40, 2))
        x, y = rng.normal(size=n), rng.normal(size=m)
        return x, y, rng.normal(size=(n, m)), apart(rng.normal(size=(3, n, 5))), 0.25

    text = """
(x, y, m, c, h)
    return (
        np.gradient(x), np.gradient(m, h, 2), np.trapezoid(m, y), np.ptp(m, axis=0),
        np.meshgrid(x, y, indexing="ij"), c.std(axis=(0, 1)), c @ c[0, 0],
    )
"""
    assert_drawn(text, draw, refused=12)


def test_convolutions() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        n = int(rng.choice([1, 2, 5, 63, 200, 1000]))
        m = int(rng.integers(1, min(n, 60) + 1))
        return odd(rng, rng.normal(size=n)), apart(rng.normal(size=m))

    text = """
(x, v)
    return (
        np.convolve(x, v), np.convolve(x, v, "same"), np.convolve(x, v, mode="valid"),
        np.correlate(x, v), np.correlate(x, v, mode="full"), np.correlate(x, v, "same"),
    )
"""
    assert_drawn(text, draw, refused=4)


def test_sums_of_what_is_no_nan() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        m = rng.normal(size=(int(rng.integers(3, 9)), 40))
        m[rng.random(m.shape) < 0.2] = np.nan
        return m, odd(rng, m[0]), int(rng.integers(0, 2))

    text = """
(m, x, ddof)
    return (
        np.nansum(m, axis=0), np.nanmean(x), np.nanmax(x), np.nanvar(m, ddof=ddof),
        np.nan_to_num(x, nan=-1.0, posinf=9, neginf=0.0),
    )
"""
    assert_drawn(text, draw, refused=10)


def test_spreads_of_what_is_no_nan() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        m = rng.normal(size=(int(rng.integers(3, 9)), 12))
        m[rng.random(m.shape) < 0.2] = np.nan
        return m, int(rng.integers(0, 3))

    text = """
(m, ddof)
    return (
        np.nanmean(m, axis=0, keepdims=True), np.nanvar(m, 0, ddof=ddof),
        np.nanmedian(m, axis=1), np.nanargmin(m), np.nanstd(m, axis=1, keepdims=True),
    )
"""
    assert_drawn(text, draw, refused=9)


def test_correlations() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        k, n = int(rng.choice([2, 5, 17])), int(rng.choice([3, 40]))
        return rng.normal(size=(k, n)), rng.normal(size=n), apart(rng.normal(size=n))

    text = """
(m, x, y)
    return np.cov(x, y), np.cov(m, rowvar=False), np.corrcoef(m)
"""
    assert_drawn(text, draw)
