"""Zeros of either sign, NaN, booleans, one element and no dimension: lowered, and in native code.

Signs of zeros are compared, too. Left out is what NumPy itself leaves open: which of 0.0 and -0.0
is the larger depends on where in an array they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.tracer.lowering import LoweringError
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define
from tests.support.lowering.programs import call, run, same

ONE_SIGN: list[Any] = [
    *(np.array(0.0), np.array(-0.0), np.array([0.0]), np.array([-0.0])),
    *(np.array([-0.0, -0.0]), np.array([-0.0] * 3), np.array([-0.0, 1.0]), np.array([[-0.0]])),
    *(np.array([[-0.0, -0.0]]), np.array([[-0.0], [-0.0]]), np.array([-1.0, -0.0])),
    *(np.array([-0.0], np.float32), np.array(-0.0, np.float32)),
]
TRUTHS: list[Any] = [
    *(np.array(True), np.array(False), np.array([True]), np.array([False, True])),
    *(np.array(3, np.int8), np.array([0], np.uint8), np.array([3, 0], np.int8)),
]
BOTH_SIGNS: list[Any] = [np.array([-0.0, 0.0]), np.array([-1.0, -0.0, 0.0, 1.0])]
WITH_NAN: list[Any] = [
    *(np.array([-0.0, np.nan]), np.array([np.nan, -0.0, -0.0]), np.array([[np.nan], [-0.0]])),
]


def demand(name: str, *args: Any, **kwargs: Any) -> int:
    """Demand NumPy's result but for rounding, bit for bit at zero; says whether it was lowered."""
    try:
        with np.errstate(all="ignore"):
            expected, found, passed = run(call(f"numpy.{name}", *args, **kwargs))
    except LoweringError:
        return 0
    for a, b in zip(expected, found, strict=True) if passed else ():
        same(a, b, ulp=4)
        assert not np.any((np.asarray(a) == 0) & (np.signbit(a) != np.signbit(b))), (args, a, b)
    return passed


def every(name: str, values: Sequence[Any], *args: Any, **kwargs: Any) -> None:
    """Demand the same of all values, of which at least half are lowered."""
    lowered = [demand(name, value.copy(), *args, **kwargs) for value in values]
    assert sum(lowered) >= len(values) / 2


ORDERED = ("median", "nanmedian", "min", "max", "nanmin", "nanmax", "ptp", "sort", "argmin")
SUMS = ("sum", "mean", "nansum", "nanmean", "average", "prod", "std", "var", "nanstd")


@pytest.mark.parametrize("name", [*ORDERED, *SUMS])
@pytest.mark.filterwarnings("ignore")
def test_reductions(name: str) -> None:
    every(name, ONE_SIGN if name != "sort" else [value for value in ONE_SIGN if value.ndim])
    if name not in ("ptp", "sort", "median", "nanmedian"):  # of booleans, or of no dimension
        every(name, TRUTHS)
    every(name, [value for value in ONE_SIGN if value.ndim], axis=0)


@pytest.mark.parametrize("name", ["median", "nanmedian"])
@pytest.mark.filterwarnings("ignore")
def test_medians_between_zeros_of_both_signs(name: str) -> None:
    every(name, [*BOTH_SIGNS, *WITH_NAN])


@pytest.mark.parametrize("size", [1, 2, 3, 4, 700, 701])
@pytest.mark.filterwarnings("ignore")
def test_medians_of_huge_numbers(size: int) -> None:
    """Where there are several, NumPy adds one element to itself, which may overflow."""
    every("nanmedian", [np.full(size, 1.7e308), np.full((size, 1), 1.7e308)])
    every("nanmedian", [np.full((size, 1), 1.7e308), np.full(size, 1.7e308)], axis=0)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0, [0.5], [0.0, 0.75, 1.0]], ids=repr)
@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_quantiles(name: str, share: Any) -> None:
    values = [*ONE_SIGN, *BOTH_SIGNS, *(v for v in TRUTHS if v.dtype != bool)]
    values += WITH_NAN if name == "nanquantile" else []
    every(name, values, share)
    every(name.replace("quant", "percent"), values, np.multiply(share, 100.0))
    every(name, values, np.array(share))


ELEMENTS = (
    *("absolute", "fabs", "negative", "sign", "sqrt", "cbrt", "square", "rint", "trunc"),
    *("floor", "ceil", "sin", "arctan", "sinh", "expm1", "log1p", "nan_to_num", "signbit"),
)


@pytest.mark.parametrize("name", ELEMENTS)
@pytest.mark.filterwarnings("ignore")
def test_elements(name: str) -> None:
    every(name, [*ONE_SIGN, *BOTH_SIGNS])


@pytest.mark.parametrize("name", ["power", "arctan2", "copysign", "hypot", "add", "multiply"])
@pytest.mark.parametrize(
    "other",
    [np.array(-0.0), np.array([0.0]), np.array(True), np.array(False), -0.0, True],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore")
def test_pairs(name: str, other: Any) -> None:
    for value in (*ONE_SIGN, *BOTH_SIGNS):
        assert demand(name, value, other)
        assert demand(name, other, value)


@pytest.mark.parametrize("sought", [0.0, -0.0, 1.0, np.inf, [-0.0, 7.0]], ids=repr)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searches_in_what_ends_with_nan(sought: Any, side: Any) -> None:
    """Torch looks behind NaN: NumPy runs there."""
    assert demand("searchsorted", np.array([-0.0, 1.0]), np.array(sought), side)
    for values in ([-0.0, np.nan], [1.0, np.nan, np.nan], [np.nan]):
        demand("searchsorted", np.array(values), np.array(sought), side)


def test_native_medians_are_never_a_negative_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alone, along an axis, of a stack, and where elements are few."""
    monkeypatch.setattr(npc.settings, "first_run_check", "off")
    function = define(
        "def f(x, y):\n"
        "    a = np.median(x)\n"
        "    b = np.median(y, axis=0)\n"
        "    c = np.median(y, axis=1)\n"
        "    d = np.median(np.stack((x, x, x)), axis=0)\n"
        "    e = np.median(np.stack((x, x)), axis=0)\n"
        "    q = np.percentile(x, 25.0)\n"
        "    return a, b, c, d, e, q\n"
    )
    x, y = np.array([-0.0]), np.full((3, 2), -0.0)
    made, state = whole(function, (x, y))
    for found, wanted in zip(made(x, y), function(x, y), strict=True):
        np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))
        np.testing.assert_array_equal(found, wanted)
    assert not state.closed
    assert state.forms[0].iterations
