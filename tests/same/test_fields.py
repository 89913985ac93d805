"""Programs of many fields, called with arguments of many kinds: all is as in NumPy.

A sample runs each time, and ``make fuzz`` takes all programs. Each one runs in segments, as one
piece of native code, and as a cell, whatever would be faster.
"""

from __future__ import annotations

import builtins
import random
import zlib
from collections import ChainMap
from collections.abc import Sequence
from typing import Any

import pytest

import jupyter_npcompile
from jupyter_npcompile.loops.sequences import Numbers
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.loop_compile import Job, LoopCompile
from tests.support.cells.native import LENIENCY, compare, run_compiled, run_native
from tests.support.field_calls import CHANGES, Function, Given, bound, calls, differences
from tests.support.field_programs import Program, marked
from tests.support.session.seeds import FUZZING
from tests.support.suite.compiled_places import in_place, reached

FOREVER = 10**9

FEW = 6
"""Changes of arguments that are tried where a sample runs."""

MENTIONED = 12
"""Differences that a failing test lists."""

TYPED = ("float32", "whole numbers", "int32", "complex", "boolean")
"""Changes for which native code is made anew."""


CANCELLED = 1e-12
"""What may be left of numbers around one that cancel: nothing but rounding."""


@pytest.fixture(autouse=True)
def _lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LENIENCY, "absolute", CANCELLED)


def assert_same(program: Program, made: Function, given: Sequence[Given]) -> None:
    wrong = [
        f"{one}: {text}"
        for one in given
        for text in differences(
            program.outcome(program.function, one), program.outcome(made, one), one.change
        )
    ]
    assert not wrong, "\n".join(wrong[:MENTIONED])


def given_to(program: Program) -> list[Given]:
    """What it is called with: some changes of it, and plain arguments between them."""
    every = list(calls())
    if FUZZING:
        return every
    plain = [one for one in every if one.change == "plain"]
    changed = [one for one in every if one.change != "plain"]
    random.Random(program.name).shuffle(changed)
    return [*plain[:-1], *changed[:FEW], plain[-1]]


@pytest.mark.parametrize("program", marked(60), ids=str)
def test_segments(program: Program) -> None:
    jupyter_npcompile.settings.tier = "aten"
    jupyter_npcompile.settings.first_run_check = "raise"
    given = given_to(program)
    plain = [program.outcome(program.function, one) for one in given]
    with in_place(reached(program.module, program.name)):
        made = getattr(program.module, program.name)
        other = [program.outcome(made, one) for one in given]
    wrong = [
        f"{one}: {text}"
        for one, before, after in zip(given, plain, other, strict=True)
        for text in differences(before, after, one.change)
    ]
    assert not wrong, "\n".join(wrong[:MENTIONED])


def native(function: Function, args: Sequence[Any]) -> tuple[Function, Any]:
    """A function whose calls all go to native code, which is made for such arguments."""
    made = jupyter_npcompile.compile(function)
    state = getattr(handle_of(made), "whole", None)
    if state is not None:
        names = ChainMap(bound(function, args), function.__globals__, vars(builtins))
        job = Job.of_names(state.loop, Numbers(), names)
        LoopCompile(state, job, waited=True).run()
        state._selector._blind, state._selector._until = FOREVER, FOREVER
    return made, state


@pytest.mark.slow
@pytest.mark.usefixtures("straight_functions")
@pytest.mark.parametrize("program", marked(120), ids=str)
def test_native(program: Program) -> None:
    jupyter_npcompile.settings.first_run_check = "raise"
    sources = set()
    for change in ("plain", *TYPED) if FUZZING else ("plain",):
        given = [Given(seed, size, change) for seed, size in ((1, 8), (2, 8), (3, 9), (4, 13))]
        made, state = native(program.function, given[0].arguments(program.draw))
        if state is None or state.closed:
            continue
        (form,) = state.forms
        if form.code.source in sources:
            continue
        sources.add(form.code.source)
        assert_same(program, made, given)
        if change == "plain":
            assert_same(program, made, given_to(program))


@pytest.mark.parametrize(
    ("program", "tier"),
    [
        pytest.param(*one.values, tier, marks=one.marks)
        for tier, one_of in (("aten", 24), ("native-loop", 120))
        for one in marked(one_of)
    ],
    ids=str,
)
def test_cell(program: Program, tier: str) -> None:
    other = sorted(CHANGES)[zlib.crc32(program.name.encode()) % len(CHANGES)]
    given = Given(1, 8), Given(2, 8), Given(3, 8, other)
    source, setup = program.cell(), program.setup(given)
    plain = run_native(source, setup=setup, runs=3)
    compiled = run_compiled(source, tier=tier, setup=setup, runs=3)
    wrong = [
        f"{one}: {text}"
        for one, before, after in zip(given, plain.outcomes, compiled.outcomes, strict=True)
        for text in compare(before, after, 4096.0)
    ]
    assert not wrong, "\n".join(wrong[:MENTIONED])
