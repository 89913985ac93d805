"""What is computed across a stack of arrays in native code: as NumPy does, without the stack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.support.loops.whole_functions import assert_drawn, odd

Generator = np.random.Generator


def _array(rng: Generator, shape: tuple[int, ...], dtype: str) -> Any:
    values = (rng.normal(size=shape) * 9).round(int(rng.choice([0, 12])))
    return odd(rng, np.where(values == 0, 0.0, values).astype(dtype))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8"])
def test_medians_of_windows(dtype: str) -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        rows, columns = (int(v) for v in rng.integers(1, 70, 2))
        x = _array(rng, (rows + 2, columns + 2), dtype)
        return x, x[1:-1, 1:-1].copy(), int(rng.integers(1, 4)), int(rng.integers(1, 4))

    text = """
(x, y, a, b)
    n, m = y.shape
    nine = [x[i : n + i, j : m + j] for i in range(3) for j in range(3)]
    some = [x[i : n + i, j : m + j] for i in range(a) for j in range(b)]
    many = [x[i % 3 : n + i % 3, 1 : 1 + m] for i in range(a * b * 4)]
    lines = np.median(np.stack((x[0], x[1], x[2])), axis=0)
    y[:] = np.median(np.stack(nine), axis=0)
    return (
        y, lines, np.median(some, axis=0), np.median(np.stack(many), axis=0),
        np.median(np.stack((x[:n, :m], x[1 : n + 1, :m], x[2:, 1:-1] + 1)), axis=0),
        np.median(np.stack((x[:n, :m], x[2:, 1:-1]), axis=-1), axis=-1),
        np.median(np.stack((x[0], x[1], x[2])), axis=1),
    )
"""
    assert_drawn(text, draw, runs=30, refused=20)


@pytest.mark.parametrize("dtype", ["float64", "int64", "bool"])
def test_sums_and_extremes(dtype: str) -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        return (odd(rng, _array(rng, (7, int(rng.integers(1, 50))), dtype)),)

    text = """
(x,)
    a, b, c = x[0], x[1], x[2]
    eight = np.stack((a, b, c, a, b, c, a, b))
    pair = np.stack((a, c + b), axis=1)
    return (
        np.sum(np.stack((a, b, c)), axis=0), np.mean(np.stack((a, b, c)), axis=0),
        np.stack((a, b, c, c)).sum(axis=0), eight.sum(axis=0), np.array([a, x[3]]),
        np.max(np.stack((a, b, c)), axis=0), np.array([a, b]).min(axis=0), np.sum([a, b], axis=0),
        pair.sum(axis=1), pair, np.max([a, b, c], axis=1), np.mean(np.array([a, b]), 0),
        np.stack((a, b)).max(axis=0, keepdims=True),
    )
"""
    assert_drawn(text, draw, runs=30, refused=12)


def test_arrays_that_do_not_fit() -> None:
    """What raises in NumPy raises the same."""

    def draw(rng: Generator) -> Sequence[Any]:
        x = rng.normal(size=int(rng.integers(3, 9)))
        return x, x[1:] if rng.random() < 0.5 else x

    text = """
(x, y)
    return np.median(np.stack((x, y)), axis=0), np.max([x, x * 2], axis=0)
"""
    assert_drawn(text, draw, refused=9)
