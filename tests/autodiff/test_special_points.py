"""Gradients at special points: zeros of either sign, one element, no dimension, booleans."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from tests.support.gradients.joint import joint_gradient

POINTS = [0.0, -0.0, np.array(0.0), np.array(-0.0), np.array([-0.0]), np.array([0.0, -0.0])]

NONE = [False, 0, 0.0, -0.0, np.array(False), np.array([0, 0], np.int8), np.array([-0.0])]
"""Bases whose powers do not change with the exponent, near a positive one."""


@pytest.fixture(autouse=True)
def tape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


def ones(x: Any) -> Any:
    return np.ones_like(x) if isinstance(x, np.ndarray) else 1.0


def check(f: Callable[[Any], Any], x: Any, first: float, second: float) -> None:
    """Demand derivatives of the sum, of each element along itself: by the tape and by the graph.

    It is taken times a constant, and all elements move at once, so that nothing cancels.
    """
    v, count = ones(x), np.size(x)

    def total(x: Any) -> Any:
        return 3.0 * np.sum(f(x))

    def slope(x: Any) -> Any:
        return np.sum(npc.grad(total)(x) * v)

    made = joint_gradient(total, x)
    assert isinstance(made, str) or np.allclose(made, np.full_like(v, 3.0 * first), rtol=1e-12)
    assert not isinstance(made, str) or "Error" not in made
    firsts = [np.sum(npc.grad(total)(x)), npc.jvp(total, (x,), (v,))[1]]
    np.testing.assert_allclose(firsts, 3.0 * first * count, rtol=1e-12)
    seconds = [
        np.sum(npc.hvp(total, (x,), (v,))),
        np.sum(npc.grad(slope)(x)),
        npc.jvp(slope, (x,), (v,))[1],
        np.sum(npc.hessian(total)(x)),
    ]
    np.testing.assert_allclose(seconds, 3.0 * second * count, rtol=1e-12)


AT_ZERO: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "absolute": (np.absolute, 0, 0),
    "fabs": (np.fabs, 0, 0),
    "abs": (abs, 0, 0),
    "the root of a size": (lambda x: np.sqrt(np.abs(x)), 0, 0),
    "the first power": (lambda x: x**1, 1, 0),
    "no power": (lambda x: x**0, 0, 0),
    "a power by a boolean": (lambda x: np.power(x, np.array(True)), 1, 0),
    "no power by a boolean": (lambda x: np.power(x, np.array(False)), 0, 0),
    "the square by an array": (lambda x: np.power(x, np.array([2])), 0, 2),
    "the cube by floats": (lambda x: np.float_power(x, np.array([3.0])), 0, 0),
    "angles of one sign": (lambda x: np.arctan2(x, 2.0), 0.5, 0),
    "no angle of x": (lambda x: np.arctan2(x, x), 0, 0),
    "angles with zero": (lambda x: np.arctan2(0.0, x), 0, 0),
    "np.angle": (np.angle, 0, 0),
    "copysign": (lambda x: np.copysign(x, -2.0), 0, 0),
    "copysign of booleans": (lambda x: np.copysign(np.array(True), x), 0, 0),
    "hypot": (lambda x: np.hypot(x, 0.0), 0, 0),
    "heaviside": (lambda x: np.heaviside(x, 0.5), 0, 0),
    "products": (lambda x: x * np.array(True) * x, 0, 2),
    "a logarithm left out": (lambda x: np.where(x > 0, np.log(x), 0.0), 0, 0),
    "an inverse left out": (lambda x: np.where(x > 0, np.reciprocal(x), 0.0), 0, 0),
    "a power left out": (lambda x: np.where(x > 0, np.power(x, -1.5), 0.0), 0, 0),
}
"""Functions of each element: their first and second derivative at zero."""


@pytest.mark.parametrize("x", POINTS, ids=repr)
@pytest.mark.parametrize("name", AT_ZERO)
@pytest.mark.filterwarnings("ignore")
def test_derivatives_at_zero(name: str, x: Any) -> None:
    check(AT_ZERO[name][0], x, *AT_ZERO[name][1:])


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0, np.array(1.3), np.array([0.7])], ids=repr)
@pytest.mark.parametrize("base", NONE, ids=repr)
def test_powers_of_zero_do_not_hang_on_their_exponent(base: Any, exponent: Any) -> None:
    powers = [np.power, np.float_power]
    if not isinstance(base, np.ndarray) or isinstance(exponent, np.ndarray):
        powers.append(operator.pow)  # which of an array and a number is another ufunc for some
    for power in powers:
        check(lambda y, power=power: power(base, y), exponent, 0, 0)


@pytest.mark.parametrize("base", [True, 1, np.array(True), np.array([1], np.int8)], ids=repr)
@pytest.mark.parametrize("exponent", [-0.0, 0.5, np.array(1.3)], ids=repr)
def test_powers_of_one_do_not_hang_on_their_exponent(base: Any, exponent: Any) -> None:
    check(lambda y: np.power(base, y), exponent, 0, 0)


NUMBERS: dict[str, tuple[Callable[[float], float], float]] = {
    "math.fabs": (math.fabs, 0),
    "math.pow of zero": (lambda x: math.pow(0.0, x + 1.0), 0),
    "math.pow": (lambda x: math.pow(x, 1.0), 1),
    "math.hypot": (lambda x: math.hypot(x, 0.0), 0),
    "math.atan2": (lambda x: math.atan2(0.0, x), 0),
    "math.copysign": (lambda x: math.copysign(x, 1.0), 0),
    "a number to a number": (lambda x: 0.0 ** (x + 2.0), 0),
}
"""Functions of Python's numbers, and their slope at zero; none is curved there."""


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("x", [0.0, -0.0])
def test_numbers_at_zero(name: str, x: float) -> None:
    check(lambda x: NUMBERS[name][0](float(x)), x, NUMBERS[name][1], 0)


