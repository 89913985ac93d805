"""NumPy's functions in native code, on random arguments, against NumPy.

A few rows are tried each time; ``make fuzz`` draws others, and tries all of them one by one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

import jupyter_npcompile
from tests.support.loops.native_recipes import NoText, check
from tests.support.lowering.arguments import Call
from tests.support.lowering.recipes import RECIPES
from tests.support.session.seeds import SEED
from tests.tracer.lowering.test_random import LOWERED

SAMPLE = 10
"""Rows of a run in which native code must be compiled, which takes a second each."""

ROWS = [name for name in LOWERED if name.startswith(("numpy.", "ndarray."))] + [
    "getitem",
    "setitem",
]


@pytest.fixture(autouse=True)
def without_check() -> Iterator[None]:
    """Native code answers at once: nothing it says is compared but here."""
    before = jupyter_npcompile.settings.first_run_check
    jupyter_npcompile.settings.first_run_check = "off"
    yield
    jupyter_npcompile.settings.first_run_check = before


def try_row(name: str, count: int, start: int) -> int:
    """Try random calls of a function; says how many native code has answered."""
    ran = 0

    @seed(start)
    @settings(
        max_examples=count,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def try_one(data: st.DataObject) -> None:
        nonlocal ran
        call: Call = RECIPES[name].draw(data.draw, name)
        call.warns = data.draw(st.booleans())
        try:
            verdict = check(name, call, RECIPES[name].tolerance)
        except NoText:
            return
        assert not verdict.differences, f"{verdict.text}{call}\n{verdict.differences}"
        ran += verdict.ran

    try_one()
    return ran


@pytest.mark.drawn
def test_some_rows() -> None:
    rows = random.Random(SEED).sample(ROWS, len(ROWS))
    tried = 0
    for row in rows:
        try:
            tried += bool(try_row(row, 3, SEED))
        except AssertionError as wrong:
            raise AssertionError(f"{row}: {wrong}") from None
        if tried >= SAMPLE:
            return
    pytest.fail("hardly anything has a native form")


@pytest.mark.fuzz
@pytest.mark.parametrize("name", ROWS)
def test_row(name: str) -> None:
    try_row(name, 12, SEED)
