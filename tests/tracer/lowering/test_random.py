"""Every lowered function on random arguments, recorded, lowered and replayed, against NumPy.

``make fuzz`` draws other ones.
The default run tries few of each: it is drawn anew every time, and its seed is printed.
"""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings

from jupyter_npcompile.runtime import artifacts
from jupyter_npcompile.tracer.table import ROWS
from tests.support.lowering import recipes_arrays as lowering_recipes_arrays
from tests.support.lowering import recipes_counting as lowering_recipes_counting
from tests.support.lowering import recipes_methods as lowering_recipes_methods
from tests.support.lowering import recipes_numbers as lowering_recipes_numbers
from tests.support.lowering import recipes_reductions as lowering_recipes_reductions
from tests.support.lowering.arguments import Array, Call, Memory
from tests.support.lowering.comparison import compare
from tests.support.lowering.recipes import RECIPES
from tests.support.numpy_names import is_there

MODULES = (
    lowering_recipes_arrays,
    lowering_recipes_counting,
    lowering_recipes_methods,
    lowering_recipes_numbers,
    lowering_recipes_reductions,
)
"""They fill `RECIPES` when they are imported."""

LOWERED = [row.name for row in ROWS if row.lowering is not None and is_there(row.name)]


def test_every_lowered_row_has_a_recipe() -> None:
    assert sorted(set(LOWERED) ^ {*filter(is_there, RECIPES)}) == []


def check(name: str, call: Call) -> int:
    """Demand that a call is the same compiled; says how often compiled code ran."""
    verdict = compare(name, call, RECIPES[name].tolerance)
    assert verdict.differences == []
    return verdict.replays


def try_several(name: str, count: int, *, quiet: bool = False) -> int:
    """Check random calls; says how many results compiled code gave."""
    captured = 0

    @settings(max_examples=count, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def check_one(data: st.DataObject) -> None:
        nonlocal captured
        call = RECIPES[name].draw(data.draw, name)
        call.warns = not quiet and data.draw(st.booleans())
        note(f"{name} {call}")
        captured += check(name, call)

    check_one()
    return captured


@pytest.mark.parametrize("name", LOWERED)
def test_as_numpy(name: str) -> None:
    count = settings().max_examples // 20
    captured = try_several(name, count) or try_several(name, 20 * count)
    if not captured:  # where NumPy reports every underflow, few calls of `ufunc.at` are
        captured = try_several(name, 20 * count, quiet=True)
    artifacts.clear()
    assert captured, "no example was captured"


def one(dtype: str, *shape: int, values: str = "near_one", seed: int = 0) -> Array:
    return Array(Memory(dtype, shape, values, seed, "C"), ())


@pytest.mark.parametrize(
    ("name", "args", "out"),
    [
        # -804 and 5: an exponential underflows on the way to 5.
        ("numpy.logaddexp", [one("int64", values="special", seed=249), one("int64")], None),
        ("numpy.logaddexp", [one("float64", 3, seed=1), one("bool", 3, values="ordinary")], None),
        # The sum begins with 0, which takes the sign away.
        ("numpy.hypot.reduce", [one("float64", seed=1)], None),
        ("numpy.hypot.reduceat", [one("float64", 2, seed=1), np.array([0, 1])], None),
        ("numpy.gcd.reduceat", [one("int64", 2, values="ordinary"), np.array([0, 1])], None),
        # NumPy computes in the dtype of `out`, if that is wider, or else casts what it has.
        ("numpy.logaddexp2.reduce", [one("bool", 3)], one("float64")),
        ("numpy.logaddexp.accumulate", [one("bool", 3)], one("float64", 3)),
        ("numpy.logaddexp.reduce", [one("int32", 3)], one("float16")),
        ("numpy.add.reduce", [one("int32", 3)], one("float16")),
        ("numpy.sum", [one("float32", 9)], one("float64")),
        ("numpy.sum", [one("float64", 9)], one("float32")),
        ("numpy.cumsum", [one("float64", 9)], one("float32", 9)),
        ("numpy.prod", [one("int32", 3)], one("float32")),
        ("numpy.multiply.accumulate", [one("int32", 3)], one("float16", 3)),
        ("numpy.logaddexp.reduce", [one("int64", 1)], one("int64")),
        # Python's number leaves it to the array in which precision all is computed.
        ("numpy.linspace", [-1.0, one("float32", values="unit"), 5], None),
    ],
)
def test_found_before(name: str, args: list[Any], out: Array | None) -> None:
    warns = "special" in str(args)  # then NumPy reports underflow, too: not seen inside of sums
    call = Call(tuple(args), {} if out is None else {"out": out}, warns, method=False)
    verdict = compare(name, call, RECIPES[name].tolerance)
    assert verdict.differences == []
