"""All expressions once more, by the graphs that are compiled for their gradients."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff.replays import Replay, record_call
from tests.gradient_expressions import EXPRESSIONS, Expression
from tests.joint_gradients import joint_gradient
from tests.summary import tell

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

TOGETHER = 20
"""How many expressions are looked at for one compile, which takes much less time than many."""


def is_captured(run: Callable[[Any], Any], x: Any) -> bool:
    """Whether there is a graph to compile."""
    return isinstance(record_call(run, (copy.deepcopy(x),), {}, (0,)), Replay)


def sum_of(some: Sequence[Expression]) -> Callable[[Any], Any]:
    """The sum of expressions, a function of all of their arguments."""
    runs = [one.run for one in some]

    def total(every: Any) -> Any:
        found = 0.0
        for k in range(len(runs)):
            found = found + runs[k](every[k])
        return found

    return total


def arguments(some: Sequence[Expression]) -> list[Any]:
    """Of their sum: an object for each."""
    return [copy.deepcopy(one.x) for one in some]


def compilable(some: Sequence[Expression]) -> Iterator[Sequence[Expression]]:
    """Expressions in groups of which each is captured as one sum."""
    if len(some) > 1 and not is_captured(sum_of(some), arguments(some)):
        yield from compilable(some[: len(some) // 2])
        yield from compilable(some[len(some) // 2 :])
    elif some:
        yield some


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, len(EXPRESSIONS), TOGETHER))
def test_compiled_gradients_are_the_tape_s(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that are captured, by the compiler, some of them as the terms of one sum."""
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    some = EXPRESSIONS[first : first + TOGETHER]
    captured = [one for one in some if is_captured(one.run, one.x)]
    compiled, left = 0, set[str]()
    for group in compilable(captured):
        monkeypatch.setattr(npc.settings, "tier", "aten")
        wanted = [npc.grad(one.run)(copy.copy(one.x)) for one in group]
        monkeypatch.setattr(npc.settings, "tier", "inductor")
        single = len(group) == 1
        gradient = npc.grad(group[0].run if single else sum_of(group))
        gradient(*arguments(group) if single else [arguments(group)])
        left.update(gradient._fast.reasons.values())  # the tape has these
        compiled += 0 if gradient._fast.reasons else len(group)
        made = gradient(*arguments(group) if single else [arguments(group)])
        for one, found, expected in zip(group, [made] if single else made, wanted, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9, err_msg=one.name)
    assert compiled >= 0.6 * len(captured) or left == {BY_CHOICE}
    COMPILED.append(compiled)
    tell("gradients-compiled", f"{sum(COMPILED)} expressions differentiated by compiled code")
