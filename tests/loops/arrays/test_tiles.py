"""Rows of few elements beside one row for all, in native code: some rows are taken for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define
from tests.support.loops.whole_functions import apart, assert_drawn, odd

pytestmark = pytest.mark.usefixtures("straight_functions")


def draw(rng: np.random.Generator) -> Sequence[Any]:
    columns = int(rng.choice([1, 2, 3, 7, 10, 17, 48, 49]))
    rows = int(rng.choice([1, 5, 400, 1371, 4096, 30_000 // columns + 1]))
    x = odd(rng, rng.normal(size=(rows, columns)))
    row = odd(rng, rng.normal(size=columns))
    kind = rng.integers(6)
    x = x.T.copy().T if kind == 0 else apart(x) if kind == 1 else x
    row = apart(row) if kind == 2 else row[:1] if kind == 3 else row
    return x, row, rng.integers(-4, 5, columns), float(rng.normal())


BODIES = {
    "one statement": """
    return x - row, row * x, x > row, np.where(x > h, row, whole), x + whole
""",
    "statements together": """
    y = (x - row) * h
    z = np.exp(-y) + whole
    y += z
    return y, z
""",
    "in place": """
    x = x.copy()
    for k in range(3):
        x *= row
        x -= k
        x[:] = x + whole
    return x
""",
    "a row of itself": """
    x = x.copy()
    x -= x[0]
    x += x[-1]
    return x
""",
    "three dimensions": """
    deep = np.zeros((2, x.shape[0], x.shape[1]))
    deep += row
    deep *= whole - row
    deep[1] -= x
    return deep, deep - row
""",
    "a part of the rows": """
    y = x[1:] - row
    y[::2] += whole
    y[:, :2] *= row[:2]
    return y, x[:, 1:] * row[-1:]
""",
}


@pytest.mark.parametrize("name", BODIES)
def test_rows(name: str) -> None:
    assert_drawn(f"(x, row, whole, h)\n{BODIES[name]}", draw, runs=30, refused=8)


@pytest.mark.parametrize("shape", [(400_003, 3), (2, 700_001), (3, 50_021, 7)])
def test_threads_share_them(shape: tuple[int, ...]) -> None:
    """Rows that are taken for one, and a few long ones, of which each thread has a part."""
    text = "def f(x, row):\n    for k in range(1):\n        y = np.exp(-(x - row))\n    return y\n"
    rng = np.random.default_rng(0)
    x, row = rng.normal(size=shape), rng.normal(size=shape[-1])
    made, _ = whole(define(text), [x, row])
    assert np.allclose(made(x, row), np.exp(-(x - row)), rtol=1e-14)
