"""The gradient of every row of the lowering table, against central differences.

Arguments are drawn at random from the recipes of the lowering's own tests. A
gradient is right, or refused with a reason; it is never silently zero or NaN.
"""

from __future__ import annotations

import collections

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, note, settings

from jupyter_npcompile.tracer.table import TABLE
from tests import test_tracer_lowering_random as rows
from tests.gradient_calls import check, check_second
from tests.lowering_recipes import RECIPES

SINGLE = {"half", "single", "csingle", "float16", "float32", "complex64"}
"""Conversions that leave too few digits for differences."""

UNWRITTEN = {"empty", "empty_like"}
"""What they give is chance."""

CONSTANT = {
    name for name, row in TABLE.items() if row.lowering is not None and not row.differentiable
}

NAMES = [
    name
    for name in rows.LOWERED
    if not name.startswith(("python.", "math."))
    and name.rpartition(".")[2] not in SINGLE | UNWRITTEN
]

NAN = {"numpy.std", "numpy.nanstd"}
"""Square roots: NaN where the variance is zero, as in JAX and torch."""


@pytest.mark.parametrize("name", NAMES)
def test_gradient(name: str) -> None:
    found: collections.Counter[str] = collections.Counter()

    @settings(
        max_examples=max(5, settings().max_examples // 20),
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def one(data: st.DataObject) -> None:
        call = RECIPES[name].draw(data.draw, name)
        seed = data.draw(st.integers(0, 99))
        note(f"{name} {call}")
        verdict = check(name, call, seed)
        found[verdict.status] += 1
        by_convention = name in NAN and verdict.detail.startswith("nan")
        assert verdict.status != "wrong" or by_convention, verdict.detail

    one()
    assert found["skipped"] < sum(found.values()) or name in CONSTANT or found.total() < 30


TWICE = [
    name
    for name in NAMES
    if name not in CONSTANT and not name.endswith((".at", ".outer", ".reduceat"))
]


def try_second(name: str) -> bool:
    """Check some calls of a row; says whether any has a second derivative."""
    found: collections.Counter[str] = collections.Counter()

    @settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def one(data: st.DataObject) -> None:
        call = RECIPES[name].draw(data.draw, name)
        seed = data.draw(st.integers(0, 99))
        note(f"{name} {call}")
        verdict = check_second(name, call, seed)
        found[verdict.status] += 1
        assert verdict.status != "wrong", verdict.detail

    one()
    return found["right"] > 0


def test_second_derivatives_are_those_of_numpy() -> None:
    assert sum(map(try_second, TWICE)) >= 100
