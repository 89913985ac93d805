"""Loops that know what they save: a call that takes seconds in NumPy is not made to be told so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime.selector import thresholds
from jupyter_npcompile.runtime.selector.selector import Selector, Turn
from tests.support.compiling.handles import asked_for, handle
from tests.support.loops.native_loops import define, ran_natively

TEXT = """
def f(x, n):
    total = 0.0
    for k in range(n):
        y = np.roll(x, k % 7) * 0.5 + x
        total += y[k % 5] - y.sum()
        x = np.where(y > 1.0, y - 1.0, y)
    return total
"""


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> list[Turn]:
    """The turns that calls take from now on, which are long ones."""
    asked_for(monkeypatch)  # segments, which take long to compile
    found: list[Turn] = []
    turn = Selector.turn

    def noted(self: Selector, *args: Any) -> Turn | None:
        one = turn(self, *args)
        found.extend([] if one is None else [one])
        return one

    monkeypatch.setattr(Selector, "turn", noted)
    monkeypatch.setattr(thresholds, "LONG", 1e-3)
    monkeypatch.setattr(npc.settings, "tier", "auto")
    return found


def test_numpy_is_not_waited_for(turns: list[Turn]) -> None:
    function = define(TEXT)
    made = npc.compile(function)
    handle(made).whole = None  # only its loop is compiled
    x = np.linspace(0.0, 2.0, 40)
    for _ in range(8):
        before = ran_natively(made)
        assert made(x, 4000) == pytest.approx(function(x, 4000), rel=1e-9)
        if before:
            break
        npc.wait()
    assert before
    turns.clear()
    for _ in range(6):
        made(x, 4000)
    assert not any(turn.written for turn in turns)
