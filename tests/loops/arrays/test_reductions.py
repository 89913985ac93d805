"""Reductions in native code: NumPy's results for every shape, layout and kind of number."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import Function, define, differences, outcome

FLOATS = """
def f(x, y):
    for i in range(1):
        column = x.min(axis=1, keepdims=True)
        total = (x - column).sum()
        most = (x - y[:, :1]).max()
        found = (x > y).any(), (x == x).all()
    return (
        total, most, found, x.sum(), np.where(x > 0.5, x * y, y).mean(),
        x.sum(axis=0), (x * y).sum(axis=1), x.max(axis=0), (x - y).max(axis=1, keepdims=True),
        x.argmax(axis=1), x.argmin(axis=1), x - column, np.abs(x[0]) @ np.abs(y[0]),
    )
"""


def drawn(rng: np.random.Generator, shape: tuple[int, ...], layout: str) -> Any:
    """Numbers with some that are equal, and here and there what is special."""
    n, m = shape
    wide = (n, m) if layout == "rows" else (n, 3 * m)
    x = np.round(rng.random(wide) + 0.05, rng.integers(1, 17))  # sums that lose no digits
    for special in (0.0, 1e300, np.nan, np.inf)[: rng.integers(0, 5)]:
        if x.size and (np.isfinite(special) or rng.integers(3) == 0):
            x.flat[rng.integers(x.size)] = special
    return x if layout == "rows" else x[:, ::3]


def same(function: Function, native: Function, given: list[Any]) -> None:
    """Python's call and the native one, each with arguments of its own."""
    wrong = differences(outcome(function, given), outcome(native, given))
    assert not wrong, (wrong, [getattr(v, "shape", v) for v in given])


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_floats(layout: str) -> None:
    rng = np.random.default_rng(len(layout))
    function = define(FLOATS)
    shape = (3, 5)
    native, state = whole(function, [drawn(rng, shape, layout) for _ in range(2)])
    assert not state.closed, state.closed
    sizes = (1, 2, 3, 7, 8, 9, 31, 32, 33, 64, 127, 128, 129, 136, 300, 1001)
    shapes = [(n, m) for n in (1, 3) for m in sizes] + [(40, 3), (130, 2), (0, 4), (4, 0)]
    for shape, other in itertools.product(shapes, ("rows", layout)):
        same(function, native, [drawn(rng, shape, other) for _ in range(2)])
    assert state.forms[0].iterations > len(shapes)


NARROW = """
def f(x, k, u, b):
    for i in range(1):
        total = (x * x).sum()
        whole = k.sum() + u.sum()
        range_ = (k * k).max() - k.min()
        truth = b.any() or (u > 200).all()
    return (
        total, whole, range_, truth, b.sum() + (k > 3).sum(), x.max(), x.sum(axis=0),
        x.sum(axis=1), u.sum(axis=1), b.max(axis=0), u.max(axis=1), u.argmax(axis=1),
        np.where(b, k, 7), np.where(k > 0, x, 0.5), np.clip(x, -0.5, 0.5), np.sign(x), np.sign(k),
    )
"""


def test_narrow_numbers() -> None:
    rng = np.random.default_rng(7)
    function = define(NARROW)

    def arguments(n: int, m: int) -> list[Any]:
        x = rng.normal(size=(n, m)).astype(np.float32)
        if rng.integers(3) == 0:
            x.flat[rng.integers(x.size)] = np.nan
        k = rng.integers(-9, 9, (n, m)).astype(np.int16)
        u = rng.integers(0, 256, (n, m)).astype(np.uint8)
        return [x, k, u, rng.random((n, m)) < rng.choice([0.0, 0.1, 0.5, 1.0])]

    native, state = whole(function, arguments(2, 3))
    assert not state.closed, state.closed
    for n, m in itertools.product((1, 2, 5), (1, 3, 8, 63, 64, 65, 128, 255, 257, 600)):
        same(function, native, arguments(n, m))
    assert state.forms[0].iterations > 10


