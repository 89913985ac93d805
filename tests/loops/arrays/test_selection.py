"""Elements by their order in native code: as NumPy chooses them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.support.loops.whole_functions import apart, assert_drawn, odd

Generator = np.random.Generator


def _array(rng: Generator, shape: tuple[int, ...], dtype: str) -> Any:
    values = (rng.normal(size=shape) * 9 + 1).round(int(rng.choice([0, 12])))
    return odd(rng, np.where(values == 0, 0.0, values).astype(dtype))


@pytest.mark.parametrize("dtype", ["float64"])
def test_medians(dtype: str) -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        n = int(rng.choice([1, 2, 3, 6, 9, 25, 32, 33, 80]))
        return (
            apart(_array(rng, (int(rng.choice([1, 2, 9, 100, 5000, 5001])),), dtype)),
            _array(rng, (n, 70), dtype),
            apart(_array(rng, (3, 33, n), dtype)),
        )

    text = """
(x, m, c)
    return (
        np.median(x), np.median(m), np.median(m, axis=0), np.median(m, 1), np.median(c, axis=2),
        np.median(c, axis=1),
    )
"""
    assert_drawn(text, draw, runs=30, refused=10)


@pytest.mark.parametrize("dtype", ["float64"])
def test_percentiles(dtype: str) -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        n = int(rng.choice([1, 2, 3, 9, 80]))
        x = _array(rng, (int(rng.choice([1, 2, 9, 100, 5000, 20001])),), dtype)
        shares = np.concatenate([rng.random(3), [0.0, 1.0]])
        return x, _array(rng, (n, 7), dtype), shares, float(rng.random()), int(rng.integers(101))

    text = """
(x, m, shares, share, percent)
    return (
        np.percentile(x, percent), np.percentile(x, [5, 50.0, 100]), np.quantile(x, share),
        np.quantile(x, shares), np.percentile(m, percent, axis=0), np.quantile(m, shares, axis=1),
        np.percentile(m, 30), np.quantile(m, (0.25, 0.75), axis=0),
    )
"""
    assert_drawn(text, draw, runs=30, refused=16)


@pytest.mark.parametrize("dtype", ["float64"])
def test_orders(dtype: str) -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        n = int(rng.choice([1, 2, 3, 5, 31, 32, 33, 129]))
        return (
            _array(rng, (n,), dtype),
            _array(rng, (n, 70), dtype),
            apart(_array(rng, (3, n), dtype)),
            _array(rng, (2, 40, n), dtype),
        )

    text = """
(x, m, k, c)
    return (
        np.sort(x), np.sort(m), np.sort(m, axis=0), np.sort(k), np.sort(c), np.sort(c, axis=1),
        np.unique(x),
    )
"""
    assert_drawn(text, draw, runs=20, refused=6)
