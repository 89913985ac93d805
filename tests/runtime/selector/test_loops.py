"""When a native loop gives way: to Python, or to segments that have had no turn yet."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.runtime import planning, state
from jupyter_npcompile.runtime.background import BackgroundCompile
from jupyter_npcompile.runtime.frame import Frame
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.loop_state import LoopState
from jupyter_npcompile.runtime.selector.loops import ANY, LoopSelector, Turns
from jupyter_npcompile.runtime.selector.selector import Selector
from jupyter_npcompile.runtime.selector.thresholds import (
    ALWAYS,
    FAIR,
    FAR,
    FEWEST_TRIED,
    LONG_ITERATION,
    LOOPS,
    NARROW,
    TRIAL,
    TURNS,
)

RUNS = 1 + len(LOOPS.margins)

SIZE, FEWER, OTHER = (4, 12), (3, 12), (4, 13)


def selector(python: float) -> LoopSelector:
    made = LoopSelector()
    made.time(SIZE, python, python)
    return made


def test_short_iterations_need_three_runs() -> None:
    made = selector(1e-5)
    assert [made.loses(SIZE, 1.1e-5) for _ in range(RUNS)] == [False, False, True]
    assert made.has_lost(SIZE)
    assert not made.has_lost(FEWER)


def test_a_clear_loss_is_enough() -> None:
    made = selector(1e-5)
    assert made.loses(SIZE, 1.1 * LOOPS.margins[0] * 1e-5)


def test_each_size_has_times_of_its_own() -> None:
    """An iteration over larger arrays takes longer, whoever runs it."""
    made = selector(1e-5)
    made.time(SIZE, 1e-5, 1e-5)
    made.time(SIZE, 1e-5, 1e-5)
    assert made.is_measured(SIZE)
    assert not made.is_measured(OTHER)
    assert not any(made.loses(OTHER, 1.0) for _ in range(RUNS))
    made.time(OTHER, 0.5, 0.01)
    assert made.is_measured(OTHER)  # it is long
    made.ran(OTHER, 10, 0.1)
    assert (made.latest.python, made.latest.native, made.counts[OTHER]) == (0.5, 0.1, 10)


def test_a_device_has_the_first_turn_where_iterations_are_long() -> None:
    made = selector(10 * LONG_ITERATION)
    assert not made.gains_too_little(SIZE, 1e-9, 0.9 * LONG_ITERATION, ALWAYS)
    assert made.gains_too_little(SIZE, 1e-9, 10 * LONG_ITERATION, ALWAYS)
    assert made.has_lost(SIZE)
    assert made.has_turns(SIZE)
    # Six runs, or a few that took long, tell what it is worth.
    assert [made.gains(SIZE, 5 * LONG_ITERATION, 10) for _ in range(2)] == [False, True]
    assert not made.has_lost(SIZE)


def test_a_small_gain_is_not_enough_where_iterations_are_long() -> None:
    """Segments would fuse what is done to large arrays."""
    made = selector(10 * LONG_ITERATION)
    assert not made.gains_too_little(SIZE, 9 * LONG_ITERATION / NARROW, 10 * LONG_ITERATION, NARROW)
    assert not made.gains_too_little(SIZE, 9 * LONG_ITERATION, 0.9 * LONG_ITERATION, NARROW)
    assert not made.loses(SIZE, 9 * LONG_ITERATION / FAR)
    assert made.loses(SIZE, 11 * LONG_ITERATION / FAIR)
    assert made.has_lost(SIZE)
    assert made.has_lost(FEWER)  # a loop that goes on has fewer iterations left
    assert not made.has_lost(OTHER)


def test_what_gains_something_goes_first_and_so_pays_for_the_turns_of_segments() -> None:
    made = selector(10 * LONG_ITERATION)
    assert [made.loses(SIZE, 5 * LONG_ITERATION) for _ in range(TURNS + 1)] == [False] * TURNS + [
        True
    ]
    assert made.has_lost(SIZE)
    assert made.has_turns(SIZE)
    for _ in range(TURNS - 1):
        assert not made.gains(SIZE, 25 * LONG_ITERATION, 10)
    assert not made.gains(SIZE, 25 * LONG_ITERATION, 10)  # they are twice as fast
    assert made.has_lost(SIZE)


@pytest.mark.parametrize(("segments", "gains"), [(5.0, False), (9.0, True)])
def test_it_comes_back_where_segments_turn_out_to_be_slower(segments: float, gains: bool) -> None:
    made = selector(10 * LONG_ITERATION)
    assert made.loses(SIZE, 8 * LONG_ITERATION)
    for _ in range(TURNS - 1):
        assert not made.gains(
            FEWER, 200 * LONG_ITERATION, 10
        )  # they are checked, or are being compiled
    assert made.gains(SIZE, 10 * segments * LONG_ITERATION, 10) == gains
    assert made.has_lost(SIZE) != gains
    assert not made.gains(SIZE, 200 * LONG_ITERATION, 10)  # that was decided
    assert not made.loses(SIZE, 8 * LONG_ITERATION)


def test_an_iteration_may_be_unlike_the_first() -> None:
    """Python was timed with a short one: that shows as soon as it runs them all."""
    made = selector(10 * LONG_ITERATION)
    assert made.loses(SIZE, 8 * LONG_ITERATION)
    assert not made.gains(SIZE, 70 * FAR * LONG_ITERATION, 10)
    assert made.gains(SIZE, 90 * FAR * LONG_ITERATION, 10)
    assert not made.has_lost(SIZE)


@pytest.mark.parametrize(("native", "gains"), [(4.0, True), (7.0, False)])
def test_a_trial_says_little_of_a_run(native: float, gains: bool) -> None:
    """Later iterations may be shorter, or it was disturbed: native code has runs, which count."""
    made = selector(10 * LONG_ITERATION)
    assert made.falls_short(SIZE, 9 * LONG_ITERATION, FAR)
    assert made.has_lost(SIZE)
    assert [made.gains(SIZE, 60 * LONG_ITERATION, 10) for _ in range(TURNS)] == [False] * (
        TURNS - 1
    ) + [True]
    assert not made.has_lost(SIZE)
    assert not made.loses(SIZE, 20 * LONG_ITERATION)  # the first has to get its memory
    if not gains:
        assert not made.loses(SIZE, native * LONG_ITERATION)
    assert made.loses(SIZE, native * LONG_ITERATION) != gains
    assert made.has_lost(SIZE) != gains
    assert not made.gains(SIZE, 100.0, 10)  # that was decided


def test_a_trial_ends_where_python_is_faster() -> None:
    made = selector(0.1 * LONG_ITERATION)
    assert not made.falls_short(SIZE, 0.1 * LONG_ITERATION, FAR)
    assert made.falls_short(SIZE, 1.1 * LOOPS.margins[0] * 0.1 * LONG_ITERATION, FAR)
    assert made.has_lost(SIZE)


def test_a_trial_is_a_few_iterations_of_the_first_run_of_a_size() -> None:
    made = selector(TRIAL / 10)
    assert [made.trial(SIZE, count) for count in (100, 20, 19)] == [10, 10, 19]
    assert made.trial(OTHER, 100) == 100  # nobody knows what Python needs
    made.ran(SIZE, 10, 1e-5)
    assert made.trial(SIZE, 100) == 100
    assert selector(1.0).trial(SIZE, 100) == FEWEST_TRIED


def test_what_is_clearly_slower_than_python_has_no_run() -> None:
    made = selector(10 * LONG_ITERATION)
    assert made.falls_short(SIZE, 1.1 * FAIR * 10 * LONG_ITERATION, FAR)
    assert not any(made.gains(SIZE, 60 * LONG_ITERATION, 10) for _ in range(2 * TURNS))


def test_brief_iterations_are_timed_more_than_once() -> None:
    """The first one in Python was slow."""
    made = selector(2 * LONG_ITERATION)
    assert not made.is_measured(SIZE)
    made.time(SIZE, 0.5 * LONG_ITERATION, 0.1 * LONG_ITERATION)
    assert not made.is_measured(SIZE)
    made.time(SIZE, 0.6 * LONG_ITERATION, 0.1 * LONG_ITERATION)
    assert made.is_measured(SIZE)
    assert made.times[SIZE[1:]].python == 0.5 * LONG_ITERATION
    assert not made.falls_short(SIZE, 0.1 * LONG_ITERATION, FAR)
    assert not made.has_lost(SIZE)


def test_nobody_knows_how_long_python_takes() -> None:
    made = LoopSelector()
    assert not any(made.loses(SIZE, 1.0) for _ in range(RUNS))


def large(x: Any, steps: int) -> Any:
    seen = {0: steps}  # so that native code does not take all of the function
    y = x.copy()
    for _ in range(steps):
        y = np.sqrt(y * y + 1.0) * 0.5 + np.sort(x) * 0.25
    return y * seen[0]


def test_segments_take_over_where_a_native_loop_gains_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An iteration takes long, and its time is that of NumPy's functions."""
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")
    monkeypatch.setattr(LoopSelector, "gains_too_little", _gains_nothing)
    # Whatever is faster on this machine, compiled segments run, and not the code as written.
    monkeypatch.setattr(state.RegionState, "is_numpy", False)
    monkeypatch.setattr(Selector, "is_blind", lambda _selector: True)
    fast = jupyter_npcompile.compile(large)
    x = np.random.default_rng(0).random(2000)
    for _ in range(6):
        np.testing.assert_allclose(fast(x, 40), large(x, 40), rtol=1e-12)
        assert jupyter_npcompile.wait()
    handle = handle_of(fast)
    assert isinstance(handle, FunctionHandle)
    (form,) = handle.loops[0].forms
    assert handle.loops[0].gave_way
    report = jupyter_npcompile.last_report()
    assert report is not None
    assert all(region.tier != "native-loop" for region in report.regions)
    ((size, turns),) = form.selector.turns.items()
    assert turns.runs
    # As if native code took no time at all, before it runs and then.
    monkeypatch.setattr(LoopSelector, "loses", lambda *_arguments: False)
    form.selector.turns[size] = Turns(0.0, 1.0, True, runs=turns.runs[: TURNS - 1])
    for _ in range(TURNS):
        np.testing.assert_allclose(fast(x, 40), large(x, 40), rtol=1e-12)
    assert form.iterations
    assert not handle.loops[0].gave_way


