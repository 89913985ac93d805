"""``descending=``, which sorting has since NumPy 2.5; not a number is last all the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc

if np.lib.NumpyVersion(np.__version__) < "2.5.0":
    pytest.skip("NumPy has no descending= here", allow_module_level=True)


def in_place(a: Any) -> Any:
    b = a.copy()
    b.sort(axis=0, descending=True)
    return b


FUNCTIONS: list[Callable[[Any], Any]] = [
    lambda a: np.sort(a, descending=True),
    lambda a: np.sort(a, axis=0, descending=True),
    lambda a: np.sort(a, axis=None, descending=True),
    lambda a: np.argsort(a, axis=0, stable=True, descending=True),
    lambda a: np.argsort(a, descending=True),
    lambda a: a.argsort(descending=True, stable=True),
    lambda a: np.sort(a, descending=False),
    in_place,
]


def drawn(dtype: str) -> Iterator[Any]:
    """Arrays with equal elements, the least and the largest, and special ones."""
    rng = np.random.default_rng(0)
    for n in (1, 2, 7, 50, 500):
        values = (rng.normal(size=(n, 4)) * 20).round(0)
        a = (np.abs(values) if dtype[0] == "u" else values).astype(dtype)
        if dtype[0] == "f":
            a[rng.random(a.shape) < 0.2] = np.nan
            a[rng.random(a.shape) < 0.2] = -0.0
        elif n > 2 and dtype != "?":
            a[0], a[1] = np.iinfo(dtype).min, np.iinfo(dtype).max
        yield a


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "i8", "u1", "u8", "?"])
@pytest.mark.parametrize("tier", ["aten", "auto"])
def test_the_order_is_numpy_s(tier: Any, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", tier)
    for function in FUNCTIONS:
        compiled = npc.compile(function)
        for array in drawn(dtype):
            for _ in range(2):
                expected, found = function(array.copy()), compiled(array.copy())
                np.testing.assert_array_equal(found, expected, strict=True)


def test_gradients_follow_the_elements() -> None:
    x = np.array([1.0, 4.0, 3.0, 2.0])

    def weighted(x: Any) -> Any:
        return np.sum(np.sort(x, descending=True) * np.arange(4.0))

    np.testing.assert_array_equal(npc.grad(weighted)(x), [3.0, 0.0, 1.0, 2.0])
