"""Gradients by the graph that is compiled: run operation by operation, and by the compiler."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff.joint import joint_module
from jupyter_npcompile.autodiff.programs import program_of
from jupyter_npcompile.autodiff.replays import Replay, record_call
from jupyter_npcompile.autodiff.selector import impurity
from jupyter_npcompile.autodiff.trees import flatten
from jupyter_npcompile.tracer.lowering.errors import LoweringError

if TYPE_CHECKING:
    from tests.support.gradients.expressions import Expression

TOGETHER = 5
"""How many expressions are looked at for one compile: more make a test that takes minutes."""


def joint_gradient(f: Callable[..., Any], x: Any) -> Any:
    """The gradient of a function of one array or number; why there is no graph, as a text."""
    made = joint_gradients(f, x)
    return made if isinstance(made, str) else made[0]


def joint_gradients(f: Callable[..., Any], x: Any) -> list[Any] | str:
    """The gradients of a function by all parts of its argument; why there is no graph."""
    replay = record_call(f, (copy.deepcopy(x),), {}, (0,))
    if not isinstance(replay, Replay):
        return str(replay)
    module = joint_module(replay.graph)
    namespace = {"args": (copy.deepcopy(x),), "kwargs": {}}
    given = [torch.from_numpy(np.array(s.fetch(namespace))) for s in replay.recording.sources]
    _, *gradients, check = module(*given)
    assert bool(check)
    by_id = {id: g.numpy() for id, g in zip(replay.order, gradients, strict=True)}
    return [None if id is None else by_id[id] for id in replay.leaves]


def is_captured(run: Callable[[Any], Any], x: Any) -> bool:
    """Whether there is a graph to compile."""
    return isinstance(record_call(run, (copy.deepcopy(x),), {}, (0,)), Replay)


def left_to_the_tape(run: Callable[[Any], Any], x: Any) -> str:
    """Why there is nothing to compile, as far as that is known without a compiler; or ``""``."""
    replay = record_call(run, (copy.deepcopy(x),), {}, (0,))
    if not isinstance(replay, Replay):
        return replay
    try:
        joint_module(replay.graph)
    except LoweringError as error:
        return str(error)
    return impurity(program_of(run, (copy.deepcopy(x),), {}, (0,)))


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


def compare_compiled(some: Sequence[Expression], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Compile gradients, as the terms of few sums, and demand that they are the tape's.

    Returns
    -------
    dict of str to str
        Why expressions are left to the tape; the gradients of all others are compiled.
    """
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    left: dict[str, str] = {}
    for group in compilable(some):
        left |= _compared(group, monkeypatch)
    return left


def _compared(group: Sequence[Expression], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    wanted = [npc.grad(one.run)(copy.deepcopy(one.x)) for one in group]
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    alone = len(group) == 1  # then as it is: what is taken out of a list may not be followed
    gradient = npc.grad(group[0].run if alone else sum_of(group))
    given = copy.deepcopy(group[0].x) if alone else arguments(group)
    gradient(copy.deepcopy(given))
    reasons = [*gradient._fast.reasons.values()]
    if not reasons:
        made = gradient(given)
        for one, found, expected in zip(group, [made] if alone else made, wanted, strict=True):
            same(found, expected, one.name)
        return {}
    if alone:
        return {group[0].name: reasons[0]}
    half = len(group) // 2
    return _compared(group[:half], monkeypatch) | _compared(group[half:], monkeypatch)


def same(found: Any, expected: Any, name: str) -> None:
    """Demand that gradients are equal, but for rounding."""
    for one, other in zip(flatten(found)[0], flatten(expected)[0], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9, err_msg=name)
