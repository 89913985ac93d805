"""Places in a grid, axis by axis, in native code: what only reads them needs no memory for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, differences, outcome
from tests.support.loops.whole_functions import assert_drawn, odd

pytestmark = pytest.mark.usefixtures("straight_functions")


def draw(rng: np.random.Generator) -> Sequence[Any]:
    n, m = (int(k) for k in rng.choice([0, 1, 2, 3, 9], 2))
    return odd(rng, rng.normal(size=n)), odd(rng, rng.normal(size=m)), n, m, float(rng.normal())


BODIES = {
    "a field": """
    X, Y = np.meshgrid(x, y)
    r = np.sqrt(X * X + Y * Y)
    f = np.where(r > h, r, X - Y)
    return f, r
""",
    "rows first": """
    X, Y = np.meshgrid(x, y, indexing="ij")
    f = X - h * Y
    g = f > 0
    return g, X, f
""",
    "counters": """
    i, j = np.indices((n, m))
    d = (i - h) ** 2 + (j - n) ** 2
    near = np.sqrt(d).astype(np.int64)
    return near, d.sum(), i.sum() if n > 2 else -1
""",
    "counters that are kept": """
    i, j = np.indices((n, m))
    d = i * 10 + j
    i += 1
    d -= i
    return d, i, j
""",
    "three axes": """
    i, j, k = np.indices((n, 2, m), dtype=np.float64)
    f = i * h + j
    g = f - k
    return g, f.shape
""",
    "ranges": """
    i, j = np.mgrid[:n, 2 : m + 2]
    f = i * j
    i, j = np.mgrid[1:n, -1:m]
    g = i - j
    h2 = g * h
    return f, g, h2
""",
    "columns and rows that a loop changes": """
    total = np.zeros((m, n))
    for step in range(3):
        X, Y = np.meshgrid(x, y)
        total += X * step
        total -= Y
        x[:] = x * 0.5
    return total, x
""",
    "tuples": """
    a, b = x * h, x + 1
    a, b = a + b, a - b
    c, d = b, a * 2
    return a, b, c, d
""",
    "a tuple between": """
    a = x * 2
    b, c = a - h, a * x
    a -= b
    a, c = c - a, a + c
    return a, b, c
""",
}


@pytest.mark.parametrize("name", BODIES)
def test_a_grid(name: str) -> None:
    # An array that NumPy cannot make, of a negative length, is refused.
    assert_drawn(f"(x, y, n, m, h)\n{BODIES[name]}", draw, refused=4)


def test_a_grid_needs_no_memory() -> None:
    text = (
        "def f(n, m, h):\n    for once in range(1):\n        pass\n"
        "    i, j = np.indices((n, m))\n"
        "    f = (i - h) ** 2 + j\n"
        "    return f\n"
    )
    function = define(text)
    made, state = whole(function, [9, 7, 0.5])
    assert not differences(outcome(function, [9, 7, 0.5]), outcome(made, [9, 7, 0.5]))
    (source,) = {form.code.source for form in state.forms if form.code is not None}
    # Two rows of counters, and what is made of them.
    assert "fresh<int64_t, 3>" not in source.partition("} else { // apart")[0]


def test_views_stay_views() -> None:
    text = (
        "def f(n):\n    for once in range(1):\n        pass\n"
        "    i, j = np.indices((n, n))\n    d = i - j\n    e = d * 2\n    return i, j, e\n"
    )
    function = define(text)
    made, _ = whole(function, [4])
    for call in (function, made):
        i, j, _ = call(4)
        assert i.base is j.base
        assert i.base.shape == (2, 4, 4)