LENGTHS: dict[str, Callable[[Any], Any]] = {
    "std": np.std,
    "nanstd": np.nanstd,
    "std of one element more": lambda x: np.std(np.append(x, x), ddof=1),
    "norm": lambda x: np.linalg.norm(x - x[0]),
    "norm along an axis": lambda x: np.linalg.norm((x - x[0]).reshape(1, -1), axis=0),
    "a cubic norm": lambda x: np.linalg.norm(x - x[0], 3),
    "the root of a norm": lambda x: np.linalg.norm(x - x[0], 0.5),
    "norm of a matrix": lambda x: np.linalg.norm((x - x[0]).reshape(1, -1)),
    "vector_norm": lambda x: np.linalg.vector_norm(x - x[0]),
}
"""Of elements that are all the same: they cannot be shorter."""


@pytest.mark.parametrize("x", [[1.5], [0.0], [-0.0], [0.0, -0.0], [2.0, 2.0]], ids=repr)
@pytest.mark.parametrize("name", LENGTHS)
def test_lengths_of_nothing_have_no_slope(name: str, x: list[float]) -> None:
    check(LENGTHS[name], np.array(x), 0, 0)


@pytest.mark.parametrize("function", [np.std, np.nanstd], ids=lambda f: f.__name__)
def test_of_rows_only_those_that_are_equal_have_no_slope(function: Any) -> None:
    x = np.array([[1.0, 1.0], [1.0, 3.0]])
    made = npc.grad(lambda x: function(x, axis=1).sum())(x)
    np.testing.assert_allclose(made, [[0, 0], [-0.5, 0.5]])


QUANTILES: dict[str, Callable[[Any], Any]] = {
    "median": np.median,
    "nanmedian": np.nanmedian,
    "quantile": lambda x: np.quantile(x, 0.5),
    "nanquantile": lambda x: np.nanquantile(x, 0.5),
    "given quantile": lambda x: np.quantile(x, np.array([0.5])),
    "percentile": lambda x: np.percentile(x, 50),
}


@pytest.mark.parametrize("name", QUANTILES)
@pytest.mark.parametrize("x", [[0.0, -0.0], [-1.0, 2.0, 2.0, 3.0]], ids=repr)
def test_equal_elements_share_the_gradient_of_what_lies_between(name: str, x: list[float]) -> None:
    made = npc.grad(lambda x: np.sum(QUANTILES[name](x)))(np.array(x))
    np.testing.assert_allclose(np.sort(made), [0.0] * (len(x) - 2) + [0.5, 0.5])


@pytest.mark.parametrize("name", [*QUANTILES, "min", "max", "sort"])
@pytest.mark.parametrize("x", [[-0.0], [0.0], [1.5]], ids=repr)
def test_one_element_alone_has_all_of_the_gradient(name: str, x: list[float]) -> None:
    check(QUANTILES.get(name) or getattr(np, name), np.array(x), 1, 0)
