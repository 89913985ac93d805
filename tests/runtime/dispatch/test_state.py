"""Which of several signatures are compiled, and when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import plan as plans
from jupyter_npcompile.runtime import planning, state
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.region_reports import COMPILING, HELD
from jupyter_npcompile.runtime.selector import allowance, thresholds
from jupyter_npcompile.runtime.state import RegionState
from jupyter_npcompile.runtime.worker import Compiler


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """What is given to the compiler, which does nothing."""
    jobs: list[Callable[[], None]] = []
    monkeypatch.setattr(npc.settings, "tier", "auto")
    monkeypatch.setattr(Compiler, "submit", lambda self, job, ticket=None: jobs.append(job))
    monkeypatch.setattr("jupyter_npcompile.runtime.function_handle.is_open", lambda options: False)
    return jobs


def chain(x: Any) -> Any:
    return np.sqrt(x) * 2 + 1


def called(sizes: list[int]) -> tuple[Any, list[Plan]]:
    """The function, called with arrays of such sizes, and its plans."""
    fast = npc.compile(chain)
    for size in sizes:
        x = np.linspace(0, 1, size)
        np.testing.assert_array_equal(fast(x), chain(x))
    handle = handle_of(fast)
    assert isinstance(handle, FunctionHandle)
    return fast, handle.states[0].plans[0]


def lose(plan: Plan) -> None:
    plan.state, plan.note = "numpy", "NumPy is faster here"
    plan.timings["compiled_us"] = 2 * plan.timings["numpy_us"]


def test_what_is_met_once_is_not_compiled(submitted: list[Any]) -> None:
    _, known = called([2, 3, 4, 5])
    assert [plan.state for plan in known] == ["pending", "held", "held", "held"]
    assert len(submitted) == 1


def test_what_is_met_again_waits_for_the_first(submitted: list[Any]) -> None:
    fast, known = called([2, 3, 3])
    assert [plan.state for plan in known] == ["pending", "held"]
    report = npc.last_report()
    assert report is not None
    assert HELD in report.regions[0].note
    known[0].state = "numpy"  # it had no native form
    fast(np.ones(3))
    assert known[1].state == "pending"
    assert len(submitted) == 2
    report = npc.last_report()
    assert report is not None
    assert COMPILING in report.regions[0].note


def test_a_lost_contest_is_not_repeated(submitted: list[Any]) -> None:
    fast, known = called([2, 3])
    lose(known[0])
    known[1].timings["numpy_us"] = known[0].timings["numpy_us"]
    fast(np.ones(3))
    assert (known[1].state, known[1].note) == ("numpy", known[0].note)
    assert len(submitted) == 1


def test_much_larger_arrays_have_a_contest_of_their_own(submitted: list[Any]) -> None:
    fast, known = called([2, 3])
    lose(known[0])
    known[1].timings["numpy_us"] = 2 * plans.ALIKE * known[0].timings["numpy_us"]
    fast(np.ones(3))
    assert known[1].state == "pending"
    assert len(submitted) == 2


@pytest.mark.usefixtures("submitted")
def test_all_the_time_of_a_look_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also that in which conditions are compared, and what was compiled is looked for."""
    real = planning._begin
    now = [100.0]
    for module in (allowance, state):
        monkeypatch.setattr(module, "perf_counter", lambda: now[0])

    def slow(*args: Any) -> None:
        now[0] += 2 * thresholds.AT_ONCE
        real(*args)

    monkeypatch.setattr(planning, "_begin", slow)
    fast, _ = called([2])
    assert handle_of(fast)._rest.allowance.left < 0  # type: ignore[union-attr]


@pytest.mark.usefixtures("submitted")
def test_without_time_nothing_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    fast, known = called([2])
    compared: list[Plan] = []
    real = Plan.matches

    def counted(self: Plan, namespace: Any) -> bool:
        compared.append(self)
        return real(self, namespace)

    monkeypatch.setattr(Plan, "matches", counted)
    monkeypatch.setattr(RegionState, "_is_out_of_time", lambda self: True)
    fast(np.ones(2))
    assert not compared
    monkeypatch.setattr(RegionState, "_is_out_of_time", lambda self: False)
    fast(np.ones(2))
    assert compared == known
