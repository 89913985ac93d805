"""What a boolean mask selects: computed in place, and cut out at the end."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as budget

import jupyter_npcompile
from tests.support.compiling.batches import Batches
from tests.support.compiling.segment_batches import compiled_together


def chain(x: Any, mask: Any) -> Any:
    y = x[mask] * 2
    y += 1
    return y, y - x[mask], np.sqrt(np.abs(y)), y > 3


def store(x: Any, mask: Any) -> Any:
    x[mask] += 1
    x[mask] = x[mask] * 2
    return x


def elsewhere(x: Any, mask: Any) -> Any:
    z = np.zeros_like(x)
    z[mask] = x[mask]
    z[~mask] = -1
    return z


def sums(x: Any, mask: Any) -> Any:
    y = x[mask]
    return y.sum(), np.prod(y), y.any(), np.all(y), np.count_nonzero(y)


def extremes(x: Any, mask: Any) -> Any:
    return x[mask].max(), np.min(x[mask])


def moments(x: Any, mask: Any) -> Any:
    y = x[mask]
    return y.mean(), np.var(y), y.std(ddof=1), np.abs(y - y.mean()).max()


def rounded(x: Any, mask: Any) -> Any:
    return np.round(x[mask], 1), np.clip(x[mask], -1, 2), np.where(x[mask] > 1, x[mask], 0)


def quotients(x: Any, mask: Any) -> Any:
    y = x[mask & (x != 0)]
    return 1 / y, 7 // y, y.astype(np.float32)


def masked_twice(x: Any, mask: Any) -> Any:
    kept = mask.copy()
    first = x[kept]
    kept[:] = False
    return first, x[kept].sum(), first + first


def rows(x: Any, mask: Any) -> Any:
    some = mask.reshape(len(x), -1).any(axis=1)
    return x[some], x[some].sum(axis=0), x[some] * 2


def strided(x: Any, mask: Any) -> Any:
    return x[::-1][mask], x.T[mask.T], x[..., None][mask]


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    *(chain, store, elsewhere, sums, extremes, moments, rounded, quotients, masked_twice),
    *(rows, strided),
)

dtypes = st.sampled_from(["float64", "float32", "int64", "int8", "uint8", "complex128", "bool"])
shapes = hnp.array_shapes(min_dims=1, max_dims=2, max_side=5)


def outcome(function: Callable[..., Any], x: Any, mask: Any) -> Any:
    """What a function gives, raises, warns of, and leaves in its argument."""
    own = x.copy()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(own, mask)
        except (ValueError, TypeError, ArithmeticError, IndexError) as error:
            result = repr(error)
    return result, own, [str(warning.message) for warning in caught]


def same(native: Any, compiled: Any) -> None:
    assert type(native) is type(compiled)
    if isinstance(native, tuple | list):
        assert len(native) == len(compiled)
        for pair in zip(native, compiled, strict=True):
            same(*pair)
    elif isinstance(native, np.ndarray | np.generic):
        assert native.dtype == compiled.dtype
        assert native.shape == compiled.shape
        assert native.strides == compiled.strides
        if isinstance(native, np.ndarray) and isinstance(compiled, np.ndarray):
            assert native.flags.owndata == compiled.flags.owndata
        exact = native.dtype.kind not in "fc"
        tolerance = 0 if exact else 64 * float(np.finfo(native.dtype).eps)
        np.testing.assert_allclose(compiled, native, rtol=tolerance, atol=tolerance)
    else:
        assert native == compiled


@budget(max_examples=150)
@given(st.data(), st.sampled_from(FUNCTIONS), dtypes, shapes)
def test_two_masks(data: Any, function: Callable[..., Any], dtype: str, shape: Any) -> None:
    numbers = hnp.arrays(np.int8, shape, elements=st.integers(-9, 9))
    masks = hnp.arrays(bool, shape)
    settings = jupyter_npcompile.settings
    before = settings.tier, settings.first_run_check
    settings.tier, settings.first_run_check = "aten", "raise"
    try:
        compiled = jupyter_npcompile.compile(function)
        for _ in range(3):
            x = np.asarray(data.draw(numbers)).astype(dtype)
            mask = data.draw(masks)
            same(outcome(function, x, mask), outcome(compiled, x, mask))
    finally:
        settings.tier, settings.first_run_check = before


@pytest.mark.parametrize("function", FUNCTIONS[:9], ids=lambda f: f.__name__)
def test_one_graph_for_all_masks(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "aten")
    compiled = jupyter_npcompile.compile(function)
    rng = np.random.default_rng(1)
    before = jupyter_npcompile.stats()
    for _ in range(4):
        compiled(rng.normal(size=20), rng.random(20) > 0.5)
    after = jupyter_npcompile.stats()
    assert after["recordings"] - before["recordings"] == 1
    assert after["dispatches"] - before["dispatches"] == 4


@pytest.mark.parametrize(
    "function",
    [
        lambda x: len(x[x > 0]),
        lambda x: x[x > 0].size + 1,
        lambda x: np.zeros_like(x[x > 0]),
        lambda x: np.zeros(x[x > 0].shape),
        lambda x: [float(v) for v in x[x > 0]],
        lambda x: x[x > 0] + np.arange(3.0),
        lambda x: x[x > 0] + x[x < 0][:1],
        lambda x: np.sort(x[x > 0]),
        lambda x: x[x > 0][1],
    ],
)
def test_sizes_are_never_assumed(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "aten")
    compiled = jupyter_npcompile.compile(function)
    for x in ([1.0, -2.0, 3.0, 4.0], [1.0, 2.0, 5.0, -4.0], [1.0, 2.0, 3.0, 4.0], [1.0, -1.0]):
        array = np.array(x)
        native, found = (
            outcome(f, array, None) for f in (lambda x, _: function(x), lambda x, _: compiled(x))
        )
        same(native, found)


def drawn(rng: np.random.Generator) -> tuple[Any, Any]:
    """An array and a mask."""
    return rng.normal(size=(7, 7)), rng.random((7, 7)) > 0.5


@pytest.fixture(scope="module")
def batches() -> Batches[Callable[..., Any]]:
    """The functions, which are compiled at once."""

    def ask(function: Callable[..., Any]) -> None:
        outcome(jupyter_npcompile.compile(function), *drawn(np.random.default_rng(1)))

    return Batches(FUNCTIONS, compiled_together, ask)


@pytest.mark.slow
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_kernels(
    function: Callable[..., Any],
    batches: Batches[Callable[..., Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "inductor")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "raise")
    batches.need(function)
    compiled = jupyter_npcompile.compile(function)
    rng = np.random.default_rng(1)
    for _ in range(3):
        x, mask = drawn(rng)
        same(outcome(function, x, mask), outcome(compiled, x, mask))
