"""A store into all of an array is fused as one that says ``out=``."""

from __future__ import annotations

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import assert_whole, whole
from tests.support.loops.native_loops import define

pytestmark = pytest.mark.usefixtures("straight_functions")

TEXT = """
def f(x, y, row):
    a = x[1:-1, 1:-1].copy()
    b = y[1:-1, 1:-1]
    for i in range(3):
        {step}
    return a, x, y
"""

STEPS = [
    "a[{all}] = np.maximum(a, x[i : i + len(a), 1:-1])",
    "a[{all}] = a * 0.5 + b; a[{all}] += x[i : i + len(a), 1:-1]",
    "b[{all}] = b + a; a[{all}] = b - a",
    "a[{all}] = row; a[{all}] = a + b",
    "a[{all}] = 2; a[{all}] = a * b",
    "x[{all}] = x * 0.5 + y; a[{all}] = x[i : i + len(a), 1:-1]",
    "y[{all}] = y + y[::-1]; a[{all}] = a - b",
    "y[{all}] = y + y.T; a[{all}] = a - b",
    "np.add(a, b, out=a[{all}]); a[{all}] = np.where(a > 1.0, b, a)",
    "a[{all}] = a.astype(np.float32); b[{all}] = (a > b) + b",
]


@pytest.mark.parametrize("all_", [":", "...", ":, :", "..., :"])
@pytest.mark.parametrize("step", STEPS)
def test_results_are_numpy_s(step: str, all_: str) -> None:
    rng = np.random.default_rng(1)
    x, y, row = rng.normal(size=(7, 7)), rng.normal(size=(7, 7)), rng.normal(size=5)
    lines = step.format(all=all_).replace("; ", "\n        ")
    assert_whole(TEXT.format(step=lines), x, y, row)


@pytest.mark.parametrize("index", [":, :, :", "..., ..., :"])
def test_too_many_places_are_an_error(index: str) -> None:
    text = f"def f(x, y):\n    x[:] = x + y\n    x[{index}] = x * y\n    return x\n"
    state = whole(define(text), [np.ones((3, 3)), np.ones((3, 3))])[1]
    assert state.closed in ("line 3: two ellipses", "line 3: more indices than dimensions")
