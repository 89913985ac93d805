"""Replays are sound: what a recording assumed is checked, and a change is noticed."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime.check import DifferenceError
from jupyter_npcompile.runtime.functions import handle_of


@pytest.fixture(autouse=True)
def _forced(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    before = npc.stats()
    yield
    after = npc.stats()
    assert after["replaced"] == before["replaced"]
    assert after["fallbacks"] == before["fallbacks"]


FACTOR = 2.0
TABLE = np.arange(3.0)


def helper(x: Any) -> Any:
    return x * FACTOR + TABLE


@npc.compile
def outer(x: Any) -> Any:
    y = helper(x)
    return y + 1


def test_globals_of_helpers_are_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones(3)
    assert outer(x).tolist() == [3, 4, 5]
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert outer(x).tolist() == [6, 7, 8]
    monkeypatch.setitem(globals(), "TABLE", np.zeros(3))
    assert outer(x).tolist() == [6, 6, 6]
    TABLE[:] = 1
    monkeypatch.setitem(globals(), "FACTOR", np.float32(2))
    assert outer(x).tolist() == [4, 4, 4]


def test_rebinding_a_helper_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones(3)
    outer(x)
    monkeypatch.setitem(globals(), "helper", lambda x: x - 1)
    assert outer(x).tolist() == [1, 1, 1]


def test_changing_the_code_of_a_helper_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones(3)
    outer(x)
    monkeypatch.setattr(helper, "__code__", (lambda x: x - 1).__code__)
    assert outer(x).tolist() == [1, 1, 1]


def test_monkeypatching_numpy_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    @npc.compile
    def root(x: Any) -> Any:
        return np.sqrt(x) + 0

    assert root(np.full(2, 4.0)).tolist() == [2, 2]
    monkeypatch.setattr(np, "sqrt", lambda x: x * 10)
    assert root(np.full(2, 4.0)).tolist() == [40, 40]


def test_the_error_state_is_a_guard() -> None:
    @npc.compile
    def inverse(x: Any) -> Any:
        return 1 / x

    with np.errstate(divide="ignore"):
        assert inverse(np.zeros(1)).tolist() == [np.inf]
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        inverse(np.zeros(1))


def test_aliasing_arguments_are_told_apart() -> None:
    @npc.compile
    def add_to(a: Any, b: Any) -> Any:
        a += b
        return a + b

    x, y = np.ones(3), np.ones(3)
    assert add_to(x, y).tolist() == [3, 3, 3]
    z = np.ones(3)
    assert add_to(z, z).tolist() == [4, 4, 4]
    assert z.tolist() == [2, 2, 2]
    w = np.arange(4.0)
    expected = np.arange(4.0)
    result = add_to.__wrapped__(expected[1:], expected[:-1])  # type: ignore[attr-defined]
    assert add_to(w[1:], w[:-1]).tolist() == result.tolist()
    assert w.tolist() == expected.tolist()


@pytest.mark.parametrize(
    "other",
    [
        np.ones(3, np.float32),
        np.ones(4),
        np.ones(6)[::2],
        np.ones((3, 1)),
        np.asfortranarray(np.ones((2, 3))),
        np.ones(3, ">f8"),
        np.ma.masked_array([1.0, 2, 3], [0, 1, 0]),
        np.array([1, "a", None], dtype=object)[:1],
        np.ones(3, np.longdouble),
        2.0,
        True,
        np.float32(3),
    ],
    ids=repr,
)
def test_other_types_and_layouts_are_recorded_anew(other: Any) -> None:
    @npc.compile
    def double(x: Any) -> Any:
        return x + x

    double(np.ones(3))
    result, expected = double(other), other + other
    assert type(result) is type(expected)
    assert np.array_equal(result, expected)
    if isinstance(expected, np.ndarray):
        assert (result.dtype, result.strides) == (expected.dtype, expected.strides)


def test_read_only_arrays_stay_read_only() -> None:
    @npc.compile
    def bump(x: Any) -> Any:
        x += 1
        return x

    x = np.ones(3)
    bump(x)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        bump(x)
    assert x.tolist() == [2, 2, 2]


def test_closures_and_defaults_are_guarded() -> None:
    def make(k: float) -> Any:
        @npc.compile
        def scaled(x: Any, shift: float = 1.0) -> Any:
            return x * k + shift

        def change(value: float) -> None:
            nonlocal k
            k = value

        return scaled, change

    scaled, change = make(2.0)
    assert scaled(np.ones(2)).tolist() == [3, 3]
    change(4.0)
    assert scaled(np.ones(2)).tolist() == [5, 5]
    assert scaled(np.ones(2), 0).tolist() == [4, 4]


def test_views_are_views_of_the_callers_arrays() -> None:
    @npc.compile
    def parts(x: Any) -> Any:
        x[0] = 5
        return x[1:], x.T, x[::-1]

    x = np.arange(4.0)
    for view in parts(x):
        assert view.base is x
        assert not view.flags.owndata
    assert x[0] == 5


def test_new_arrays_own_their_memory_and_keep_their_order() -> None:
    @npc.compile
    def made(x: Any) -> Any:
        return x * 2, np.asfortranarray(x), (x.T + 1).copy(order="K"), x.sum(), x.reshape(-1)[:2]

    x = np.ones((2, 3))
    assert np.asfortranarray(x).flags.f_contiguous
    doubled, fortran, transposed, total, _ = made(x)
    assert doubled.base is None
    assert fortran.flags.f_contiguous
    assert transposed.strides == (x.T + 1).copy(order="K").strides
    assert type(total) is np.float64


def test_no_more_than_a_handful_of_signatures() -> None:
    @npc.compile
    def double(x: Any) -> Any:
        return x * 2

    for size in range(1, 20):
        assert double(np.ones(size)).sum() == 2 * size
    (state,) = handle_of(double).states  # type: ignore[union-attr]
    assert len(state.plans[0]) == 8
    assert "signatures" in state.closed[0]


def test_nothing_of_ours_keeps_arrays_alive() -> None:
    @npc.compile
    def selected(x: Any) -> Any:
        y = x * 2
        z = y[y > 1]
        return z.sum()

    x = np.ones(5)
    selected(x)
    selected(x)
    reference = weakref.ref(x)
    gc.disable()  # at once, not when the garbage collector runs
    try:
        del x
        assert reference() is None
    finally:
        gc.enable()


def test_a_difference_is_raised_or_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyter_npcompile.runtime import artifacts

    true_run = artifacts.Artifact.run

    def wrong(self: Any, values: Any) -> Any:
        results, written = true_run(self, values)
        return {id: value + 1 for id, value in results.items()}, written

    monkeypatch.setattr(artifacts.Artifact, "run", wrong)

    def double(x: Any) -> Any:
        y = x * 2
        return y

    with pytest.raises(DifferenceError, match=r"y: 3 of 3 values differ"):
        npc.compile(double)(np.ones(3))
    monkeypatch.setattr(npc.settings, "first_run_check", "replace")
    before = npc.stats()["replaced"]
    compiled = npc.compile(double)
    assert compiled(np.ones(3)).tolist() == [2, 2, 2]
    assert npc.stats()["replaced"] == before + 1
    report = npc.last_report()
    assert report is not None
    assert "NumPy's result was kept" in report.regions[0].note
    npc.stats()  # the fixture counts what was replaced here on purpose
    from jupyter_npcompile.runtime.stats import counters

    counters.replaced = before
