"""The gradients of rows of the lowering table once more, by the compiler, against the tape.

A call of each row is drawn whose gradient on the tape is that of central
differences and of which there is a graph. Calls are compiled as the terms of
sums, which takes much less time than one by one.
"""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings

from tests.gradient_calls import apart, check, smooth, total
from tests.gradient_expressions import Expression
from tests.joint_gradients import TOGETHER, compare_compiled, left_to_the_tape
from tests.lowering_arguments import Call
from tests.lowering_recipes import RECIPES
from tests.summary import tell
from tests.test_autodiff_calls import COMPARED
from tests.written_calls import written_call

DRAWN, ROUNDS = 15, 20
"""Calls that are looked at for one that can be compiled, and how often so many are drawn."""

CAPTURED: list[int] = []
COMPILED: list[int] = []
"""How many rows had such a call so far, and of how many of them the gradient was compiled."""


def captured_call(name: str) -> Expression | None:
    """A call of a row with a graph and a gradient that is right; None where there is none.

    One with several numbers to differentiate, where there is such a one.
    """
    found: list[Expression] = []

    for start in range(ROUNDS):
        for one in drawn(name, start):
            found.append(one)
            if sum(map(np.size, one.x)) > 1:
                return one
        if start > 3 and found:
            break
    return found[0] if found else None


def drawn(name: str, start: int) -> list[Expression]:
    """Some calls of a row that can be compiled, those that a seed gives."""
    found: list[Expression] = []

    @seed(start)
    @settings(
        max_examples=DRAWN,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def look(data: st.DataObject) -> None:
        call = RECIPES[name].draw(data.draw, name)
        values = data.draw(st.integers(0, 99))
        if sum(sum(map(np.size, one.x)) > 1 for one in found):
            return
        verdict = check(name, call, values)
        if verdict.between is not None:
            for copies in (False, True):
                expression = expression_of(name, call, *verdict.between, values, copies=copies)
                if not left_to_the_tape(expression.run, expression.x):
                    found.append(expression)
                    break

    look()
    return found


def expression_of(
    name: str, call: Call, low: float, high: float, values: int, *, copies: bool
) -> Expression:
    """A call as a function of a list: its arguments that can be differentiated."""
    leaves, structure = apart(*smooth(call, low, high, values))
    run = written_call(name, leaves, structure, copies=copies)
    again, same = apart(*smooth(call, low, high, values))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(run(leaves), total(name, again, same))
    return Expression(name, run, apart(*smooth(call, low, high, values))[0])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, len(COMPARED), TOGETHER))
def test_compiled_gradients_are_the_tape_s(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [captured_call(name) for name in COMPARED[first : first + TOGETHER]]
    captured = [one for one in found if one is not None]
    made = compare_compiled(captured, monkeypatch)
    CAPTURED.append(len(captured))
    COMPILED.append(made.count)
    print(made.reasons)
    tell("rows-compiled", f"{sum(COMPILED)} of {sum(CAPTURED)} rows differentiated by compiled code")
