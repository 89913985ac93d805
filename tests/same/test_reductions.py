"""Reductions of many elements by compiled kernels: integers wrap, digits are kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from tests.support.compiling.batches import Batches
from tests.support.compiling.segment_batches import compiled_together

pytestmark = pytest.mark.slow

INTEGERS = str.split("int8 int16 int32 int64 uint8 uint16 uint32 uint64")


@pytest.fixture(autouse=True)
def forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "inductor")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "raise")


def integers(x: Any) -> Any:
    kind = x.dtype
    return (
        x.sum(dtype=kind),
        x.sum(axis=0, dtype=kind),
        x.sum(axis=1),
        x.prod(dtype=kind),
        np.prod(x, axis=1, dtype=kind),
        np.cumsum(x, axis=1, dtype=kind),
        np.cumprod(x, dtype=kind),
        np.add.reduce(x, axis=None, dtype=kind),
        x.max(),
        x.min(axis=1),
        x.mean(),
        np.bitwise_xor.reduce(x, axis=None),
        x.argmax(),
        np.ptp(x),
        np.count_nonzero(x),
        x.var(axis=0),
        np.dot(x, x.T),
        np.abs(x.astype(np.float32) * 2).sum(),
    )


def drawn(rng: np.random.Generator, dtype: str) -> Any:
    """Any numbers of a dtype."""
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, (7, 300), dtype=dtype, endpoint=True)


@pytest.fixture(scope="module")
def batches() -> Batches[str]:
    """What is compiled for each dtype, at once."""

    def ask(dtype: str) -> None:
        jupyter_npcompile.compile(integers)(drawn(np.random.default_rng(3), dtype))

    return Batches(INTEGERS, compiled_together, ask)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype: str, batches: Batches[str]) -> None:
    batches.need(dtype)
    rng = np.random.default_rng(3)
    compiled = jupyter_npcompile.compile(integers)
    for _ in range(2):
        x = drawn(rng, dtype)
        for got, wanted in zip(compiled(x), integers(x), strict=True):
            assert got.dtype == wanted.dtype
            if wanted.dtype.kind == "f":
                np.testing.assert_allclose(got, wanted, rtol=1e-6)
            else:
                np.testing.assert_array_equal(got, wanted)


def moments(x: Any) -> Any:
    return x.sum(), x.mean(), x.var(), x.std(axis=0), x.sum(axis=1)


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_single_precision_keeps_the_digits_of_numpy(dtype: str) -> None:
    x = np.full((2, 512 * 512), 0.1, dtype)
    x[0] = 1
    compiled = jupyter_npcompile.compile(moments)
    for _ in range(2):
        for got, wanted in zip(compiled(x), moments(x), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-6)
