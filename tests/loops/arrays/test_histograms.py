"""Histograms, and searches in what is in order, in native code: as NumPy counts and finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, differences, outcome
from tests.support.loops.whole_functions import apart, assert_drawn, odd

Generator = np.random.Generator


def _size(rng: Generator) -> int:
    return int(rng.choice([1, 2, 7, 63, 64, 65, 300, 3000, 70000]))


@pytest.mark.parametrize("dtype", ["int64"])
def test_bincount(dtype: str) -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        n = _size(rng)
        x = rng.integers(0, 2 if dtype == "bool" else rng.choice([1, 9, 200]), n).astype(dtype)
        return apart(x), rng.normal(size=n), rng.integers(0, 9, n), 12

    text = """
(x, w, v, n)
    return np.bincount(x), np.bincount(x, w), np.bincount(x, weights=v, minlength=n)
"""
    assert_drawn(text, draw)


def test_bincount_of_what_is_computed() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        n = _size(rng)
        most = int(rng.choice([2, 900, 5000, 70_000, 300_000]))
        x = rng.integers(0, most, n)
        if rng.random() < 0.5:
            x.sort()  # more bins all the time
        w = odd(rng, rng.normal(size=n))
        m = rng.integers(-1 if rng.random() < 0.1 else 0, 30, (n // 7 + 1, 7))
        return apart(x), w, m, rng.normal(size=m.shape), int(rng.choice([0, 2000]))

    text = """
