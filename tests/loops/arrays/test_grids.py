"""What is made by square brackets, and arrays as tuples of indices, in native code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.support.loops.whole_functions import assert_drawn

pytestmark = pytest.mark.usefixtures("straight_functions")


def test_brackets_that_make_arrays() -> None:
    def draw(rng: np.random.Generator) -> Sequence[Any]:
        n = int(rng.integers(2, 7))
        return rng.normal(size=n), rng.normal(size=(n, 3)), n, float(rng.normal())

    text = """
(x, m, n, h)
    y, z = np.mgrid[-1.3 : h : n * 1j, :n]
    return (
        y, z, np.r_[0, x], np.r_[h, x[1:], 1:n], np.c_[x, x * 2], np.c_[m, x],
        np.mgrid[0:n:2], np.expand_dims(x, (0, 2)), np.expand_dims(m[:, ::2], -1),
    )
"""
    assert_drawn(text, draw)


def test_brackets_that_put_arrays_together() -> None:
    def draw(rng: np.random.Generator) -> Sequence[Any]:
        n = int(rng.integers(1, 7))
        x, k = rng.normal(size=n), rng.integers(-9, 9, n)
        return x, k, rng.normal(size=(n, 3)), rng.normal(size=(n, 2))[::-1], float(rng.normal())

    text = """
(x, k, m, turned, h)
    for row in range(1, len(m)):
        left = np.r_[np.inf, m[row - 1, :-1]]
        m[row] += np.minimum(left, np.r_[m[row - 1, 1:], -np.inf])
    return (
        m, np.r_[h, x, 3, -x], np.r_[k, 2], np.r_[k, 0.5], np.r_[x, k], np.r_[k, k[::-1]],
        np.c_[x, k], np.c_[np.ones(len(x)), x, m], np.c_[k, k], np.c_[m, m[:, 0] * 2.0], np.c_[x],
        np.r_[x > 0, True], np.r_[1, 2.5], np.r_[m, m], np.c_[turned, x], np.c_[x[0], h],
    )
"""
    assert_drawn(text, draw, refused=9)


def test_open_meshes_and_tuples_as_indices() -> None:
    def draw(rng: np.random.Generator) -> Sequence[Any]:
        n = int(rng.integers(2, 7))
        i, j = rng.integers(-n, n, int(rng.integers(0, 4))), rng.integers(0, 3, 2)
        return rng.normal(size=(n, 3)), i, j, int(rng.integers(0, 3)), rng.normal(size=n) > 0

    text = """
(m, i, j, k, mask)
    m[np.ix_(i, j)] += 1.0
    mesh, place, part = np.ix_(j, i), (k % 2, -1), (slice(1, None), k)
    m[place] *= 0.5
    m[part] = m[:, k][1:] + 2.0
    return m[np.ix_(i, j)], mesh, m.T[mesh], m[place], m[part], m[np.where(mask)], m
"""
    assert_drawn(text, draw, refused=7)
