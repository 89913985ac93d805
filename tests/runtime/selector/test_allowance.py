"""Recording and checking hold up a run only so long."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import dry_run, footprint, planning
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.reporting import POSTPONED
from jupyter_npcompile.runtime.selector import allowance as allowances
from jupyter_npcompile.runtime.selector import thresholds
from jupyter_npcompile.runtime.selector.allowance import Allowance, share
from jupyter_npcompile.runtime.selector.thresholds import (
    AT_ONCE,
    LATER,
    ONCE,
    PATIENT,
    RECORDING,
    SHARE,
)
from jupyter_npcompile.runtime.state import RegionState
from jupyter_npcompile.runtime.whole_function import LONGEST, WholeFunction
from jupyter_npcompile.runtime.worker import Compiler
from jupyter_npcompile.tracer.evaluation import evaluate
from jupyter_npcompile.tracer.recorder import MAX_STEPS, Recorder
from jupyter_npcompile.tracer.sources import ComputedSource
from tests.support.loops.native_loops import define


@pytest.fixture(autouse=True)
def _allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    """The true one, in the place of that in `conftest`; recordings need not be earned."""
    monkeypatch.setattr(thresholds, "EARNED", -1e6)


def test_it_grows_with_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(allowances, "perf_counter", lambda: now[0])
    allowance = Allowance()
    allowance.begin(1)
    assert allowance.left == pytest.approx(AT_ONCE)
    now[0] += 10.0
    assert allowance.left == pytest.approx(AT_ONCE + 10 * SHARE)
    now[0] += 1.0
    allowance.spent += 1.0  # our own time does not count as the user's
    assert allowance.left == pytest.approx(AT_ONCE + 10 * SHARE - 1.0)


def test_later_runs_are_more_patient() -> None:
    allowance = Allowance()
    found = []
    for run in range(1, PATIENT + 2):
        allowance.begin(run)
        found.append(allowance.left)
    assert found[0] < 2 * AT_ONCE
    assert LATER * AT_ONCE <= found[1] < 2 * LATER * AT_ONCE


def test_a_recording_may_take_longer_and_no_run_has_more_for_coming_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However much time has gone by: a cell that runs again is held up no longer than others."""
    now = [100.0]
    monkeypatch.setattr(allowances, "perf_counter", lambda: now[0])
    allowance = Allowance()
    for run in range(1, PATIENT + 2):
        allowance.begin(run)
        assert allowance.left_to_record == (AT_ONCE if run == 1 else RECORDING * AT_ONCE)
        now[0] += 100.0
    allowance.begin(PATIENT + 2)
    assert allowance.left == LATER * AT_ONCE
    allowance.meets_news()
    assert allowance.left == allowance.left_to_record == AT_ONCE


def test_what_is_done_once_may_take_what_all_runs_have_earned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A whole function is checked when it has been in use for a while, however brief its calls."""
    now = [100.0]
    monkeypatch.setattr(allowances, "perf_counter", lambda: now[0])
    allowance = Allowance()
    for run in range(1, 100):
        allowance.begin(run)
        now[0] += 0.01
    assert allowance.left < LONGEST < allowance.left_in_all
    allowance.spent += 1.0
    assert allowance.left_in_all < 0


def straight(x: Any) -> Any:
    y = np.maximum(x[1:], x[:-1]) * 2.0
    return (y + np.abs(y)) / (1.0 + y * y)


@pytest.mark.usefixtures("_nothing_gets_compiled")
def test_a_function_without_loops_is_tried_whole_however_brief_its_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(allowances, "perf_counter", lambda: now[0])
    fast = npc.compile(straight)
    x = np.linspace(-1.0, 1.0, 3000)
    handle = handle_of(fast)
    assert isinstance(handle, FunctionHandle)
    assert handle.whole is not None
    fast(x)
    handle.rest.allowance.spent = 0.0  # it is real time, as is what passes between calls
    monkeypatch.setattr(WholeFunction, "_length", 1e-4)
    assert handle.whole._is_brief()  # a call more is no pain
    handle.rest.allowance.spent += 1.0
    assert not handle.whole._is_brief()
    for _ in range(100):
        fast(x)
        now[0] += 0.1  # what was spent is real time, of which a busy machine takes more
    assert handle.whole._is_brief()


def test_many_brief_calls_have_not_become_worth_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that calls itself runs more often than that in a millisecond."""
    now = [100.0]
    monkeypatch.setattr(allowances, "perf_counter", lambda: now[0])
    allowance = Allowance()
    for run in range(1, 1000):
        allowance.begin(run)
        now[0] += 1e-6
    allowance.spent += LATER * AT_ONCE
    allowance.begin(1000)
    assert allowance.left < 1e-3
    now[0] += 10.0
    assert allowance.left == pytest.approx(LATER * SHARE * 10.0, rel=0.1)


