"""Names that are a number at first and an array from the first iteration on, in native code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import assert_whole
from tests.support.loops.whole_functions import assert_drawn

pytestmark = pytest.mark.usefixtures("straight_functions")


def test_sums_of_arrays_that_begin_as_numbers() -> None:
    def draw(rng: np.random.Generator) -> Sequence[Any]:
        n = int(rng.integers(0, 6))
        return rng.normal(size=(n, 3)), rng.normal(size=3), n, float(rng.normal())

    text = """
(m, x, n, h)
    total, product = 0, 1.0
    for k in range(n):
        total = total + m[k] * k
        product = product * (x + k)
    first = second = 0
    for row in m:
        first = 0.9 * first + 0.1 * row
        inner = 0
        for k in range(1, n + 1):
            inner += row * k
            row[0] = h
        second = second + inner.sum() * x
    return total, product, first, second, m
"""
    assert_drawn(text, draw, refused=6)  # those without an iteration: numbers stay what they are


def test_what_is_a_number_or_an_array_has_neither_type() -> None:
    text = """
def f(m, n):
    t, found = 0, 0.0
    for i in range(n):
        if i: t = m[i] * 2
        else: t = 3
        t = 0.5
        found += t
    for i in range(n):
        m[i, 0] += found
    return m
"""
    assert_whole(text, np.eye(3), 3)


def test_a_name_that_is_deleted_is_not_bound() -> None:
    text = """
def f(m, n):
    t = 0
    for i in range(n):
        m[i, 0] = t
        if i == 1: del t
        if m[0, 0] > 99: t = 3
    return m, t
"""
    assert_whole(text, np.eye(3), 3)


def test_what_has_another_dtype_after_an_iteration() -> None:
    def draw(rng: np.random.Generator) -> Sequence[Any]:
        return rng.normal(size=4), int(rng.integers(0, 3)), int(rng.integers(0, 3))

    text = """
(m, n, k)
    w = m * 1.0
    for i in range(n):
        v = w if k else m
        w = (m > i) * 2
        for j in range(k):
            w = m * j
        v = v + w
    return w
"""
    assert_drawn(text, draw, refused=2)  # w has the other dtype
