"""Gradients where NumPy has a case of its own for equality: multiples, knots, bounds, ties.

The slope there must be one that the function has beside that place. What it
must not be is zero because NumPy's algorithm hands on a constant. Arguments are
small whole numbers, so that they are often equal to each other, to bounds, and
to multiples.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from tests.support.gradients.joint import joint_gradient
from tests.support.session.seeds import seeds

STEP = 1e-6


@pytest.fixture(autouse=True)
def tape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


KNOTS = np.array([-2.0, -1.0, 0.0, 1.0, 3.0, 4.0])
HEIGHTS = np.array([1.0, 2.5, -1.0, 0.5, 2.0, -3.0])
OTHERS = np.array([1.0, 2.0, -2.0, 3.0, -1.0])

Function = Callable[[Any], Any]

EACH: dict[str, Function] = {
    "interp": lambda x: np.interp(x, KNOTS, HEIGHTS),
    "interp with ends": lambda x: np.interp(x, KNOTS, HEIGHTS, left=1.0, right=-3.0),
    "interp with a period": lambda x: np.interp(x, [0.0, 1.0, 2.0], [1.0, 3.0, 2.0], period=3.0),
    "interp by one knot": lambda x: np.interp(x, [1.0], [2.0]) * x,
    "interp by xp": lambda x: np.interp([0.5, 1.0, 2.0, 4.0], np.cumsum(np.abs(x) + 1), x),
    "interp by fp": lambda x: np.interp([-1.0, 0.0, 1.5, 4.0], np.arange(5.0), x),
    "remainder": lambda x: np.remainder(x, 2.0),
    "remainder by negative": lambda x: np.remainder(x, -2.0),
    "remainder of a constant": lambda x: np.remainder(6.0, 2 * x + 1),
    "remainder of two": lambda x: np.remainder(x, OTHERS),
    "mod operator": lambda x: x % 3.0,
    "reflected mod operator": lambda x: 6.0 % (x + 0.5),
    "in place": lambda x: _in_place(x),
    "fmod": lambda x: np.fmod(x, 2.0),
    "fmod by x": lambda x: np.fmod(5.0, 2 * x + 1),
    "divmod": lambda x: np.divmod(x, 2.0)[1] + np.divmod(x, 2.0)[0],
    "builtin divmod": lambda x: divmod(x, 2.0)[1] + divmod(x, 2.0)[0],
    "remainders of rows": lambda x: np.remainder.outer(x, np.array([1.0, 2.0])),
    "floor_divide and rest": lambda x: x - 2.0 * np.floor_divide(x, 2.0),
    "floor_divide": lambda x: np.floor_divide(x, 2.0) * x,
    "floor": lambda x: x - 3 * np.floor(x / 3),
    "rint": lambda x: np.rint(x / 2) * x,
    "modf": lambda x: np.modf(x)[0] * 2 + np.modf(x)[1],
    "unwrap": lambda x: np.unwrap(x * np.pi),
    "unwrap with a period": lambda x: np.unwrap(x, period=4.0),
    "unwrap with discont": lambda x: np.unwrap(x, discont=3.0, period=4.0),
    "clip": lambda x: np.clip(x, -1.0, 2.0),
    "clip by bounds": lambda x: np.clip(0.5, x, x + 1) + np.clip(2.0, -x, x * x),
    "minimum": lambda x: np.minimum(x, OTHERS),
    "maximum": lambda x: np.maximum(x, 1.0),
    "fmax": lambda x: np.fmax(x, OTHERS),
    "fmin": lambda x: np.fmin(x, 1.0),
    "max": np.max,
    "min": np.min,
    "amax of rows": lambda x: np.max(np.outer(x, x), axis=0),
    "ptp": np.ptp,
    "sort": lambda x: np.sort(x) * np.arange(5),
    "median": np.median,
    "quantiles": lambda x: np.quantile(x, [0.25, 0.5, 0.9]),
    "sign": lambda x: np.sign(x) * x,
    "copysign": lambda x: np.copysign(x, OTHERS),
    "heaviside": lambda x: np.heaviside(x, 0.5) * x,
    "nan_to_num": np.nan_to_num,
    "fabs": np.fabs,
    "hypot": lambda x: np.hypot(x, OTHERS - 1),
    "arctan2": lambda x: np.arctan2(x, OTHERS),
    "angle": lambda x: np.angle(x + 1j * OTHERS),
    "power": lambda x: np.power(x, 3.0),
    "power of integers": lambda x: x ** np.array([0, 1, 2, 3, 4]),
    "logaddexp": lambda x: np.logaddexp(x, OTHERS),
    "logaddexp2": lambda x: np.logaddexp2(x, 1.0),
    "sinc": np.sinc,
    "i0": np.i0,
    "expm1": np.expm1,
    "cumprod": np.cumprod,
    "prod": np.prod,
    "nanprod": np.nanprod,
    "trapezoid": lambda x: np.trapezoid(HEIGHTS[:5], x),
    "diff": lambda x: np.diff(x) ** 2,
    "gradient": lambda x: np.gradient(x**2, np.arange(5.0)),
    "where": lambda x: np.where(x >= 1, x * x, 2 * x - 1),
    "piecewise": lambda x: np.piecewise(x, [x < 0, x >= 0], [lambda v: -v, lambda v: v * v]),
    "select": lambda x: np.select([x < 0, x > 1], [x, x**2], x**3),
    "frexp": lambda x: np.frexp(x)[0] * 2.0 ** np.frexp(x)[1],
    "ldexp": lambda x: np.ldexp(x, 2),
    "nextafter": lambda x: np.nextafter(x, 2.0),
    "convolve": lambda x: np.convolve(x, x),
    "linspace": lambda x: np.linspace(x[0], x[1], 5),
    "norm": lambda x: np.linalg.norm(x - 10.0),
    "norm inf": lambda x: np.linalg.norm(x, np.inf),
    "norm 1": lambda x: np.linalg.norm(x, 1),
    "std": lambda x: np.std(np.append(x, 7.0)),
    "polyval": lambda x: np.polyval(x, x),
    "partition": lambda x: np.partition(x, 2) * np.arange(5),
    "average": lambda x: np.average(np.arange(5.0), weights=x + 5),
    "reciprocal": lambda x: np.reciprocal(x + 0.5),
}
"""Functions of five numbers; where two neighbours of a place differ, either slope is right."""

NUMBERS: dict[str, Function] = {
    "%": lambda x: x % 2.0,
    "% of a constant": lambda x: 6.0 % (x + 0.5),
    "divmod": lambda x: divmod(x, 2.0)[1],
    "math.fmod": lambda x: math.fmod(x, 2.0),
    "math.fmod by x": lambda x: math.fmod(6.0, x + 0.5),
    "math.copysign": lambda x: math.copysign(x, -1.0),
    "math.hypot": lambda x: math.hypot(x, 1.0),
    "math.atan2": lambda x: math.atan2(x, 1.0),
    "math.fabs": math.fabs,
    "max": lambda x: max(x, 1.0),
    "min": lambda x: min(1.0, x),
    "abs": abs,
    "interp": lambda x: np.interp(x, KNOTS, HEIGHTS),
    "clip": lambda x: np.clip(x, -1.0, 2.0),
}


def _in_place(x: Any) -> Any:
    y = x * 1.0
    y %= 2.0
    return y


def sides(f: Function, x: Any, v: Any) -> tuple[Any, Any]:
    """The slopes of each result along a direction, before and after a place; no jumps between."""
    far, near = 2 * STEP, STEP
    left = (np.asarray(f(x - near * v)) - f(x - far * v)) / (far - near)
    right = (np.asarray(f(x + far * v)) - f(x + near * v)) / (far - near)
    return np.minimum(left, right), np.maximum(left, right)


def demand_between(f: Function, x: Any, weights: Any = 1.0) -> None:
    """The slopes of the tape and of the graph are those of a side, or lie between them."""

    def total(x: Any) -> Any:
        return np.sum(f(x) * weights)

    made = [npc.grad(total)(x)]
    joint = joint_gradient(total, x)
    if isinstance(joint, str):
        assert "Error" not in joint
    else:
        made.append(joint)
    for k in range(np.size(x)):
        v = np.eye(np.size(x))[k] if np.ndim(x) else 1.0
        low, high = (np.sum(side * weights) for side in sides(f, x, v))
        slack = 1e-4 * max(1.0, abs(low), abs(high))
        for gradient in made:
            slope = gradient[k] if np.ndim(x) else float(gradient)
            assert low - slack <= slope <= high + slack, (x, k, slope, low, high)


@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(1))
@pytest.mark.parametrize("name", EACH)
@pytest.mark.filterwarnings("ignore")
def test_slopes_of_arrays(name: str, seed: int) -> None:
    rng = np.random.default_rng([seed, *name.encode()])
    x = rng.integers(-3, 5, 5).astype(float)
    f = EACH[name]
    demand_between(f, x, rng.uniform(0.5, 1.5, np.shape(f(x))))


@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(2))
@pytest.mark.parametrize("name", NUMBERS)
def test_slopes_of_numbers(name: str, seed: int) -> None:
    x = float(np.random.default_rng([seed, *name.encode()]).integers(-4, 6))
    demand_between(lambda x: NUMBERS[name](float(x)), x)


LINE = 2 * KNOTS


def test_interp_of_a_straight_line_has_its_slope_everywhere() -> None:
    for x in (KNOTS.copy(), np.array([0.5, 1.0, 2.0])):
        demand_between(lambda x: np.interp(x, KNOTS, LINE), x)
    ends = npc.grad(lambda x: np.interp(x, KNOTS, LINE).sum())(KNOTS.copy())
    np.testing.assert_allclose(ends, 2.0)


def test_knots_that_meet_move_the_line() -> None:
    made = npc.grad(lambda knots: np.interp(KNOTS[1:-1], knots, LINE).sum())(KNOTS.copy())
    np.testing.assert_allclose(made[1:-1], -2.0)


@pytest.mark.parametrize(("a", "b"), [(1.0, 0.1), (0.3, 0.1), (6.0, 3.0), (1e6, 0.7), (1.0, -0.1)])
def test_whole_numbers_of_times_are_those_of_the_rest(a: float, b: float) -> None:
    """Of 1.0 by 0.1 the rest is nearly 0.1: the quotient is 9, though 1.0 / 0.1 is 10."""
    for function, whole in ((np.remainder, (a - a % b) / b), (np.fmod, (a - math.fmod(a, b)) / b)):
        for x in (b, np.array([b])):
            f = lambda y, function=function: np.sum(function(a, y))  # noqa: E731
            np.testing.assert_allclose(npc.grad(f)(x), -round(whole), rtol=1e-12)
            made = joint_gradient(f, x)
            np.testing.assert_allclose(made, -round(whole), rtol=1e-12)


def test_second_derivatives_of_rests() -> None:
    x = np.array([0.0, 3.0, 4.0, -6.0])
    made = npc.hessian(lambda x: np.sum(np.remainder(x**2, 3.0)))(x)
    np.testing.assert_allclose(made, 2 * np.eye(4))


def test_remainders_of_infinite_steps() -> None:
    made = npc.grad(lambda x: np.sum(np.remainder(x, np.inf)))(np.array([0.0, 2.0]))
    np.testing.assert_allclose(made, 1.0)
