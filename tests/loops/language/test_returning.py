"""Functions that return Python's number in one place, and NumPy's in another, in native code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.support.loops.whole_functions import apart, assert_drawn

Generator = np.random.Generator

TEXT = """
(x, k, table, limit)
    def clipped(v):
        if v < limit:
            return 0.0
        return v
    def found(a, b):
        if a == 0 or b == 0:
            return 0
        return table[a] + table[b]
    def sign(v):
        if v > limit:
            return 1
        if v < -1:
            return -1
        return v
    def both(v):
        if v > limit:
            return v, 1
        return 0.0, k
    total = acc = 0
    last = seen = np.zeros(len(x))
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = clipped(x[i]) * sign(x[i])
        a, b = both(x[i])
        total += a * b
        acc = found(acc & 7, i & 7) ^ table[i & 7]
        last = clipped(x[i])
        seen = found(i & 3, k & 3) | (acc & 1)
    return y, total, acc, last, seen, clipped(x[0]), found(k & 7, 3), both(x[-1])
"""


@pytest.mark.parametrize("dtype", ["int32", "uint8", "int64", "int16"])
def test_numbers_of_both(dtype: str) -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        x = apart(rng.normal(size=int(rng.integers(1, 40))))
        table = rng.integers(0, 9, 8).astype(dtype)
        return x, int(rng.integers(0, 9)), table, float(rng.choice([0.0, 9.0, -9.0]))

    assert_drawn(TEXT, draw, runs=30)


GROWING = """
(x, n)
    one = np.array([1], dtype="int32")
    for k in range(n):
        longer = np.zeros(len(one) + 1, dtype="int32")
        longer[1:] = one
        longer[:-1] += one
        one = longer
    return x + one.sum(), one
"""


def test_a_small_array_that_grows() -> None:
    """What it is kept in has another name than memory of so many dimensions."""

    def draw(rng: Generator) -> Sequence[Any]:
        return rng.normal(size=int(rng.integers(2, 9))), int(rng.integers(1, 6))

    assert_drawn(GROWING, draw)
