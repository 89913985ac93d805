"""Small arrays are values in native loops: nobody may see that they share no memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.loops.loop_code import REFUSED, RETURNED
from jupyter_npcompile.runtime.whole_function import ONCE, WholeFunction
from tests.batches import Batches
from tests.native_batches import compiled_together
from tests.native_loops import Function, define, differences, outcome
from tests.small_programs import Writer
from tests.test_runtime_whole_function import whole

ROUNDED = (6, 28, 60)
"""Programs in which grows what NumPy's library rounds in another way; in memory it does, too."""

COUNT = int(os.environ.get("NPCOMPILE_SMALL_PROGRAMS", "48"))

PROGRAMS = [seed for seed in range(COUNT) if seed not in ROUNDED]


def _native(state: WholeFunction, function: Function) -> Function:
    """What native code makes of arguments; None of those that it leaves to NumPy."""
    ((form, take),) = state._taken
    names = function.__code__.co_varnames[: function.__code__.co_argcount]

    def call(*given: Any) -> Any:
        values = take(dict(zip(names, given, strict=True)), function.__globals__)
        assert values is not None
        answer = form.run(1, *ONCE, *values, *form.code.hosts)
        assert answer is not None, "arguments of other types"
        assert answer[0] in (RETURNED, REFUSED)
        return answer[2] if answer[0] == RETURNED else None

    return call


def _assert_same(
    state: WholeFunction, function: Function, arguments: Sequence[Sequence[Any]]
) -> int:
    """Compare calls with NumPy's; returns how many native code has made."""
    made, ran = _native(state, function), 0
    for one, other in zip(arguments[::2], arguments[1::2], strict=True):
        with np.errstate(all="ignore"):
            found = outcome(made, other)
            expected = outcome(function, one)
        if found.result is None:
            continue
        wrong = differences(expected, found)
        assert not wrong, wrong
        ran += 1
    return ran


def _arguments(run: int) -> list[Any]:
    rng = np.random.default_rng(run)
    m = rng.normal(size=(2, 2))
    return [rng.normal(size=3), m if run % 2 else m.T, 4 + run, 0.5 + run]


def _written(seed: int) -> Function:
    function: Function = define(Writer(seed).text())
    return function


@pytest.fixture(scope="module")
def batches() -> Batches[int]:
    return Batches(
        PROGRAMS,
        compiled_together,
        lambda seed: whole(_written(seed), _arguments(0), lengths=True),
    )


@pytest.mark.parametrize("seed", PROGRAMS)
def test_random_program(seed: int, batches: Batches[int]) -> None:
    batches.need(seed)
    function = _written(seed)
    _, state = whole(function, _arguments(0), lengths=True)
    assert not state.closed, state.closed
    runs = [run for run in range(4) for _ in range(2)]
    _assert_same(state, function, [_arguments(run) for run in runs])
