"""NumPy's functions in native code, on random arguments, against NumPy.

A few rows are drawn anew for each run; ``NPCOMPILE_NATIVE_RECIPES=all`` takes every one, and a
number takes that seed.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

import jupyter_npcompile
from tests.lowering_arguments import Call
from tests.lowering_recipes import RECIPES
from tests.native_recipes import NoText, check
from tests.seeds import seed_of
from tests.test_tracer_lowering_random import LOWERED

CHOSEN = os.environ.get("NPCOMPILE_NATIVE_RECIPES", "")
SEED = seed_of(CHOSEN)
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


@pytest.mark.skipif(CHOSEN == "all", reason="all rows are tried one by one")
def test_some_rows() -> None:
    rows = random.Random(SEED).sample(ROWS, len(ROWS))
    tried = 0
    for row in rows:
        try:
            tried += bool(try_row(row, 3, SEED))
        except AssertionError as wrong:
            raise AssertionError(f"NPCOMPILE_NATIVE_RECIPES={SEED}, {row}: {wrong}") from None
        if tried >= SAMPLE:
            return
    pytest.fail("hardly anything has a native form")


@pytest.mark.skipif(CHOSEN != "all", reason="takes many minutes: NPCOMPILE_NATIVE_RECIPES=all")
@pytest.mark.parametrize("name", ROWS if CHOSEN == "all" else ["all"])
def test_row(name: str) -> None:
    try_row(name, 12, int(os.environ.get("NPCOMPILE_RECIPE_SEED", "0")))
