"""Arrays of no dimension: what `np.where` makes of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, differences, outcome
from tests.support.loops.whole_functions import assert_drawn

pytestmark = pytest.mark.usefixtures("straight_functions")

PERCEPTRON = """
(x, y, rate, k)
    w = np.zeros(x.shape[1] + 1)
    errors = []
    def predict(row):
        return np.where(row @ w[1:] + w[0] >= 0.0, 1, -1)
    for _ in range(3):
        wrong = 0
        for row, label in zip(x, y):
            update = rate * (label - predict(row))
            w[1:] += update * row
            w[0] += update
            wrong += int(update != 0.0)
        errors.append(wrong)
    return w, errors
"""

KINDS = """
(x, y, rate, k)
    a = np.where(rate > 0, 1, -1)
    b = np.where(rate > 0, 1.5, k)
    c = np.where(k > 3, x[0, 0], y[0])
    d = np.where(rate, k > 2, False)
    e = np.where(rate > 0, np.float32(2), 1)
    total = 0
    for i in range(len(y)):
        s = np.where(y[i] > 0, x[i, 0], 2)
        total = total + s * np.abs(s) - (-s)
        if s > 1:
            total += 1
    return a, b, c, d, e, a + 1, b * x, 2 - c, np.sqrt(b * b), float(a), int(c), total, s
"""


def draw(rng: np.random.Generator) -> Sequence[Any]:
    n = int(rng.integers(1, 9))
    y = rng.choice([-1, 1], n)
    return rng.normal(size=(n, 3)), y, float(rng.normal()), int(rng.integers(0, 7))


@pytest.mark.parametrize("text", [PERCEPTRON, KINDS])
def test_drawn(text: str) -> None:
    assert_drawn(text, draw, runs=30)


@pytest.mark.parametrize(
    "body",
    [
        "b = a\n    return a, b",
        "b = a\n    b += 1\n    return a, b",
        "a += 1\n    return a",
        "return [a, a]",
        "return a[()], a.shape, a.ndim, type(a).__name__",
        "return np.array([a, 2]), np.arange(9)[a]",
        "return max(a, 0), a.sum(), a.dtype",
    ],
)
def test_what_is_seen_of_them(body: str) -> None:
    head = "def f(k):\n    for once in range(1): last = once\n    a = np.where(k > 3, 4, k)\n"
    function = define(f"{head}    {body}\n")
    made, _ = whole(function, [5])
    for k in (5, 2, 3):
        assert not differences(outcome(function, [k]), outcome(made, [k]))