@pytest.mark.parametrize("python", [2.0, 0.5])
def test_where_nothing_compiled_is_faster_native_code_runs_at_once(python: float) -> None:
    """Segments that NumPy runs are not waited for."""
    made = selector(python)
    while not made.loses(SIZE, 1.0, factor=FAR):
        pass
    assert made.has_turns(SIZE)
    assert made.end_turns(SIZE) == (python > 1.0) != made.has_lost(SIZE)
    assert not made.has_turns(SIZE)


def large_while(x: Any, steps: int) -> Any:
    seen = {0: steps}  # so that native code does not take all of the function
    y, k = x.copy(), 0
    while k < steps:
        y = np.sqrt(y * y + 1.0) * 0.5 + np.sort(x) * 0.25
        k += 1
    return y * seen[0]


def test_a_while_loop_comes_back_from_the_turn_of_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows beforehand how often it goes round: as often as the last time."""
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")
    monkeypatch.setattr(state.RegionState, "is_numpy", False)
    monkeypatch.setattr(state.RegionState, "is_awaited", False)
    monkeypatch.setattr(Selector, "is_blind", lambda _selector: True)
    monkeypatch.setattr(BackgroundCompile, "submit", lambda compile: compile.ticket.cancel())
    fast = jupyter_npcompile.compile(large_while)
    x = np.random.default_rng(0).random(2000)
    for _ in range(6):
        np.testing.assert_allclose(fast(x, 40), large_while(x, 40), rtol=1e-12)
        assert jupyter_npcompile.wait()
    handle = handle_of(fast)
    assert isinstance(handle, FunctionHandle)
    (form,) = handle.loops[0].forms
    assert form.iterations
    (size,) = form.selector.counts
    assert form.selector.counts[size] >= 30
    # As if native code took hardly any time, and yet had to give way: a busy machine says nothing.
    form.selector.times[size[1:]].python = float("inf")
    form.selector.lost.clear()
    form.selector.lost.add((ANY, *size[1:]))
    form.selector.turns[size[1:]] = Turns(1e-9, 1.0, True)
    before = form.iterations
    for _ in range(2 * TURNS):
        np.testing.assert_allclose(fast(x, 40), large_while(x, 40), rtol=1e-12)
    assert not form.selector.has_lost(size)
    assert form.iterations > before


@pytest.mark.parametrize("is_for_device", [False, True])
@pytest.mark.parametrize(("native", "is_awaited"), [(1.0, True), (1.0, False), (3.0, True)])
def test_native_code_runs_until_segments_are_there(
    native: float, *, is_awaited: bool, is_for_device: bool
) -> None:
    made = selector(2.0)
    made.lost.add((ANY, *SIZE[1:]))
    made.turns[SIZE[1:]] = Turns(native, 2.0)

    class Around:
        def is_numpy(self, loop: int) -> bool:
            return False

        def is_awaited(self, loop: int) -> bool:
            return is_awaited

        def hopes_for_device(self, loop: int) -> bool:
            return is_for_device

    loop: Any = SimpleNamespace(loop=SimpleNamespace(id=0))
    frame: Any = Around()
    around: Any = SimpleNamespace(selector=made)
    goes = LoopState._goes_first(loop, frame, around, SIZE)
    assert goes == (is_awaited and native < 2.0 and not is_for_device)
    made.turns[SIZE[1:]].is_over = True
    assert not LoopState._goes_first(loop, frame, around, SIZE)


def _gains_nothing(
    made: LoopSelector, size: tuple[int, ...], *times: float, is_run: bool = False
) -> bool:
    if size[1:] in made.turns:
        return False
    made.lost.add((ANY, *size[1:]))
    made.turns[size[1:]] = Turns(1.0, 1.0, True)
    return True


def scan(x: Any, steps: int) -> Any:
    seen = {0: steps}  # so that native code does not take all of the function
    y = x.copy()
    for k in range(1, steps):
        y[k] = 0.5 * y[k - 1] + x[k]
    return y * seen[0]


def test_a_first_call_that_took_long_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Native code is checked in a later call: each has an allowance of its own."""
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")
    real = planning.dry_run
    cost = [1e9]  # more than any allowance, also that of `conftest`

    def slow(region: state.RegionState, *args: Any, **kwargs: Any) -> Any:
        found = real(region, *args, **kwargs)
        region.rest.allowance.spent += cost.pop() if cost else 0.0
        return found

    monkeypatch.setattr(planning, "dry_run", slow)
    fast = jupyter_npcompile.compile(scan)
    x = np.random.default_rng(0).random(20_000)
    for _ in range(6):
        np.testing.assert_allclose(fast(x, x.size), scan(x, x.size), rtol=1e-12)
        assert jupyter_npcompile.wait()
    handle = handle_of(fast)
    assert isinstance(handle, FunctionHandle)
    assert handle.loops[0].forms[0].iterations


