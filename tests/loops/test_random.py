"""Random programs with loops give the same natively, wherever native code takes over."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.loops.loop_code import FINISHED, PAUSED
from jupyter_npcompile.runtime import loop_state
from tests.support.compiling.batches import Batches
from tests.support.loops.loop_programs import program, recurrences
from tests.support.loops.native_batches import compiled_together
from tests.support.loops.native_loops import (
    assert_same,
    compiled,
    define,
    differences,
    how,
    outcome,
    top_loops,
)
from tests.support.session.seeds import seeds

SEEDS = seeds(40)

SWITCHED = range(100, 108)
"""Programs whose native code begins at every iteration in turn."""


@pytest.fixture(autouse=True)
def _native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "native-loop")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "off")


def arguments(seed: int) -> Sequence[Any]:
    """Inputs of a random program."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 12))
    return (
        *(rng.normal(size=n), rng.normal(size=n), rng.normal(size=(3, 4))),
        *(rng.integers(0, n, 3), rng.random(n) < 0.5, n),
        *(float(rng.normal()), np.float64(rng.normal())),
    )


@pytest.fixture(scope="module")
def batches() -> Batches[int]:
    """All programs."""
    return Batches(
        (*SEEDS, *SWITCHED),
        compiled_together,
        lambda seed: outcome(compiled(define(program(seed))), arguments(seed)),
    )


@pytest.mark.drawn
@pytest.mark.parametrize("seed", SEEDS)
def test_random_program(seed: int, batches: Batches[int]) -> None:
    batches.need(seed)
    assert_same(define(program(seed)), lambda run: arguments(seed + run))


@pytest.mark.parametrize("seed", range(6))
def test_recurrences(seed: int) -> None:
    assert_same(define(recurrences(seed)), lambda run: arguments(seed + run), runs=4)


def test_most_of_them_run_natively(batches: Batches[int]) -> None:
    ran = 0
    for seed in SEEDS:
        batches.need(seed)
        function = compiled(define(program(seed)))
        outcome(function, arguments(seed))
        ran += how(function) == "native"
    assert ran >= len(SEEDS) // 3


@pytest.mark.parametrize("seed", SWITCHED)
def test_native_code_begins_at_every_iteration(
    seed: int, batches: Batches[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    batches.need(seed)
    function = define(program(seed))
    native = compiled(function)
    outcome(native, arguments(seed))  # compiles
    enter, goes_on = loop_state.LoopState.enter, loop_state.LoopState.goes_on
    waits = 0

    def late_enter(self: Any, frame: Any, pyframe: Any, iterator: Any) -> bool:
        self.waited = 0
        self.rest.offer(self.loop.id, True)
        return False if waits else enter(self, frame, pyframe, iterator)

    def late(self: Any, frame: Any, pyframe: Any, iterator: Any) -> bool:
        self.waited += 1
        if self.waited < waits:
            frame.leaves = False
            return False
        return goes_on(self, frame, pyframe, iterator)

    monkeypatch.setattr(loop_state.LoopState, "enter", late_enter)
    monkeypatch.setattr(loop_state.LoopState, "goes_on", late)
    for waits in range(7):
        expected = outcome(function, arguments(seed + waits))
        found = outcome(native, arguments(seed + waits))
        assert not differences(expected, found), f"from iteration {waits}"


@pytest.mark.parametrize("seed", SWITCHED)
def test_native_code_is_left_after_every_few_iterations(
    seed: int, batches: Batches[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    batches.need(seed)
    function = define(program(seed))
    native = compiled(function)
    outcome(native, arguments(seed))
    for state in top_loops(native):
        for form in state.forms:
            form.run = sliced(form.run, isinstance(state.loop.node, ast.While))
    for run in range(3):
        expected = outcome(function, arguments(seed + run))
        found = outcome(native, arguments(seed + run))
        assert not differences(expected, found)


def sliced(run: Any, is_while: bool, most: int = 2) -> Any:
    """The same loop, which comes back after two iterations."""

    def some(left: int, *args: Any) -> Any:
        answer = run(min(left, most), *args)
        if answer is not None and answer[0] == FINISHED and left > most and not is_while:
            return (PAUSED, *answer[1:])
        return answer

    return some


def test_differences_are_noticed() -> None:
    function = define("def f(a):\n    for i in range(3): a[i] += 1\n    return a\n")
    other = define("def f(a):\n    for i in range(3): a[i] += 2\n    return a\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, two = outcome(function, [np.zeros(3)]), outcome(other, [np.zeros(3)])
    assert differences(one, two)
