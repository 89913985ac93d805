"""Segments in a loop that runs natively, or may do so: nothing is compiled for them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import loop_compile, loop_state, worker
from jupyter_npcompile.runtime.selector import loops
from jupyter_npcompile.runtime.whole_function import WholeFunction
from tests.support.compiling.handles import asked_for, handle
from tests.support.loops.native_loops import Function, define, differences, outcome

SHORT = """
def f(x, n):
    total = 0.0
    for i in range(n):
        x[i % 8] = 0.5 * x[i % 8] + 1.0
        total += x[i % 8]
    return total
"""


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The segments of which compiled code is asked for; there is none, for that takes long."""
    monkeypatch.setattr(loop_compile, "WORTH", 0.0)
    monkeypatch.setattr(WholeFunction, "of", lambda *_, **__: None)  # it would come first
    monkeypatch.setattr(worker, "YIELDS", 1e6)  # however busy the machine is
    return asked_for(monkeypatch)


def call(function: Function, compiled: Function, times: int, n: int = 500) -> None:
    for _ in range(times):
        mine, theirs = ((np.linspace(0, 1, 8), n) for _ in range(2))
        wrong = differences(outcome(function, theirs), outcome(compiled, mine))
        assert not wrong, wrong
        assert npc.wait()


def test_a_loop_that_runs_natively_needs_none(
    monkeypatch: pytest.MonkeyPatch, made: list[Any]
) -> None:
    # On a busy machine each iteration may be long.
    for module in (loop_state, loops):
        monkeypatch.setattr(module, "LONG_ITERATION", math.inf)
    function = define(SHORT)
    compiled = npc.compile(function)
    call(function, compiled, 5)
    (loop,) = handle(compiled).loops
    assert loop.forms[0].iterations
    assert not made


def test_a_loop_that_has_no_native_form_gets_them(made: list[Any]) -> None:
    function = define(SHORT.replace("total +=", "total = [total][0] +").replace("[i % 8]", "[:]"))
    compiled = npc.compile(function)
    for state in handle(compiled).loops:
        state.close("for this test")
    for _ in range(4):
        compiled(np.ones(40_000), 5)
        assert npc.wait()
    assert made


def test_where_iterations_are_long_they_have_their_turn(
    monkeypatch: pytest.MonkeyPatch, made: list[Any]
) -> None:
    """They go on when native code has run, and may be faster."""
    for module in (loop_state, loops):
        monkeypatch.setattr(module, "LONG_ITERATION", 0.0)
    function = define(SHORT)
    compiled = npc.compile(function)
    call(function, compiled, 5)
    assert made


def test_what_takes_long_in_python_is_not_put_off() -> None:
    """Whatever native code does for other arrays."""
    function = define(SHORT)
    compiled = npc.compile(function)
    call(function, compiled, 1)
    (loop,) = handle(compiled).loops
    ((state, plan), *_) = [(it, plan) for it in handle(compiled).states for plan in it.every_plan()]
    plan.spared = 0
    plan.timings["numpy_us"] = 5.0
    assert loop.spare(state, plan)
    plan.timings["numpy_us"] = 500.0
    assert not loop.spare(state, plan)


def test_they_are_put_off_a_few_times_only() -> None:
    """A form that never runs must not keep them from being compiled."""
    function = define(SHORT)
    compiled = npc.compile(function)
    call(function, compiled, 1)
    (loop,) = handle(compiled).loops
    plans = [(state, plan) for state in handle(compiled).states for plan in state.every_plan()]
    assert loop.forms
    assert not any(form.iterations for form in loop.forms)
    for state, plan in plans:
        assert plan.spared <= loop_state.MOST_SPARED
        answers = [loop.spare(state, plan) for _ in range(loop_state.MOST_SPARED + 1)]
        assert not answers[-1]
    assert plans
