"""NumPy and compiled code are timed in turns, and nothing of the user's changes by it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import contest as contests
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.namespace import ArgumentNamespace, FrameNamespace
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.policy import GUARDS_US, faster
from jupyter_npcompile.runtime.selector.race import Race, slower_side
from jupyter_npcompile.runtime.selector.thresholds import COLD, SEGMENTS, Rule
from jupyter_npcompile.runtime.state import RegionState


@pytest.fixture(autouse=True)
def _forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


def plan_of(function: Any, *args: Any) -> Plan:
    """The plan of a function that has one region, after a run."""
    made = npc.compile(function)
    made(*args)
    handle = handle_of(made)
    assert isinstance(handle, FunctionHandle)
    (plan,) = handle.states[0].plans[0]
    assert plan.state == "ready"
    return plan


def contest(plan: Plan, namespace: ArgumentNamespace, left: float = float("inf")) -> Race:
    """A contest that begins, and has so many seconds."""
    race = Race(SEGMENTS, (1e-6, 1e-6))
    contests.contest(plan, namespace, race, left)
    return race


def store(x: Any, y: Any) -> Any:
    x[1:] += y[1:] * 2
    y *= 3
    return x.sum()


def test_written_arrays_stay_what_they_are() -> None:
    plan = plan_of(store, np.ones(5), np.ones(5))
    whole = np.arange(20.0)
    x, y = whole[2:7], whole[10:15]
    race = contest(plan, ArgumentNamespace({"x": x, "y": y}))
    assert whole.tolist() == list(range(20))
    assert min(race.plain) > 0
    assert min(race.compiled) > 0


def test_random_streams_stay_where_they_are() -> None:
    def draw(rng: Any, x: Any) -> Any:
        y = rng.normal(size=3)
        return x + y

    rng = np.random.default_rng(5)
    plan = plan_of(draw, rng, np.ones(3))
    before = repr(rng.bit_generator.state)
    contest(plan, ArgumentNamespace({"rng": rng, "x": np.ones(3)}))
    assert repr(rng.bit_generator.state) == before


def test_warnings_of_the_rounds_are_not_shown() -> None:
    plan = plan_of(root, np.ones(3))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        contest(plan, ArgumentNamespace({"x": np.ones(3)}))
    assert caught == []


def root(x: Any) -> Any:
    y = np.sqrt(x)
    return y + 1


def test_rounds_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small segments are timed several times, large ones once."""
    plan = plan_of(root, np.ones(3))
    monkeypatch.setattr(contests, "_seconds", lambda run: (run(), 1e-6)[1])
    race = contest(plan, ArgumentNamespace({"x": np.ones(3)}))
    assert len(race.plain) == len(race.compiled) == len(SEGMENTS.margins) + 1
    seconds = iter((0.03, 0.02))
    monkeypatch.setattr(contests, "_seconds", lambda run: next(seconds))
    race = contest(plan, ArgumentNamespace({"x": np.ones(3)}))
    assert (race.plain, race.compiled, race.slower) == ([0.03], [0.02], False)


def test_who_is_slower_has_three_chances() -> None:
    long, longer = 2 * SEGMENTS.limit, 3 * SEGMENTS.limit

    def slower(plain: list[float], compiled: list[float]) -> bool | None:
        return slower_side(SEGMENTS, plain, compiled)

    assert slower([longer], [long]) is False
    assert slower([long], [longer]) is None
    assert slower([long] * 2, [longer] * 2) is None
    assert slower([long] * 2, [longer, long / 2]) is False
    assert slower([long] * 3, [longer] * 3) is True
    assert slower([long], [long + 0.9 * SEGMENTS.dear]) is None
    assert slower([long], [long + 1.1 * SEGMENTS.dear]) is True


def test_in_the_first_run_nobody_loses() -> None:
    for plain, compiled, found in [
        ([5e-3], [1e-3], False),
        ([5e-3], [4e-3], None),
        ([5e-4], [1e-4], None),  # a single short run says little
        ([0.5], [0.3], False),
        ([0.5], [0.6], None),
    ]:
        assert slower_side(COLD, plain, compiled) is found


