"""The gradient of every row of the lowering table, against central differences.

Arguments are drawn at random from the recipes of the lowering's own tests. A
gradient is right, or refused with a reason; it is never silently zero or NaN.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Callable

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, note, seed, settings

from jupyter_npcompile.tracer.table import TABLE
from tests.support.gradients.calls import Verdict, check, check_second
from tests.support.lowering.arguments import Call
from tests.support.lowering.recipes import RECIPES
from tests.tracer.lowering import test_random as rows

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

Check = Callable[[str, Call, int], Verdict]

RARE = {f"numpy.{name}" for name in ("quantile", "percentile", "nanquantile", "nanpercentile")}
"""Rows of which calls can hardly ever be compared: they would be differentiated by the quantile."""

COMPARED = [name for name in NAMES if name not in CONSTANT | RARE]
"""Rows of which at least one call is right: other calls may be refused, or not be smooth."""


def try_several(
    name: str, count: int, check: Check, *, enough: float = math.inf, start: int | None = None
) -> collections.Counter[str]:
    """Check random calls, or until enough of them are right; says what became of them."""
    found: collections.Counter[str] = collections.Counter()

    @settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def one(data: st.DataObject) -> None:
        call = RECIPES[name].draw(data.draw, name)
        values = data.draw(st.integers(0, 99))
        if found["right"] >= enough and not found["wrong"]:  # what was wrong is tried again
            return
        note(f"{name} {call}")
        verdict = check(name, call, values)
        found[verdict.status] += 1
        assert verdict.status != "wrong", verdict.detail

    if start is not None:
        one = seed(start)(one)
    one()
    return found


@pytest.mark.parametrize("name", NAMES)
def test_gradient(name: str) -> None:
    found = try_several(name, max(5, settings().max_examples // 20), check)
    if name in COMPARED and not found["right"]:
        # Some at a time: calls are drawn to the last, however early enough of them are right.
        some = (try_several(name, 25, check, enough=1, start=start) for start in range(12))
        assert any(found["right"] for found in some)


TWICE = [name for name in COMPARED if not name.endswith((".at", ".outer", ".reduceat"))]


def test_second_derivatives_are_those_of_numpy() -> None:
    right = [name for name in TWICE if try_several(name, 5, check_second, enough=2)["right"]]
    assert len(right) >= 150
