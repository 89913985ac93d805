"""Arrays that are joined, turned around, cut and rounded in native code: as NumPy has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.support.loops.whole_functions import apart, assert_drawn, odd

Generator = np.random.Generator


def test_arrays_that_are_put_together() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        n, k = (int(v) for v in rng.integers(1, 6, 2))
        x, y = apart(odd(rng, rng.normal(size=n))), rng.integers(0, 9, n)
        return x, y, odd(rng, rng.normal(size=(k, n))), rng.normal(size=(2, n)), rng.normal(size=k)

    text = """
(x, y, m, other, z)
    return (
        np.concatenate((m, other)), np.concatenate([m, m], axis=1), np.stack((x, y), axis=1),
        np.vstack([m, x]), np.hstack([x, y, [1.5]]), np.column_stack([m, z]),
    )
"""
    assert_drawn(text, draw, refused=4)


def test_what_is_added_where_indices_say() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        n = int(rng.integers(1, 50))
        index = rng.integers(-4, 4, n)
        return np.zeros(4), np.ones((4, 3)), index, rng.normal(size=n), rng.normal(size=(n, 3))

    text = """
(h, m, index, x, rows)
    counts = np.zeros(4, dtype=np.int64)
    np.add.at(h, index, x)
    np.add.at(m, index, rows)
    np.add.at(m, index, 0.5)
    np.add.at(counts, index, 1)
    return h, counts, np.argwhere(x > 0), np.argwhere(rows > 1), (rows > 0).any(axis=1)
"""
    assert_drawn(text, draw)


def test_arrays_that_are_turned_around() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        return rng.normal(size=(2, 3, 4)), rng.normal(size=(4, 5)), rng.integers(-4, 4, 6)

    text = """
(c, m, index)
    return (
        c.transpose(0, 2, 1), c.transpose((1, 0, 2)), np.transpose(c, (2, 0, 1)), m.transpose(),
        np.swapaxes(c, 0, -1), np.moveaxis(c, 0, 2), np.flip(m), np.flip(m, axis=1), c.T,
        np.take(m, index, axis=0), np.take(c, [1, 0], axis=2), np.take(m[0], index),
        np.diff(m), np.diff(c, axis=1), np.diff(m, n=2, axis=0), np.diff(index),
    )
"""
    assert_drawn(text, draw)


def test_matrices_and_numbers_that_are_rounded() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        m = odd(rng, rng.normal(size=(int(rng.integers(1, 6)), 4)) * 100)
        return m, m.astype("float32"), int(rng.integers(-3, 4)), int(rng.integers(1, 5))

    text = """
(m, single, k, n)
    return (
        np.eye(n), np.eye(3, n, k), np.eye(n, dtype=bool), np.identity(n), np.indices((n, 3)),
        np.triu(m), np.tril(m, k), np.triu(single, k=-1), np.round(m), m.round(2),
        np.round(single, 1), np.around(m, -1), np.round(m[0, 0], 1), np.radians(m),
        np.degrees(m), np.rad2deg(single), np.deg2rad(m),
    )
"""
    assert_drawn(text, draw, refused=4)


def test_arrays_that_are_split() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        n = int(rng.integers(1, 5))
        return (
            *(rng.normal(size=(2 * n, 6)), odd(rng, rng.normal(size=(6, 2 * n)))),
            *(rng.normal(size=3 * n), rng.normal(size=(2, 3, 4))),
        )

    text = """
(m, other, x, c)
    first, second, third = np.split(x, 3)
    first *= 2
    p, q = np.hsplit(other, 2)
    q += p
    return (
        x, second, third, other, np.split(m, 2), np.split(m, [1, 3], axis=1), np.vsplit(m, 2),
        np.array_split(x, 4), np.array_split(m, 4, axis=1), np.hsplit(x, 3), np.dsplit(c, 2),
        np.split(m + 1, (2, -1, 9))[1], np.array_split(x, [2]), np.dstack((m, m)),
        np.dstack([x, x]), np.dstack([c, c[:, :, :1]]),
    )
"""
    assert_drawn(text, draw)


def test_an_array_that_cannot_be_split_evenly() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        return (rng.normal(size=int(rng.integers(1, 9))),)

    assert_drawn("\n(x)\n    return np.split(x, 2)\n", draw, refused=9)