def test_what_there_is_no_time_for_is_left_to_later_runs() -> None:
    plan = plan_of(root, np.ones(3))
    namespace = ArgumentNamespace({"x": np.ones(3)})
    long = 2 * SEGMENTS.budget
    race = Race(SEGMENTS, (long, 1.1 * long))
    contests.contest(plan, namespace, race, SEGMENTS.budget)
    assert (race.plain, race.compiled) == ([], [])
    race.add(False, long)  # it has run, in the next run
    assert race.next_seconds == pytest.approx(long)  # NumPy alone, then
    contests.contest(plan, namespace, race, 3 * SEGMENTS.budget)
    assert len(race.plain) >= len(race.compiled)


@pytest.mark.parametrize(("compiled", "wins"), [(0.9, True), (1.1, False)])
def test_without_any_time_the_first_run_of_numpy_is_what_counts(
    compiled: float, wins: bool
) -> None:
    race = Race(SEGMENTS, (1.0, 2.0))
    for _ in range(SEGMENTS.chances):
        assert race.slower is None
        race.add(False, compiled)
    assert race.slower is not wins
    assert race.seconds == (1.0, compiled)


PATIENT = Rule(SEGMENTS.margins, chances=SEGMENTS.chances, budget=0.0)
"""No run has time for a round."""


def test_it_is_decided_in_several_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run lasts no longer than it may, and gives what NumPy gives."""
    monkeypatch.setattr(npc.settings, "tier", "auto")
    monkeypatch.setattr("jupyter_npcompile.runtime.planning.choose", lambda o: ("aten", "now"))
    monkeypatch.setattr(RegionState, "left", 0.0)
    monkeypatch.setattr("jupyter_npcompile.runtime.first_check.SEGMENTS", PATIENT)
    monkeypatch.setattr(contests, "straight_line", lambda graph: pytest.fail("there is no time"))
    made = npc.compile(root)
    compiled = set()
    for _ in range(1_000 * SEGMENTS.chances):  # most run as they were written
        assert made(np.ones(3)).tolist() == [2, 2, 2]
        handle = handle_of(made)
        assert isinstance(handle, FunctionHandle)
        (plan,) = handle.states[0].plans[0]
        if plan.race is not None:
            compiled.add(len(plan.race.compiled))
        elif compiled:
            break
    assert compiled == set(range(SEGMENTS.chances))
    assert plan.race is None


def test_the_guards_count() -> None:
    assert faster(10.0, 10.0 - GUARDS_US)
    assert not faster(10.0, 10.0 - GUARDS_US / 2)


@pytest.mark.parametrize(
    ("numpy", "compiled", "state"),
    [(9e-6, 2e-6, "ready"), (2e-6, 9e-6, "numpy")],
    ids=["faster", "slower"],
)
def test_what_was_measured_decides(
    numpy: float, compiled: float, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npc.settings, "tier", "auto")
    monkeypatch.setattr("jupyter_npcompile.runtime.policy.choose", lambda o: ("aten", "now"))
    monkeypatch.setattr("jupyter_npcompile.runtime.planning.choose", lambda o: ("aten", "now"))

    def measured(plan: Plan, namespace: Any, race: Race, left: float) -> None:
        race.plain[:], race.compiled[:] = [numpy] * 9, [compiled] * 9

    monkeypatch.setattr("jupyter_npcompile.runtime.first_check.contest", measured)
    made = npc.compile(root)
    x = np.ones(3)
    assert made(x).tolist() == made(x).tolist() == [2, 2, 2]
    handle = handle_of(made)
    assert isinstance(handle, FunctionHandle)
    (plan,) = handle.states[0].plans[0]
    assert plan.state == state
    assert plan.timings["numpy_us"] == pytest.approx(numpy * 1e6)


def test_long_runs_that_win_are_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the limit, what the check and the first compiled run took is compared."""
    monkeypatch.setattr("jupyter_npcompile.runtime.first_check.COLD", Rule())
    monkeypatch.setattr(npc.settings, "tier", "auto")
    monkeypatch.setattr("jupyter_npcompile.runtime.planning.choose", lambda o: ("aten", "now"))
    asked: list[Any] = []
    monkeypatch.setattr("jupyter_npcompile.runtime.first_check.contest", asked.append)
    made = npc.compile(root)
    made(np.ones(3))
    handle = handle_of(made)
    assert isinstance(handle, FunctionHandle)
    (plan,) = handle.states[0].plans[0]
    assert not asked
    assert plan.timings["numpy_us"] > 0


def test_frames_have_their_namespaces() -> None:
    import sys

    local = 1
    found = FrameNamespace(sys._getframe())
    assert found.locals["local"] == local
    assert found.globals is globals()
