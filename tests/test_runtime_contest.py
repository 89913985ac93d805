"""NumPy and compiled code are timed in turns, and nothing of the user's changes by it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import contest as contests
from jupyter_npcompile.runtime.contest import Times, contest
from jupyter_npcompile.runtime.functions import FunctionHandle, handle_of
from jupyter_npcompile.runtime.namespace import ArgumentNamespace, FrameNamespace
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.policy import GUARDS_US, faster


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


def store(x: Any, y: Any) -> Any:
    x[1:] += y[1:] * 2
    y *= 3
    return x.sum()


def test_written_arrays_stay_what_they_are() -> None:
    plan = plan_of(store, np.ones(5), np.ones(5))
    whole = np.arange(20.0)
    x, y = whole[2:7], whole[10:15]
    times = contest(plan, ArgumentNamespace({"x": x, "y": y}))
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
    monkeypatch.setattr(contests, "BUDGET", 60.0)
    contest(plan, ArgumentNamespace({"x": np.ones(3)}))
    assert len(rounds) == contests.ROUNDS
    rounds.clear()
    monkeypatch.setattr(contests, "LIMIT", 0.0)
    monkeypatch.setattr(contests, "LATEST", 0.0)
    contest(plan, ArgumentNamespace({"x": np.ones(3)}))
    assert len(rounds) == 1


def test_who_is_slower_has_three_chances() -> None:
    long, longer = 2 * contests.LIMIT, 3 * contests.LIMIT
    assert contests.is_enough([longer], [long], 2 * contests.LIMIT)
    assert not contests.is_enough([long], [longer], 2 * contests.LIMIT)
    assert not contests.is_enough([long] * 2, [longer] * 2, 2 * contests.BUDGET)
    assert contests.is_enough([long] * 2, [longer, long / 2], 2 * contests.BUDGET)
    assert contests.is_enough([long] * 3, [longer] * 3, 2 * contests.BUDGET)
    assert contests.is_enough([long], [longer], 2 * contests.LATEST)


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
    monkeypatch.setattr("jupyter_npcompile.runtime.first_check.contest", lambda plan, ns: times)
    made = npc.compile(root)
    x = np.ones(3)
    assert made(x).tolist() == made(x).tolist() == [2, 2, 2]
    handle = handle_of(made)
    assert isinstance(handle, FunctionHandle)
    (plan,) = handle.states[0].plans[0]
    assert plan.state == state
    assert plan.timings["numpy_us"] == times.numpy_us


def test_long_runs_that_win_are_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the limit, what the check and the first compiled run took is compared."""
    for name in ("WORTH", "DECISIVE"):
        monkeypatch.setattr(f"jupyter_npcompile.runtime.contest.{name}", 0.0)
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