(x, w, m, v, n)
    return (
        np.bincount(x, (w * 2 - 1)), np.bincount(x // 3, np.exp(-np.abs(w))), np.bincount(w > 0),
        np.bincount(m.ravel(), (v**2).ravel(), n), np.bincount((m * 2).ravel(), minlength=n),
        np.bincount(m.T.ravel() if n else m.ravel()), np.bincount(x[::-1], w[::-1]),
    )
"""
    assert_drawn(text, draw, refused=5)


@pytest.mark.parametrize(
    "body",
    [
        "np.bincount(x, w[1:])",
        "np.bincount(x - 1)",
        "np.bincount(x - 1, w)",
        "np.bincount(x, w[:1])",
    ],
)
def test_bincount_of_what_does_not_fit(body: str) -> None:
    text = f"def f(x, w):\n    for once in range(1):\n        pass\n    return {body}\n"
    function = define(text)
    made, _ = whole(function, [np.arange(4) + 1, np.ones(4)])
    for n in (4, 3000):
        given = [np.arange(n) % 7, np.ones(n)]
        assert not differences(outcome(function, given), outcome(made, given))


def test_rows_of_expressions() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        m = odd(rng, rng.normal(size=(int(rng.integers(1, 5)), 3)))
        return m, rng.normal(size=m.size)

    text = """
(m, w)
    row = (m * 2).ravel()
    row[0] = 7
    again = np.abs(m).ravel()
    again += (m - 1).ravel() * w
    return row, again, (m > 0).ravel().sum(), (-m).ravel() @ w, (m * m + m).ravel()[1:], m
"""
    assert_drawn(text, draw, refused=2)


def _edges(rng: Generator) -> Any:
    return np.sort(rng.normal(size=int(rng.integers(2, 40))).round(1))


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_histograms(dtype: str) -> None:

    def draw(rng: Generator) -> Sequence[Any]:
        n = _size(rng)
        x = (rng.normal(size=n) * rng.choice([1.0, 20.0])).round(int(rng.choice([0, 1, 12])))
        if rng.random() < 0.2:
            x[:] = x[0]
        x = x.astype(dtype)
        w = rng.normal(size=n).astype("float32" if dtype == "float32" else "float64")
        return x, w, rng.integers(-5, 5, n), int(rng.integers(1, 60)), -1.5, 2.25

    text = """
(x, w, v, n, low, high)
    return (
        np.histogram(x, n), np.histogram(x, bins=n, range=(low, high)), np.histogram(x, n, (0, 3)),
        np.histogram(x, n, weights=w), np.histogram(x, n, (-1, 40), weights=v),
        np.histogram(x, n, range=(-40, 40), density=True),
    )
"""
    assert_drawn(text, draw, refused=3)


def test_values_on_edges_and_beside_them() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        bins = int(rng.choice([1, 3, 10, 64]))
        low, high = sorted(rng.normal(size=2) * 10.0 ** rng.integers(-3, 9))
        edges = np.linspace(low, high, bins + 1)
        x = rng.choice(edges, 700)
        for _ in range(int(rng.integers(3))):
            x = np.nextafter(x, rng.choice([-np.inf, np.inf], x.size))
        if rng.random() < 0.5:
            x = np.where(rng.random(x.size) < 0.98, rng.uniform(low, high, x.size), x)
        y = odd(rng, rng.permutation(x))
        return x, y, rng.normal(size=x.size), bins, float(low), float(high)

    text = """
(x, y, w, n, low, high)
    return (
        np.histogram(x, n, (low, high)), np.histogram(x, n),
        np.histogram(x, n, (low, high), weights=w), np.histogram(y, n, (low, high)),
        np.histogram(x[::2], n),
        np.histogram2d(x, y, bins=n, range=[[low, high], [low, high]])[0],
    )
"""
    assert_drawn(text, draw, runs=40, refused=20)


def test_values_outside_and_edges_that_are_given() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        n = _size(rng)
        x = odd(rng, rng.normal(size=n).round(int(rng.choice([1, 12]))))
        return x, x.reshape(1, -1), rng.integers(-3, 4, n), _edges(rng), rng.choice([-1.0, 0.0])

    text = """
(x, m, i, edges, low)
    counts, same = np.histogram(x, edges)
    assert_ = np.histogram(i, bins=edges)[0], np.histogram(i, [-2, 0, 1, 1, 3])
    return counts, same, np.histogram(m, 9, range=(low, 1.0)), assert_
"""
    assert_drawn(text, draw, refused=6)


def test_histograms_of_two_axes() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        n = _size(rng)
        x, y = rng.normal(size=(2, n)).round(int(rng.choice([1, 12])))
        edges = np.concatenate([_edges(rng), [4.0, 5.0]])
        return apart(odd(rng, x)), y, rng.integers(0, 9, n), edges, int(rng.integers(1, 50)), x

    text = """
(x, y, w, edges, n, z)
    around = [[-1.0, 1.0], [-0.5, 2.5]]
    return (
        np.histogram2d(x, y, n, around), np.histogram2d(z, y, bins=(n, 7)),
        np.histogram2d(x, y, [edges, n], range=around), np.histogram2d(x, z, bins=edges),
        np.histogram2d(z, y, n, [[-9, 9], None], weights=w),
        np.histogram2d(z, y, 2, [[-9, 9], [-9.0, 9.0]], density=True),
    )
"""
    assert_drawn(text, draw, refused=4)


def test_histograms_of_two_axes_at_their_edges() -> None:
    def near(rng: Generator, n: int, low: float, high: float, bins: int) -> Any:
        edges = np.linspace(low, high, bins + 1)
        x = rng.choice(edges, n)
        towards = rng.choice([-np.inf, np.inf], n)
        x = np.where(rng.random(n) < 0.6, np.nextafter(x, towards), x)
        x[rng.random(n) < 0.1] = rng.choice([np.nan, np.inf, -np.inf, low - 1.0, high + 1.0])
        return x

    def draw(rng: Generator) -> Sequence[Any]:
        n, bins = _size(rng), int(rng.integers(1, 70))
        low = float(rng.choice([0.0, -1.0, 0.1, 1e6, 1e15, -3e-310]))
        high = low + float(rng.choice([1.0, 0.3, 1e-3, 7e9])) + abs(low) * 1e-14
        x, y = near(rng, n, low, high, bins), near(rng, n, 0.0, 1.0, 7)
        return x, odd(rng, y), bins, low, high, rng.integers(-2, 3, n), np.array([0.0, 0.25, 1.0])

    text = """
(x, y, n, low, high, w, edges)
    return (
        np.histogram2d(x, y, (n, 7), [[low, high], [0.0, 1.0]]),
        np.histogram2d(y, x, (7, n), [[0, 1], [low, high]], weights=w),
        np.histogram2d(y, w, (edges, 5), range=[None, [-1, 1]]),
    )
"""
    assert_drawn(text, draw, refused=8)


SEARCHES_OTHERWISE = np.lib.NumpyVersion(np.__version__) >= "2.5.0"
"""Whether NumPy finds other places in what is not sorted."""


@pytest.mark.parametrize(("dtype", "other"), [("int32", "float64")])
def test_searches(dtype: str, other: str) -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        a = (rng.normal(size=int(rng.choice([1, 2, 5, 40, 1000]))) * 9).round(1).astype(dtype)
        if rng.random() < 0.7 or SEARCHES_OTHERWISE:
            a = np.sort(a)  # or places are what NumPy happens to find
        keys = (rng.normal(size=_size(rng)) * 9).round(1).astype(other)
        keys = np.sort(keys) if rng.random() < 0.3 else keys
        bins = np.sort(a)[:: rng.choice([1, -1])]
        return a, odd(rng, keys), apart(keys[:2]), apart(bins), 0.5, 3

    text = """
(a, v, some, bins, x, n)
    return (
        np.searchsorted(a, v), np.searchsorted(a, v, side="right"), np.searchsorted(a, some),
        np.searchsorted(a, x), a.searchsorted(n, "right"), np.digitize(v, bins),
        np.digitize(v, bins, right=True), np.digitize(x, bins), np.digitize(some, bins, True),
    )
"""
    assert_drawn(text, draw, runs=20, refused=8)


def test_lines_between_points() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        n = int(rng.choice([1, 2, 3, 5, 40, 1000]))
        xp = np.sort(rng.normal(size=n).round(int(rng.choice([1, 12]))))
        fp = odd(rng, rng.normal(size=n)) if rng.random() < 0.5 else rng.normal(size=n)
        x = rng.normal(size=_size(rng)) if rng.random() < 0.5 else rng.choice(xp, 200)
        x = np.sort(x) if rng.random() < 0.5 else x
        return apart(odd(rng, x)), xp, fp, rng.integers(-9, 9, n), 0.25, x[:2], x.astype("float32")

    text = """
(x, xp, fp, ints, one, some, single)
    return (
        np.interp(x, xp, fp), np.interp(x, xp, ints, left=-7.0, right=8), np.interp(one, xp, fp),
        np.interp(some, xp, fp), np.interp(single, xp, fp, right=np.nan), np.interp(3, xp, fp),
    )
"""
    assert_drawn(text, draw, runs=20, refused=8)


def test_what_numpy_raises_and_warns_of() -> None:
    function = define("""
def f(x, i, edges, xp):
    for once in range(1):
        a = np.histogram(x, 3)[0].sum() + np.histogram(x, edges)[0].sum()
    return a, np.bincount(i), np.digitize(x, edges), np.interp(x, xp, xp)
""")
    x, i, edges = np.arange(4.0), np.arange(3), np.arange(3.0)
    made, state = whole(function, [x, i, edges, edges])
    for given in (
        [x, i, edges, edges],
        [np.array([0.0, np.nan]), i, edges, edges],
        [x, i, edges, edges],
        [np.array([0.0, np.inf]), i, edges, edges],
        [x, i - 1, edges, edges],
        [x, i, edges, edges],
        [x, i, np.array([0.0, 2.0, 1.0]), edges],
        [x, i, edges, np.empty(0)],
        [x, i, edges, edges],
        [x[:0], i, edges, edges],
        [x, i[:0], edges, edges],
        [x, i, edges, np.array([2.0, 1.0, 3.0])],
    ):
        pairs = [[v.copy() for v in given] for _ in range(2)]
        assert not differences(outcome(function, pairs[0]), outcome(made, pairs[1]))
    assert state.forms[0].iterations >= 3
