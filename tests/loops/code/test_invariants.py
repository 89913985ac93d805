"""What is the same for all rows, in native code: computed once, before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.support.loops.whole_functions import apart, assert_drawn, odd

pytestmark = pytest.mark.usefixtures("straight_functions")


def draw(rng: np.random.Generator) -> Sequence[Any]:
    columns, rows = int(rng.integers(1, 9)), int(rng.choice([0, 1, 2, 40]))
    x = odd(rng, rng.normal(size=(rows, columns)))
    v = odd(rng, rng.uniform(-0.2, 4.0, columns if rng.random() < 0.7 else 1))
    return x, apart(v) if rng.random() < 0.3 else v, float(rng.normal())


def test_rows() -> None:
    text = """
(x, v, h)
    y = (x - v) / np.sqrt(v * v + h * h)
    z = y * np.exp(-(v**2)) + 1 / (1 + v * v)
    total = (x / np.sqrt(v * v + 1)).sum(axis=0), np.sum(x * x * np.exp(-v))
    most = (x * np.cos(v)).sum(axis=1)
    return y, z, total, most, np.where(x > np.sqrt(v * v), x, 0)
"""
    assert_drawn(text, draw, runs=20, refused=8)


def test_rows_of_what_is_written() -> None:
    text = """
(x, v, h)
    x = np.concatenate([x, x[:, ::-1], np.ones((2, x.shape[1]))])
    x /= np.sqrt(1 + x[0] ** 2)
    x[1:] -= np.exp(-(x[1] ** 2))
    x[:] = x * np.exp(h * x[-1])
    for k in range(len(x)):
        x += np.sin(x[k])
    return x
"""
    assert_drawn(text, draw, runs=20, refused=8)


def test_statements_share_a_loop_with_a_row_of_one_element() -> None:
    """Compiled for a row of several: the row of one is broadcast in what they share, too."""
    text = """
(x, v, h)
    y = x - v
    z = y * v + h
    return y, z
"""
    assert_drawn(text, draw, runs=20, refused=5)
