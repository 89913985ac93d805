"""Whatever raises in our own code: what the user sees is NumPy's, and a note says why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import loop_check, loop_state, segment_run
from jupyter_npcompile.runtime.check import DifferenceError
from jupyter_npcompile.runtime.footprint import Footprint
from jupyter_npcompile.runtime.loop_check import Prediction, Written
from jupyter_npcompile.runtime.loop_form import Form
from jupyter_npcompile.runtime.loop_state import LoopState
from jupyter_npcompile.runtime.outcome import Outcome
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.selector.back_off import Pauses
from jupyter_npcompile.runtime.selector.loops import LoopSelector
from jupyter_npcompile.runtime.selector.rest import Rest
from jupyter_npcompile.runtime.state import RegionState
from tests.support.loops.native_loops import define, differences, outcome

PROGRAM = """
def f(A, x):
    for row in A:
        row += x
        x = x * 0.5 + row
        if x[0] > 1e6:
            continue
    x += 1
    y = np.sin(x) + A[0]
    x *= 2
    A[0] += y
    return y, x
"""
IN_SEGMENTS = [
    *((RegionState, name) for name in ("_plan", "_note", "_hasten", "_in_vain", "_is_out_of_time")),
    *((Plan, name) for name in ("matches", "take_first", "compute", "is_worth_another_try")),
    *((Pauses, name) for name in ("stop", "vain")),
    *((segment_run, name) for name in ("checked", "measure", "_takes_too_much", "_settle")),
    *((Outcome, "commit"), (Footprint, "of")),
]
IN_LOOPS = [
    *((LoopState, name) for name in ("_consider", "_attempt", "_needs_form", "_recall", "_ran")),
    *((LoopState, name) for name in ("_predict", "compare", "leave", "_goes_first", "goes_on")),
    *((Form, name) for name in ("fits", "ran")),
    *((LoopSelector, name) for name in ("loses", "time", "has_lost", "gains")),
    *((loop_state, name) for name in ("predict", "remaining", "size_of_run", "loops_when")),
    *((Prediction, "differences"), (Written, "__init__"), (loop_check, "budget"), (Rest, "offer")),
]


def arguments() -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.random((40, 5)), rng.random(5)]


def raising_in(module: str) -> Any:
    """A function of a module that raises."""
    space: dict[str, Any] = {"__name__": module}
    text = "'int' object has no attribute 'nbytes'"
    exec(f"def raising(*_, **__):\n    raise AttributeError({text!r})\n", space)
    return space["raising"]


raising = raising_in("jupyter_npcompile.somewhere")


def compare(function: Any, made: Any, before: Callable[[int], None]) -> None:
    """Call it some times; from the one that is asked for on, something raises."""
    for call in range(6):
        before(call)
        expected, found = outcome(function, arguments()), outcome(made, arguments())
        assert not (wrong := differences(expected, found)), (call, wrong)
        npc.wait()


def raising_from(
    first: int, where: tuple[Any, str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[int], None]:
    """Has something raise from a call on."""

    def before(call: int) -> None:
        if call == first:
            monkeypatch.setattr(*where, raising)

    return before


@pytest.mark.parametrize("first", [0, 1, 3])
@pytest.mark.parametrize("where", IN_SEGMENTS, ids=lambda where: f"{where[0].__name__}.{where[1]}")
def test_what_raises_in_segments(
    where: tuple[Any, str], first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    function = define(PROGRAM)
    made = npc.compile(function, ahead=first > 0)

    compare(function, made, raising_from(first, where, monkeypatch))


@pytest.mark.parametrize("first", [0, 1, 3])
@pytest.mark.parametrize("where", IN_LOOPS, ids=lambda where: f"{where[0].__name__}.{where[1]}")
def test_what_raises_in_loops(
    where: tuple[Any, str], first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npc.settings, "tier", "native-loop")
    function = define(PROGRAM)
    made = npc.compile(function)

    compare(function, made, raising_from(first, where, monkeypatch))


def test_the_report_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    made = npc.compile(define("def f(x):\n    y = np.sin(x) + 1\n    return y\n"), ahead=True)
    monkeypatch.setattr(Pauses, "stop", raising)
    before = npc.stats()["fallbacks"]
    made(np.ones(4))
    report = npc.last_report()
    assert report is not None
    assert "internal error: AttributeError: 'int' object has no attribute 'nbytes'" in repr(report)
    assert npc.stats()["fallbacks"] > before


def test_what_the_user_has_asked_for_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    made = npc.compile(define("def f(x):\n    y = np.sin(x) + 1\n    return y\n"), ahead=True)

    def differs(*_: Any) -> Any:
        raise DifferenceError("y: 1 became 2")

    monkeypatch.setattr(segment_run, "checked", differs)
    with pytest.raises(DifferenceError):
        made(np.ones(4))


@pytest.mark.parametrize("module", ["__main__", "users"])
def test_what_is_raised_by_code_of_the_users_is_not_ours(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a handler of a signal, say, that came while something of ours ran."""
    monkeypatch.setattr(npc.settings, "tier", "aten")
    made = npc.compile(define("def f(x):\n    y = np.sin(x) + 1\n    return y\n"))
    monkeypatch.setattr(Pauses, "stop", raising_in(module))
    with pytest.raises(AttributeError):
        made(np.ones(4))
