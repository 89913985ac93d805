"""Masks in native loops: what is taken, and where something is put."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, differences, outcome
from tests.support.loops.whole_functions import assert_drawn

TAKEN = """
def f(mask, a, b, c, d, e, values):
    a[mask] = values[: mask.sum()]
    every = a[::2][mask[::2]], c[::-1][mask[::-1]]
    return a[mask], b[mask], c[~mask], d[mask], e[mask], np.flatnonzero(mask), every
"""


def arguments(n: int, share: float, seed: int) -> list[Any]:
    """Arrays of elements of each size."""
    rng = np.random.default_rng((seed, n))
    made = rng.normal(size=(5, n))
    types = ("float64", "float32", "complex128", "int16", "uint8")
    with np.errstate(invalid="ignore"):
        arrays = [part.astype(kind) for part, kind in zip(made, types, strict=True)]
    return [rng.random(n) < share, *arrays, rng.normal(size=n)]


def test_masks_take_and_put_what_numpy_does() -> None:
    function = define(TAKEN)
    made, state = whole(function, arguments(9, 0.5, 0))
    assert not state.closed, state.closed
    for seed, n in enumerate([*range(40), 63, 64, 65, 127, 128, 129, 300, 1000]):
        for share in (0.0, 0.05, 0.5, 0.95, 1.0):
            one, other = arguments(n, share, seed), arguments(n, share, seed)
            assert not differences(outcome(function, one), outcome(made, other)), (n, share)
    (form,) = state.forms
    assert form.iterations > 200


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64", "int16", "bool"])
def test_masks_of_several_dimensions(dtype: str) -> None:
    def draw(rng: np.random.Generator) -> Sequence[Any]:
        shape = tuple(rng.integers(1, 12, 2))
        x = (rng.normal(size=shape) * 9).astype(dtype)
        c = (rng.normal(size=(3, *shape)) * 9).astype(dtype)
        likely = rng.choice([0.0, 0.3, 1.0])
        mask, deep = rng.random(shape) < likely, rng.random(c.shape) < likely
        return x, (c[:, ::-1] if rng.random() < 0.5 else c), mask, deep

    text = """
(x, c, mask, deep)
    old = x[mask]
    x[mask] = x[mask][::-1]
    c[deep] = c[deep] * c[deep]
    c[0][mask] = old
    return old, x, c, x.T[mask.T], c[:, 1:][deep[:, 1:]]
"""
    assert_drawn(text, draw, refused=6)
