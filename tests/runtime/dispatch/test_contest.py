"""NumPy and compiled code are timed in turns, and nothing of the user's changes by it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import contest as contests
from jupyter_npcompile.runtime import rounds as rules
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.namespace import ArgumentNamespace, FrameNamespace
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.policy import GUARDS_US, faster
from jupyter_npcompile.runtime.rounds import Rounds, Times, is_enough
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


def contest(plan: Plan, namespace: ArgumentNamespace, left: float = float("inf")) -> Rounds:
    """A contest that begins, and has so many seconds."""
    rounds = Rounds(Times(1.0, 1.0))
    contests.contest(plan, namespace, rounds, left)
    return rounds


def store(x: Any, y: Any) -> Any:
    x[1:] += y[1:] * 2
    y *= 3
    return x.sum()


def test_written_arrays_stay_what_they_are() -> None:
    plan = plan_of(store, np.ones(5), np.ones(5))
    whole = np.arange(20.0)
    x, y = whole[2:7], whole[10:15]
    times = contest(plan, ArgumentNamespace({"x": x, "y": y})).times
    assert whole.tolist() == list(range(20))
    assert times.numpy_us > 0
    assert times.compiled_us > 0


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
    """Small segments are timed many times, large ones once."""
    plan = plan_of(root, np.ones(3))
    rounds = []
    real = contests.straight_line

    def counted(graph: Any) -> Any:
        run = real(graph)

        def count(*values: Any) -> Any:
            rounds.append(1)
            return run(*values)

        return count

    monkeypatch.setattr(contests, "straight_line", counted)
    monkeypatch.setattr(rules, "BUDGET", 60.0)
    contest(plan, ArgumentNamespace({"x": np.ones(3)}))
    assert len(rounds) == rules.ROUNDS
    rounds.clear()
    monkeypatch.setattr(rules, "LIMIT", 0.0)
    monkeypatch.setattr(rules, "LATEST", 0.0)
    contest(plan, ArgumentNamespace({"x": np.ones(3)}))
    assert len(rounds) == 1


def test_who_is_slower_has_three_chances() -> None:
    long, longer = 2 * rules.LIMIT, 3 * rules.LIMIT
    assert is_enough([longer], [long])
    assert not is_enough([long], [longer])
    assert not is_enough([long] * 2, [longer] * 2)
    assert is_enough([long] * 2, [longer, long / 2])
    assert is_enough([long] * 3, [longer] * 3)
    assert is_enough([rules.LATEST], [longer + rules.LATEST])


def test_what_there_is_no_time_for_is_left_to_later_runs() -> None:
    plan = plan_of(root, np.ones(3))
    namespace = ArgumentNamespace({"x": np.ones(3)})
    long = 1e6 * 2 * rules.BUDGET
    rounds = Rounds(Times(long, 1.1 * long))
    contests.contest(plan, namespace, rounds, rules.BUDGET)
    assert (rounds.numpy, rounds.compiled) == ([], [])
    rounds.compiled.append(1e-6 * long)  # it has run, in the next run
    assert rounds.next_seconds == pytest.approx(1e-6 * long)  # NumPy alone, then
    contests.contest(plan, namespace, rounds, 3 * rules.BUDGET)
    assert len(rounds.numpy) >= len(rounds.compiled)


@pytest.mark.parametrize(("compiled", "wins"), [(0.9, True), (1.1, False)])
def test_without_any_time_the_first_run_of_numpy_is_what_counts(
    compiled: float, wins: bool
) -> None:
    rounds = Rounds(Times(1e6, 2e6))
    for _ in range(rules.CHANCES):
        assert not rounds.is_over
        rounds.compiled.append(compiled)
    assert rounds.is_over
    assert (rounds.times.compiled_us < rounds.times.numpy_us) is wins


def test_it_is_decided_in_several_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run lasts no longer than it may, and gives what NumPy gives."""
    monkeypatch.setattr(npc.settings, "tier", "auto")
    monkeypatch.setattr("jupyter_npcompile.runtime.planning.choose", lambda o: ("aten", "now"))
    monkeypatch.setattr(RegionState, "left", 0.0)
    monkeypatch.setattr("jupyter_npcompile.runtime.first_check.BUDGET", 0.0)
    monkeypatch.setattr(contests, "straight_line", lambda graph: pytest.fail("there is no time"))
    made = npc.compile(root)
    compiled = set()
    for _ in range(1_000 * rules.CHANCES):  # most run as they were written
        assert made(np.ones(3)).tolist() == [2, 2, 2]
        handle = handle_of(made)
        assert isinstance(handle, FunctionHandle)
        (plan,) = handle.states[0].plans[0]
        if plan.rounds is not None:
            compiled.add(len(plan.rounds.compiled))
        elif compiled:
            break
    assert compiled == set(range(rules.CHANCES))
    assert plan.rounds is None


def test_the_guards_count() -> None:
    assert faster(10.0, 10.0 - GUARDS_US)
    assert not faster(10.0, 10.0 - GUARDS_US / 2)


@pytest.mark.parametrize(("times", "state"), [(Times(9, 2), "ready"), (Times(2, 9), "numpy")])
def test_what_was_measured_decides(
    times: Times, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npc.settings, "tier", "auto")
    monkeypatch.setattr("jupyter_npcompile.runtime.policy.choose", lambda o: ("aten", "now"))
    monkeypatch.setattr("jupyter_npcompile.runtime.planning.choose", lambda o: ("aten", "now"))

    def measured(plan: Plan, namespace: Any, rounds: Rounds, left: float) -> None:
        rounds.numpy[:] = [times.numpy_us * 1e-6] * rules.ROUNDS
        rounds.compiled[:] = [times.compiled_us * 1e-6] * rules.ROUNDS

    monkeypatch.setattr("jupyter_npcompile.runtime.first_check.contest", measured)
    made = npc.compile(root)
    x = np.ones(3)
    assert made(x).tolist() == made(x).tolist() == [2, 2, 2]
    handle = handle_of(made)
    assert isinstance(handle, FunctionHandle)
    (plan,) = handle.states[0].plans[0]
    assert plan.state == state
    assert plan.timings["numpy_us"] == pytest.approx(times.numpy_us)


def test_long_runs_that_win_are_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the limit, what the check and the first compiled run took is compared."""
    for name in ("WORTH", "DECISIVE"):
        monkeypatch.setattr(f"jupyter_npcompile.runtime.rounds.{name}", 0.0)
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
