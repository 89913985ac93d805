"""Every lowered function on random arguments, recorded, lowered and replayed, against NumPy.

``--hypothesis-profile=hunt`` tries many more examples per function.
The default run tries few of each: it is drawn anew every time, and its seed is printed.
"""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, note, settings

from jupyter_npcompile.runtime import artifacts
from jupyter_npcompile.tracer.table import ROWS
from tests import (
    lowering_recipes_arrays,
    lowering_recipes_counting,
    lowering_recipes_methods,
    lowering_recipes_numbers,
    lowering_recipes_reductions,
)
from tests.lowering_arguments import Call
from tests.lowering_comparison import compare
from tests.lowering_recipes import RECIPES

MODULES = (
    lowering_recipes_arrays,
    lowering_recipes_counting,
    lowering_recipes_methods,
    lowering_recipes_numbers,
    lowering_recipes_reductions,
)
"""They fill `RECIPES` when they are imported."""

LOWERED = [row.name for row in ROWS if row.lowering is not None]


def test_every_lowered_row_has_a_recipe() -> None:
    assert sorted(set(LOWERED) ^ set(RECIPES)) == []


def check(name: str, call: Call) -> int:
    """Demand that a call is the same compiled; says how often compiled code ran."""
    verdict = compare(name, call, RECIPES[name].tolerance)
    assert verdict.differences == []
    return verdict.replays


def try_several(name: str, count: int) -> int:
    """Check random calls; says how many results compiled code gave."""
    captured = 0

    @settings(max_examples=count, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def check_one(data: st.DataObject) -> None:
        nonlocal captured
        call = RECIPES[name].draw(data.draw, name)
        call.warns = data.draw(st.booleans())
        note(f"{name} {call}")
        captured += check(name, call)

    check_one()
    return captured


@pytest.mark.parametrize("name", LOWERED)
def test_as_numpy(name: str) -> None:
    count = settings().max_examples // 20
    captured = try_several(name, count) or try_several(name, 20 * count)
    artifacts.clear()
    assert captured, "no example was captured"
