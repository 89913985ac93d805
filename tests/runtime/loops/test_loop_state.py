"""A loop that has no native form when it begins may have one an iteration later."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.runtime import loop_compile
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.loop_state import LoopState
from tests.support.loops.native_loops import Function, define, differences, outcome

MOMENTUM = """
class Momentum:
    def __init__(self):
        self.mean = None
    def step(self, w, slope):
        if self.mean is None:
            self.mean = np.zeros_like(w)
        self.mean = 0.9 * self.mean + slope
        return w - 0.01 * self.mean
def f(w, goal, n):
    state = Momentum()
    for k in range(n):
        w = state.step(w, w - goal)
    return w, state.mean
"""

NEVER = """
class State:
    def __init__(self):
        self.text = None
def f(w, goal, n):
    state = State()
    for k in range(n):
        if w[0] > 1e9:
            state.text = "large"
        w = w + goal
    return w, state.text
"""


DECAY = """
def f(a, out):
    seen = {1}
    for i in range(1, len(a)):
        out[i] = out[i - 1] * 0.5 + a[i]
    return out
"""

WHOLE_DECAY = DECAY.replace("    seen = {1}\n", "")


def loop_of(function: Function) -> LoopState:
    handle = handle_of(function)
    assert isinstance(handle, FunctionHandle)
    return handle.loops[0]


def given(n: int = 3000) -> tuple[Any, ...]:
    return np.arange(3.0), np.ones(3), n


def settled(text: str, calls: int = 6) -> LoopState:
    """A loop after some calls, each compared with NumPy's."""
    function = define(text)
    made = jupyter_npcompile.compile(function)
    for _ in range(calls):
        wrong = differences(outcome(function, given()), outcome(made, given()))
        assert not wrong, wrong
        assert jupyter_npcompile.wait()
    wrong = differences(outcome(function, given(1)), outcome(made, given(1)))
    assert not wrong, wrong
    return loop_of(made)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_compile, "WORTH", 0.0)


def test_names_may_be_something_else_after_an_iteration() -> None:
    loop = settled(MOMENTUM)
    assert not loop.closed
    assert loop.forms
    assert loop.forms[0].iterations > 1000
    assert not loop.may_be_asked_again


def test_it_is_asked_once() -> None:
    loop = settled(NEVER)
    assert loop.closed
    assert not loop.forms
    assert not loop.active
    assert not loop.may_be_asked_again


def decaying(dtype: type) -> tuple[Any, ...]:
    return (np.arange(3000) % 7).astype(dtype), np.zeros(3000, dtype)


@pytest.mark.parametrize("dtype", [np.longdouble, np.float16, object])
@pytest.mark.parametrize("text", [DECAY, WHOLE_DECAY])
def test_types_that_are_declined_leave_the_loop_to_others(text: str, dtype: type) -> None:
    function = define(text)
    made = jupyter_npcompile.compile(function)
    for _ in range(4):
        made(*decaying(dtype))
        assert jupyter_npcompile.wait()
    handle = handle_of(made)
    assert isinstance(handle, FunctionHandle)
    states = [handle.loops[0], handle.whole]
    assert not any(state.forms for state in states if state is not None)
    for _ in range(2000):  # most calls run as they were written, and ask nothing
        wrong = differences(outcome(function, decaying(float)), outcome(made, decaying(float)))
        assert not wrong, wrong
        assert jupyter_npcompile.wait()
        if any(state.forms for state in states if state is not None):
            break
    else:
        pytest.fail("no native code for the second type")
    wrong = differences(outcome(function, decaying(dtype)), outcome(made, decaying(dtype)))
    assert not wrong, wrong


def test_types_that_are_declined_are_asked_about_once() -> None:
    function = define(DECAY)
    made = jupyter_npcompile.compile(function)
    for _ in range(60):
        made(*decaying(np.longdouble))
        assert jupyter_npcompile.wait()
    loop = loop_of(made)
    assert loop.closed
    assert loop.is_declined
    assert len(loop._declined) == 1
