"""Programs of the kind that people publish, as functions and as cells: all is as in NumPy."""

from __future__ import annotations

import contextlib
import inspect
import io
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from tests.support.cells import published_programs
from tests.support.cells.native import Viewer, assert_same, differences
from tests.support.cells.published_programs import PROGRAMS
from tests.support.suite.compiled_places import in_place, reached

Program = Callable[[int], Any]

ULPS = 4096.0
"""Iterations carry rounding on."""

SETUP = "from tests.support.cells.published_programs import *\nseed = RUN"


def run(program: Program, seed: int) -> tuple[Any, str, dict[tuple[str, str], str]]:
    np.random.seed(seed)
    printed, viewer = io.StringIO(), Viewer()
    with contextlib.redirect_stdout(printed):
        seen = viewer.see("result", program(seed))
    return seen, printed.getvalue(), viewer.relations()


def compiled_run(name: str, seeds: tuple[int, ...]) -> list[Any]:
    settings = jupyter_npcompile.settings
    settings.tier, settings.first_run_check = "aten", "raise"
    with in_place(reached(published_programs, name)):
        return [run(getattr(published_programs, name), seed) for seed in seeds]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_function(program: Program) -> None:
    seeds = (0, 1, 0)
    native = [run(program, seed) for seed in seeds]
    before = jupyter_npcompile.stats()["dispatches"]
    compiled = compiled_run(program.__name__, seeds)
    assert jupyter_npcompile.stats()["dispatches"] > before
    for one, other in zip(native, compiled, strict=True):
        assert not list(differences("result", one[0], other[0], ULPS))
        assert one[1:] == other[1:]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_cell(program: Program) -> None:
    body = textwrap.dedent(inspect.getsource(program).partition("\n")[2])
    before, _, result = body.rpartition("return ")
    helpers = [
        inspect.getsource(value)
        for name, value in vars(published_programs).items()
        if getattr(value, "__module__", "") == published_programs.__name__
        and value not in PROGRAMS
        and name in body
    ]
    source = "\n\n".join([*helpers, f"{before}result = {result}"])
    assert_same(source, setup=SETUP, ulps=ULPS)
