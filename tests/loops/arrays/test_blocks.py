"""Sums and extremes along several axes are NumPy's, bit by bit, for blocks of all sizes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.loops.fusion.test_fusing import is_same
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define

pytestmark = pytest.mark.usefixtures("straight_functions")

BLOCKS = """
def f(x, k):
    n, m = x.shape[0] // k, x.shape[1] // k
    for _ in range(1):
        blocks = x[: n * k, : m * k].reshape(n, k, m, k)
        means, sums = blocks.mean(axis=(1, 3)), blocks.sum(axis=(3, 1))
    most, least = blocks.max(axis=(1, 3)), blocks.min(axis=(-1, 1))
    return means, sums, most, least
"""


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_blocks_of_an_image(dtype: str) -> None:
    text = BLOCKS if dtype == "float64" else BLOCKS.replace("mean", "max")
    function = define(text)
    rng = np.random.default_rng(1)
    native, state = whole(function, [np.ones((12, 12), dtype), 2])
    assert not state.closed, state.closed
    for k in (1, 2, 3, 4, 5, 9):
        for shape in ((3 * k, 2 * k), (4 * k + 1, 9 * k + 1), (33, 65)):
            x = 5 * rng.normal(size=shape)
            x[rng.random(shape) < 0.2] = -0.0  # and no other zeros: extremes are in any order
            if k % 2:
                x.flat[0] = np.inf
            if dtype == "int64":
                x = np.round(np.nan_to_num(x, posinf=9.0))
            x = x.astype(dtype)
            assert is_same(function(x, k), native(x, k)), (k, shape)


def test_means_divide_as_numpy_does() -> None:
    text = "for _ in range(1): y = x.mean(axis=1)\n    return y, x.mean(axis=0)"
    function = define(f"def f(x):\n    {text}")
    native, state = whole(function, [np.ones((4, 5))])
    assert not state.closed, state.closed
    rng = np.random.default_rng(2)
    for n in (1, 2, 3, 4, 6, 8, 10, 16, 64):
        for scale in (1.0, 5e-324, 1e-310, 1e300):
            x = scale * np.round(9 * rng.normal(size=(n, n + 1)))
            with np.errstate(all="ignore"):
                assert is_same(function(x), native(x)), (n, scale)
