"""All expressions once more, by the graphs that are compiled for their gradients."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import jupyter_npcompile as npc
from tests.support.gradients.expressions import EXPRESSIONS
from tests.support.gradients.joint import TOGETHER, compare_compiled, is_captured, joint_gradient
from tests.support.session.summary import tell

COMPILED: list[int] = []
"""How many gradients the compiler has made so far."""

FAULTS = ("internal", "failed", "Error:")
"""What is not said of a function that is simply not captured."""


@pytest.mark.filterwarnings("ignore")
def test_graphs_give_what_the_tape_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of them are about Python's own machinery, and only the tape follows them."""
    monkeypatch.setattr(npc.settings, "tier", "aten")
    wrong, captured = [], 0
    for name, run, x in EXPRESSIONS:
        made = joint_gradient(run, x)
        if isinstance(made, str):
            wrong += [f"{name}: {made}"] * any(fault in made for fault in FAULTS)
            continue
        captured += 1
        wanted = npc.grad(run)(copy.copy(x))
        if not np.allclose(made, wanted, rtol=1e-9, atol=1e-11):
            wrong.append(f"{name}: {made}, and on the tape {wanted}")
    assert not wrong
    assert captured >= 90


BY_CHOICE = "it does more than NumPy computes"
"""Why what could be compiled is left to the tape."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, len(EXPRESSIONS), TOGETHER))
def test_compiled_gradients_are_the_tape_s(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that are captured, by the compiler, some of them as the terms of one sum."""
    some = EXPRESSIONS[first : first + TOGETHER]
    captured = [one for one in some if is_captured(one.run, one.x)]
    left = compare_compiled(captured, monkeypatch)
    compiled = len(captured) - len(left)
    assert compiled >= 0.6 * len(captured) or {*left.values()} == {BY_CHOICE}
    COMPILED.append(compiled)
    tell("gradients-compiled", f"{sum(COMPILED)} expressions differentiated by compiled code")
