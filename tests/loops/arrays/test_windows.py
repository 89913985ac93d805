"""Windows that slide over an array, in native code: read-only views, as NumPy has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, outcome
from tests.support.loops.whole_functions import apart, assert_drawn, odd

TEXT = """
(x, m, n, hop)
    rows = view(x, n)
    some = rows[::hop]
    squares = view(m, (2, 3))
    columns = view(m, 2, axis=0)
    x[0] = 5.0
    total = 0.0
    for k in range(len(some)):
        total += some[k, 0] * some[k][-1]
    return (
        total, some * np.hanning(n), some.sum(axis=1), rows.max(axis=1), rows.copy(),
        squares.sum(axis=(2, 3)), columns[:, 1].mean(axis=1), rows.T[0] + 1, x, np.std(rows),
        np.einsum("ijkl,kl->ij", squares, m[:2, :3]), view(m, (2,), axis=(-1,))[0] > 0,
        np.concatenate([rows, some]),
    )
"""


def draw(rng: np.random.Generator) -> Sequence[Any]:
    n = int(rng.integers(2, 6))
    x = odd(rng, rng.normal(size=n + int(rng.integers(0, 9))))
    x = apart(x) if rng.random() < 0.3 else x
    return x, odd(rng, rng.normal(size=(4, 5))), n, int(rng.integers(1, 4))


def test_windows() -> None:
    text = TEXT.replace("view(", "np.lib.stride_tricks.sliding_window_view(")
    assert_drawn(text, draw, refused=4)


@pytest.mark.parametrize(
    "body",
    [
        "w = view(x, n)\n    w[0, 0] = 1.0\n    return w",
        "return view(x, n)",
        "w = np.einsum('ij->ji', view(x, n))\n    w[0, 0] = 1.0\n    return w",
        "w = view(x, n).T\n    w[0, 0] = 1.0\n    return w",
        "return view(x, -n)",
        "return view(x, (n, n))",
    ],
)
def test_what_numpy_refuses(body: str) -> None:
    text = f"def f(x, n):\n    for once in range(1):\n        pass\n    {body}\n"
    function = define(text.replace("view(", "np.lib.stride_tricks.sliding_window_view("))
    made, _ = whole(function, [np.arange(9.0), 3])
    for n in (3, 10):
        expected, found = (outcome(f, [np.arange(9.0), n]) for f in (function, made))
        assert expected.error == found.error
        if expected.error is None:
            np.testing.assert_array_equal(expected.result, found.result)


EXTREMES = """
(x, m, n, hop)
    w = view(m, (2, n))
    some = w[::hop, ::hop]
    return (
        w.max(axis=(2, 3)), w.min(axis=(-2, -1)), w.min(axis=2), w.max(axis=(0, 1)),
        some.max(axis=(2, 3)), view(x, n).min(axis=1), view(x, n)[::hop].max(-1),
        view(m, n, axis=0).max(axis=2), view(m, n, axis=1).min(axis=-1), w[1].max(axis=(1, 2)),
        w.max(axis=(1, 2, 3)), (w + 1.0).min(axis=(2, 3)),
        view(k, n).max(axis=1), view(k, n).min(axis=-1),
    )
"""


@pytest.mark.parametrize("dtype", [np.int64, np.uint8])
def test_extremes_of_windows(dtype: type[np.generic]) -> None:
    def draw(rng: np.random.Generator) -> Sequence[Any]:
        n = int(rng.integers(1, 6))
        x, m = (
            odd(rng, rng.integers(-3, 4, shape) * 1.0)
            for shape in (n + int(rng.integers(0, 40)), (n + int(rng.integers(1, 9)), n + 20))
        )
        m = m if rng.random() < 0.7 else np.asfortranarray(m)
        return x, m, n, int(rng.integers(1, 4))

    text = EXTREMES.replace("k, n", "(x > 0).astype(kind) * kind(7), n")
    text = text.replace("kind", f"np.{dtype.__name__}")
    text = text.replace("view(", "np.lib.stride_tricks.sliding_window_view(")
    assert_drawn(text, draw, runs=40, refused=18)
