"""The gradients of rows of the lowering table once more, by the compiler, against the tape.

A call of each row is drawn whose gradient on the tape is that of central
differences and of which there is a graph. Calls are compiled as the terms of
sums, which takes much less time than one by one.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings

import jupyter_npcompile as npc
from tests.autodiff.programs.test_calls import COMPARED
from tests.support.gradients.calls import apart, check, smooth, total
from tests.support.gradients.expressions import Expression
from tests.support.gradients.joint import (
    TOGETHER,
    compare_compiled,
    joint_gradients,
    left_to_the_tape,
    same,
)
from tests.support.gradients.written_calls import written_call
from tests.support.lowering.arguments import Call
from tests.support.lowering.recipes import RECIPES
from tests.support.session.summary import tell

DRAWN, ROUNDS, FEW = 15, 20, 9
"""Calls that are drawn at a time, how often at most, and how often before one number is enough."""

LONG = ("numpy.i0",)
"""Rows for whose code the compiler takes minutes: their graphs are run operation by operation."""

ROWS = [name for name in COMPARED if name not in LONG]

COMPILED: list[int] = []
"""Of how many rows the gradient was compiled so far."""


def captured_call(name: str) -> Expression | None:
    """A call of a row with a graph and a gradient that is right; None where there is none.

    One with several numbers to differentiate, where there is such a one.
    """
    spare: list[Expression] = []
    for start in range(ROUNDS):
        for one in drawn(name, start):
            if sum(map(np.size, one.x)) < 2:
                spare.append(one)
            elif not left_to_the_tape(one.run, one.x):
                return one
        while start >= FEW and spare:
            one = spare.pop(0)
            if not left_to_the_tape(one.run, one.x):
                return one
    return None


def drawn(name: str, start: int) -> Iterator[Expression]:
    """Calls of a row whose gradients are right, those that a seed gives; of each with copies, too.

    A call that writes into its arguments can only be captured with copies.
    """
    found: list[tuple[Call, tuple[float, float], int]] = []

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
        verdict = check(name, call, values)
        if verdict.between is not None:
            found.append((call, verdict.between, values))

    look()
    for call, between, values in found:
        for copies in (False, True):
            yield expression_of(name, call, *between, values, copies=copies)


def expression_of(
    name: str, call: Call, low: float, high: float, values: int, *, copies: bool
) -> Expression:
    """A call as a function of a list: its arguments that can be differentiated."""
    leaves, structure = apart(*smooth(call, low, high, values))
    run = written_call(name, leaves, structure, copies=copies)
    again, same_structure = apart(*smooth(call, low, high, values))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(run(leaves), total(name, again, same_structure))
    return Expression(name, run, apart(*smooth(call, low, high, values))[0])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, len(ROWS), TOGETHER))
def test_compiled_gradients_are_the_tape_s(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all rows, each with a call that can be compiled."""
    some = ROWS[first : first + TOGETHER]
    found = [captured_call(name) for name in some]
    captured = [one for one in found if one is not None]
    assert [one.name for one in captured] == some
    assert compare_compiled(captured, monkeypatch) == {}  # none is left to the tape
    COMPILED.append(len(captured))
    tell("rows-compiled", f"{sum(COMPILED)} rows of the table differentiated by compiled code")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LONG)
def test_graphs_of_long_code_give_what_the_tape_gives(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = captured_call(name)
    assert one is not None
    monkeypatch.setattr(npc.settings, "tier", "aten")
    wanted = npc.grad(one.run)(copy.deepcopy(one.x))
    same(joint_gradients(one.run, one.x), wanted, name)