def sums(x: Any) -> Any:
    total, seen = 0.0, []
    for k in range(len(x)):
        total = 0.5 * total + x[k]
    for k, value in enumerate(x, 3):
        total = 0.5 * total + k * value
    for a, b in zip(x, x[::-1], strict=True):
        total = 0.5 * total + a * b
    for row in x.reshape(-1, 2):
        total = 0.5 * total + row[0] - row[1]
    k = 0
    while k < len(x):
        total = 0.5 * total + x[k]
        k += 1
    seen.append({total})  # so that native code does not take all of the function
    return total, k, a, b, row


@pytest.mark.parametrize("compiling", [False, True])
def test_python_goes_on_after_a_trial_that_fell_short(
    monkeypatch: pytest.MonkeyPatch, compiling: bool
) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")
    fallen = []

    def falls_short(_made: LoopSelector, size: tuple[int, ...], *_times: float) -> bool:
        fallen.append(size)
        return True

    monkeypatch.setattr(LoopSelector, "trial", lambda *_arguments: 5)
    monkeypatch.setattr(LoopSelector, "falls_short", falls_short)
    # So that a loop without guards would come back for a look.
    monkeypatch.setattr(Frame, "_has_hope", lambda *_arguments: compiling)
    fast = jupyter_npcompile.compile(sums)
    for seed in range(4):
        x = np.random.default_rng(seed).random(3000)
        for one, other in zip(fast(x), sums(x), strict=True):
            np.testing.assert_array_equal(one, other)
        assert jupyter_npcompile.wait()
    assert len(fallen) >= 5