def test_both_sides_of_a_choice_warn() -> None:
    function = define(
        """
def f(x):
    for i in range(2):
        y = np.where(x > 0.0, np.log(x), 0.0)
        z = np.where(x > 0.0, 1.0, 1.0 / x)
    return y, z
"""
    )
    native, state = whole(function, [np.arange(1.0, 9.0)])
    for start in (1.0, 2.0, 0.0, -20.5):
        same(function, native, [np.arange(start, 40.0)])
    assert state.forms[0].iterations


POINTS = """
def f(z, p, q, k):
    blocks = p.reshape(-1, 2, p.shape[1])
    return (
        z.sum(axis=1), z.sum(axis=0), ((p[:, None, :] - q) ** 2).sum(axis=2),
        (p[:, None] * q).sum(axis=1), (p[:, None] - q).max(axis=-1), blocks.mean(axis=(0, 2)),
        (p[:, None] - q).min(axis=0), k.sum(axis=1), k.max(axis=0), k.min(axis=1), p.T.sum(axis=0),
    )
"""


@pytest.mark.parametrize("dtype", ["int8", "bool", "float32"])
def test_rows_of_few_elements(dtype: str) -> None:
    rng = np.random.default_rng(3)
    function = define(POINTS)

    def arguments(n: int, m: int, width: int) -> list[Any]:
        z = rng.normal(size=(n, width)) + 1j * rng.normal(size=(n, width))
        p, q = np.round(rng.normal(size=(n, width)), 2), np.round(rng.normal(size=(m, width)), 2)
        p.flat[:: 2 * width + 1] = -0.0
        p.flat[5 :: 7 * width] = np.nan
        return [z, p, q, (100 * rng.normal(size=(n, width))).astype(dtype)]

    native, state = whole(function, arguments(4, 3, 3))
    assert not state.closed, state.closed
    for n, m, width in itertools.product((2, 4, 40), (1, 9), (1, 2, 3, 4, 9)):
        given = arguments(n, m, width)
        same(function, native, given)
        same(function, native, [np.asfortranarray(given[0]), *given[1:]])
        # Comparisons set flags for NaN on some processors, and NumPy runs.
        same(function, native, [given[0], np.nan_to_num(given[1]), *given[2:]])
        same(function, native, [given[0], given[1][:, ::-1], given[2][::-1], given[3]])
    assert state.forms[0].iterations > 20


SHORT = """
def f(a, x, places, image, kernel, i, j):
    part = image[i : i + kernel.shape[0], j : j + kernel.shape[1]]
    cube = image[:, None, :4] * kernel[0, 0] + image[0][:, None]
    return (
        a[i:j] @ x[places[i:j]], np.dot(a * 2, x[places] - 1), x[places] @ a, (a + a) @ a,
        a.astype(np.float32) @ (2 * a.astype(np.float32)), x[places[:0]] @ a[:0],
        np.sum(part * kernel), (part - 1).sum(), np.sum(np.abs(part.T)), cube.sum(),
        np.sum(image * image), np.sum((image > 0) * 1.5),
    )
"""


def test_short_products_and_windows() -> None:
    function = define(SHORT)

    def arguments(n: int, rows: int, columns: int) -> list[Any]:
        rng = np.random.default_rng((n, rows, columns))
        a, x = rng.normal(size=n), rng.normal(size=2 * n)[::2]
        image = rng.normal(size=(rows + 9, columns + 9))
        kernel = rng.normal(size=(rows, columns))
        i, j = sorted(int(k) for k in rng.integers(0, 9, 2))
        return [a, x, rng.integers(-n, n, n), image, kernel, i, j]

    native, state = whole(function, arguments(20, 3, 3))
    assert not state.closed, state.closed
    sizes = ((1, 1), (2, 7), (3, 3), (5, 5), (7, 7), (4, 8), (1, 30), (16, 16))
    for n, (rows, columns) in itertools.product((1, 5, 15, 16, 17, 300), sizes):
        same(function, native, arguments(n, rows, columns))
    assert state.forms[0].iterations > 30
    for wrong in (np.array([99]), np.arange(3)):
        given = arguments(1, 3, 3)
        given[2] = wrong
        same(function, native, given)
