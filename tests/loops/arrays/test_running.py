"""Sums that run along an axis, and variances, in native code: as NumPy has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.support.loops.whole_functions import apart, assert_drawn, odd

Generator = np.random.Generator


def _array(rng: Generator, ndim: int, dtype: str) -> Any:
    shape = tuple(int(n) for n in rng.choice([1, 2, 3, 8, 17, 140], ndim))
    return odd(rng, (rng.normal(size=shape) * 9).astype(dtype))


@pytest.mark.parametrize("dtype", ["float64"])
def test_running_sums(dtype: str) -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        x, m, c = (_array(rng, ndim, dtype) for ndim in (1, 2, 3))
        return apart(x), m, apart(c), apart(m)

    text = """
(x, m, c, k)
    return (
        np.cumsum(k, axis=0), np.cumsum(k),
        np.cumsum(x), x.cumsum() * 2, np.maximum.accumulate(x), np.cumsum(m), m.cumsum(axis=0),
        np.cumsum(m, axis=-1), np.minimum.accumulate(m, axis=1), np.add.accumulate(m),
        np.cumsum(c, axis=1), np.maximum.accumulate(c, axis=0), np.cumsum(c, 2),
    )
"""
    assert_drawn(text, draw, refused=6)


def test_running_products() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        return 1 + rng.normal(size=40) / 50, rng.integers(-3, 3, (5, 70)), rng.normal(size=9) + 1j

    text = """
(x, m, z)
    return (
        np.cumprod(x), np.cumprod(m, axis=1), np.cumprod(m), np.multiply.accumulate(m),
        np.cumsum(z), z.cumprod(), np.cumsum(x[:0]),
    )
"""
    assert_drawn(text, draw)


@pytest.mark.parametrize("dtype", ["float64"])
def test_variances(dtype: str) -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        arrays = [_array(rng, ndim, dtype) for ndim in (1, 2, 3, 2)]
        if rng.random() < 0.7:
            arrays = [np.nan_to_num(a, posinf=3.0, neginf=-3.0) for a in arrays]
        x, m, c, k = arrays
        return apart(x), m, c, apart(k)

    text = """
(x, m, c, k)
    return (
        np.std(k, axis=0), np.std(x), np.var(m, axis=1), np.var(m, 0, ddof=1),
        np.std(m, axis=-1, keepdims=True), np.var(c, axis=1),
    )
"""
    assert_drawn(text, draw, runs=20, refused=16)