def test_functions_share_what_their_cell_has() -> None:
    cell, one, other = Allowance(), Allowance(), Allowance()
    cell.begin(1)
    around = share(cell)
    try:
        for allowance in (one, other):
            for run in range(1, 100):
                allowance.begin(run)
        assert 0 < other.left < 2 * AT_ONCE
        one.spent += AT_ONCE
        assert cell.left < AT_ONCE
        one.begin(100)
        one.spent += 2 * AT_ONCE
        assert other.left < 0
        assert cell.left < 0
    finally:
        assert share(around) is cell
    one.begin(101)
    left = cell.left
    one.spent += 1.0
    assert cell.left >= left  # somebody else has called it
    cell.begin(2)
    assert cell.left > 0
    other.begin(100)
    assert other.left > 0  # and its own has grown


def test_a_function_that_calls_itself_does_not_hold_up_its_cell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each of many sums and tests was compared with all before it: seconds for 20 ms of work."""

    def climb(n: Any) -> Any:
        return n if n < 2 else climb(n - 1) + climb(n - 2)

    monkeypatch.setattr(npc.settings, "tier", "aten")
    compared = [0]
    real = ComputedSource.__eq__

    def counted(source: Any, other: Any) -> Any:
        compared[0] += 1
        return real(source, other)

    monkeypatch.setattr(ComputedSource, "__eq__", counted)
    fast = npc.compile(lambda x, n: x * climb(n))
    assert fast(np.ones(2), 12).tolist() == [144.0, 144.0]
    assert compared[0] < 20_000


def shift(u: Any) -> Any:
    u[1:] = u[:-1] * 0.5
    return u[0] + 1


@pytest.fixture
def _nothing_gets_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "auto")
    monkeypatch.setattr(Compiler, "submit", lambda *args, **kwargs: None)


@pytest.mark.usefixtures("_nothing_gets_compiled")
def test_large_arrays_are_not_copied_for_a_first_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(footprint, "CONSTANT", 10**12)  # memory is not what is short here
    large = np.ones(int(thresholds.COPIED * AT_ONCE))
    fast = npc.compile(shift)
    for run in range(PATIENT + 2):
        before = npc.stats()["recordings"]
        expected = large.copy()
        assert fast(large) == shift(expected)
        np.testing.assert_array_equal(large, expected)
        report = npc.last_report()
        assert report is not None
        line = next(line for line in report.lines if "u[1:]" in line.source)
        if not run:
            assert (line.status, line.reason) == ("host", POSTPONED[0])
    assert line.status == "compiled"
    assert npc.stats()["recordings"] == before


@pytest.mark.usefixtures("_nothing_gets_compiled")
def test_a_run_that_is_held_up_goes_on_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """After one recording that took long, the first run records nothing more."""
    real = planning.dry_run

    def slow(region: RegionState, *args: Any, **kwargs: Any) -> Any:
        found = real(region, *args, **kwargs)
        region.rest.allowance.spent += 1.0
        return found

    monkeypatch.setattr(planning, "dry_run", slow)

    def three(x: Any) -> Any:
        y = x + 1
        print(end="")
        y = y * 2
        print(end="")
        return y - 1

    fast = npc.compile(three)
    before = npc.stats()["recordings"]
    assert fast(np.ones(3)).tolist() == [3, 3, 3]
    assert npc.stats()["recordings"] == before + 1
    for _ in range(PATIENT + 1):  # one of them runs as it was written
        assert fast(np.ones(3)).tolist() == [3, 3, 3]
    assert npc.stats()["recordings"] == before + 3


@pytest.mark.usefixtures("_nothing_gets_compiled")
def test_where_there_is_no_time_a_region_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not at each of its statements."""
    steps: list[int] = []
    real = RegionState.step

    def counted(self: RegionState, start: int, *args: Any) -> Any:
        steps.append(start)
        return real(self, start, *args)

    def four(x: Any) -> Any:
        y = x + 1
        z = y * 2
        w = z - 1
        return w * y

    monkeypatch.setattr(RegionState, "step", counted)
    monkeypatch.setattr(RegionState, "_is_out_of_time", lambda self: True)
    fast = npc.compile(four)
    assert fast(np.ones(3)).tolist() == [6, 6, 6]
    report = npc.last_report()
    assert report is not None
    assert steps == [0]
    body = [line for line in report.lines if line.region is not None]
    assert [(line.status, line.reason) for line in body] == [("host", POSTPONED[0])] * 4


@pytest.mark.usefixtures("_nothing_gets_compiled")
@pytest.mark.parametrize("asked", range(1, 12))
def test_a_recording_ends_where_it_takes_too_long(
    monkeypatch: pytest.MonkeyPatch, asked: int
) -> None:
    """What it has computed is used; NumPy goes on; the next run records all of it."""
    left = [asked]

    def is_over(hurry: Any, useful: float, lost: float) -> bool:
        left[0] -= 1
        return left[0] < 0

    def chain(x: Any) -> Any:
        y = x * 2
        x[1] = 7.0
        z = np.gradient(y) + x
        return y + z

    monkeypatch.setattr(dry_run._Hurry, "is_over", is_over)
    fast = npc.compile(chain)
    for run in range(PATIENT + 3):
        x, expected = np.arange(5.0), np.arange(5.0)
        assert fast(x).tolist() == chain(expected).tolist()
        assert x.tolist() == expected.tolist()
        report = npc.last_report()
        assert report is not None
        assert not report.breaks
        body = [line for line in report.lines if line.region is not None]
        late = [line for line in body if line.reason == POSTPONED[0]]
        assert late or run
        assert all(line.status == "compiled" for line in body if line not in late)
        left[0] = 10**6
    assert not late


