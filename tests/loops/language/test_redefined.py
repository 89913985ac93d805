"""Functions that each call defines anew: native loops go on with them, and with what they read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.loops.redefined import is_redefined
from jupyter_npcompile.runtime.background import BackgroundCompile
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.loop_form import is_same
from jupyter_npcompile.runtime.loop_state import LoopState
from tests.support.loops.native_loops import define, differences, outcome

PLAIN = """
def f(x, rate, steps):
    def slope(y):
        return rate * (x - y) + offsets.sum()
    offsets = np.array([rate, 0.5])
    y = x.copy()
    seen = {0: steps}  # so that native code does not take all of the function
    for k in range(steps):
        y = y + 0.01 * slope(y)
    return y * seen[0]
"""

NESTED = """
def f(x, rate, steps):
    def scaled(y):
        return rate * y
    def slope(y):
        return scaled(x - y)
    y = x.copy()
    seen = {0: steps}
    for k in range(steps):
        y = y + 0.01 * slope(y)
    return y * seen[0]
"""

DEFAULTS = """
def f(x, rate, steps):
    def slope(y, by=0.25 if rate < 2 else 0.75):
        return by * (x - y)
    y = x.copy()
    seen = {0: steps}
    for k in range(steps):
        y = y + 0.01 * slope(y)
    return y * seen[0]
"""

CHOSEN = """
def f(x, rate, steps):
    def near(y):
        return x - y
    def far(y):
        return rate * (x - y)
    slope = near if rate < 2 else far
    y = x.copy()
    seen = {0: steps}
    for k in range(steps):
        y = y + 0.01 * slope(y)
    return y * seen[0]
"""

SAME_CODE = """
def f(x, rate, steps):
    def made(by):
        def slope(y):
            return by * (x - y)
        return slope
    one, other = made(1.0), made(rate)
    if rate > 2:
        other = one
    y = x.copy()
    seen = {0: steps}
    for k in range(steps):
        y = y + 0.01 * (one(y) if one is other else other(y) + one(y))
    return y * seen[0]
"""

SHARED_CELL = """
def f(x, rate, steps):
    def made(by):
        def one(y):
            return by * (x - y)
        def other(y):
            return by * y
        return one, other
    one, other = made(1.0)
    if rate > 2:
        other = made(rate)[1]
    y = x.copy()
    seen = {0: steps}
    for k in range(steps):
        y = y + 0.01 * (one(y) - other(y))
    return y * seen[0]
"""


def _compiled(text: str) -> tuple[Any, Any]:
    function = define(text)
    return function, jupyter_npcompile.compile(function)


def _compare(function: Any, made: Any, rate: float, seed: int = 0, steps: int = 400) -> None:
    def given() -> tuple[Any, ...]:
        return np.random.default_rng(seed).normal(size=5), rate, steps

    wrong = differences(outcome(function, given()), outcome(made, given()))
    assert not wrong, (rate, wrong)
    assert jupyter_npcompile.wait()


def _loop(made: Any) -> LoopState:
    found: LoopState = handle_of(made).loops[0]
    return found


@pytest.fixture(autouse=True)
def _loops_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments are not compiled: their compiler takes long to start, and is not needed here."""
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")
    monkeypatch.setattr(BackgroundCompile, "submit", lambda compile: compile.ticket.cancel())


@pytest.mark.parametrize("text", [PLAIN, NESTED])
def test_later_calls_run_natively(text: str) -> None:
    function, made = _compiled(text)
    for seed in range(40):  # a race may give some of the calls to Python
        _compare(function, made, 1.5, seed)
        form = _loop(made).best
        if form is not None and form.iterations > 2 * 400:
            return
    pytest.fail(f"{0 if form is None else form.iterations} iterations ran natively")


@pytest.mark.parametrize("text", [PLAIN, NESTED, DEFAULTS, CHOSEN, SAME_CODE, SHARED_CELL])
def test_what_they_read_may_change(text: str) -> None:
    """Numbers around them, defaults, which of them it is, and whether two of them are one."""
    function, made = _compiled(text)
    for rate in [1.5] * 5 + [2.5, 1.5, 3.0, 3.0, 3.0, 0.5, 1.5, 2.5]:
        _compare(function, made, rate, int(4 * rate))


def test_what_makes_a_function_another_one() -> None:
    def made(offset: float, by: float = 2.0) -> Any:
        def shifted(x: float, by: float = by) -> float:
            return by * x + offset

        return shifted

    def named(offset: float) -> Any:
        def shifted(x: float, *, by: float = 2.0) -> float:
            return by * x + offset

        return shifted

    one = made(1.0)
    assert is_redefined(made(3.0), one, is_same)
    assert not is_redefined(made(1.0, 3.0), one, is_same)
    assert not is_redefined(named(1.0), named(1.0), is_same)
    assert not is_redefined(len, one, is_same)
    marked = made(1.0)
    marked.ufunc = True
    assert not is_redefined(marked, one, is_same)