LONG = (
    "[float(text) for text in texts]",
    "sum([len(text) % 3 for text in texts])",
    "dict(zip(range(len(texts)), texts))",
)
"""Python's own work on many objects, and what it gives."""


@pytest.mark.usefixtures("_nothing_gets_compiled")
@pytest.mark.parametrize("work", LONG)
def test_long_work_of_python_is_not_followed_to_its_end(
    work: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [0]
    real = Recorder.step

    def counted(recorder: Recorder) -> None:
        steps[0] += 1
        real(recorder)

    monkeypatch.setattr(Recorder, "step", counted)
    monkeypatch.setattr(thresholds, "AT_ONCE", 1e9)  # the limits decide, and no clock
    text = f"def f(x, texts):\n    y = x * 2\n    found = {work}\n    return y.sum(), found\n"
    function = define(text)
    fast = npc.compile(function)
    x, texts = np.ones(3), ["1.5"] * 20_000
    for _ in range(PATIENT + 2):
        assert fast(x, texts) == function(x, texts)
    assert steps[0] < 2 * MAX_STEPS


@pytest.mark.usefixtures("_nothing_gets_compiled")
def test_a_long_loop_is_not_unrolled_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def total(x: Any, n: int) -> Any:
        found = 0.0
        for i in range(n):
            for j in range(n):
                found = found + x[i] * x[j]
        return found

    calls = [0]
    real = Recorder.record

    def counted(*args: Any, **kwargs: Any) -> Any:
        calls[0] += 1
        return real(*args, **kwargs)

    monkeypatch.setattr(Recorder, "record", counted)
    monkeypatch.setattr(thresholds, "AT_ONCE", 1e9)  # the limit decides, and no clock
    fast = npc.compile(lambda x: total(x, 100) + 1)
    assert fast(np.ones(100)) == 10001.0
    assert calls[0] < 500
    report = npc.last_report()
    assert report is not None
    assert "a loop was unrolled" in report.breaks[0].reason


def test_who_waits_has_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    monkeypatch.setattr(thresholds, "AT_ONCE", 0.0)
    monkeypatch.setattr(thresholds, "COPIED", 1e-3)
    fast = npc.compile(shift)
    before = npc.stats()["dispatches"]
    assert fast(np.ones(5)) == 2.0
    assert npc.stats()["dispatches"] > before


def test_what_is_written_is_copied_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The statements say what they write: the recording does not begin a second time."""
    monkeypatch.setattr(npc.settings, "tier", "aten")
    sorts: list[Any] = []

    def counted(hooks: Any, callee: Any, args: Any, kwargs: Any) -> Any:
        if callee is np.sort:
            sorts.append(callee)
        return evaluate(hooks, callee, args, kwargs)

    monkeypatch.setattr("jupyter_npcompile.tracer.numpy_calls.evaluate", counted)

    def arrange(x: Any) -> Any:
        y = np.sort(x)
        x[:2] = y[:2]
        x += 1
        return y

    fast = npc.compile(arrange)
    x = np.array([3.0, 1.0, 2.0])
    assert fast(x).tolist() == [1, 2, 3]
    assert x.tolist() == [2.0, 3.0, 3.0]
    assert len(sorts) == 1


def test_a_wrong_guess_about_nan_changes_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no time to look at a whole input, a replay finds what it holds."""
    monkeypatch.setattr(npc.settings, "tier", "aten")

    def chain(x: Any) -> Any:
        return np.sqrt(x) * 2 + x

    x = np.linspace(0, 1, 100_000)
    x[77] = np.nan
    expected = chain(x)
    fast = npc.compile(chain)
    with monkeypatch.context() as hurry:
        hurry.setattr("jupyter_npcompile.tracer.inputs.looks_finite", lambda *_: True)
        before = npc.stats()["fallbacks"]
        np.testing.assert_allclose(fast(x), expected, rtol=1e-14)
        assert npc.stats()["fallbacks"] > before
    before = npc.stats()["dispatches"]
    for _ in range(3):
        np.testing.assert_allclose(fast(x), expected, rtol=1e-14)
    assert npc.stats()["dispatches"] >= before + 2


def test_runs_save_together_for_what_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them is over before it has earned enough by itself."""
    clock = 0.0
    monkeypatch.setattr(allowances, "perf_counter", lambda: clock)
    allowance = Allowance()
    nbytes = int(0.2 * thresholds.COPIED)
    enough = []
    for run in range(1, 6):
        allowance.begin(run)
        assert not allowance.is_enough_for_copying(nbytes)
        enough.append(allowance.is_enough_for_copying_once(nbytes))
        clock += 0.3
    assert enough == [False, True, True, True, True]
    assert not allowance.is_enough_for_copying_once(int(1.01 * ONCE * thresholds.COPIED))
