"""Second derivatives of all expressions, along a direction, against differences of first ones."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from tests.support.gradients.expressions import EXPRESSIONS, Expression

STEP = 1e-5


@pytest.fixture(autouse=True)
def tape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


def bent(expression: Expression) -> Any:
    """Its value and half of its square: what is linear has a second derivative, too."""

    def run(x: Any) -> Any:
        value = expression.run(x)
        return value + 0.5 * value * value

    return run


def direction(x: Any) -> Any:
    return np.linspace(-1.0, 1.3, x.size) if isinstance(x, np.ndarray) else 1.0


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=lambda e: e.name)
@pytest.mark.filterwarnings("ignore")
def test_second_derivatives(expression: Expression) -> None:
    x, v = copy.copy(expression.x), direction(expression.x)  # some write into it
    function = bent(expression)
    gradient = npc.grad(function)

    def slope(t: float) -> float:
        return float(np.sum(gradient(x + t * v) * v))

    wide = (slope(STEP) - slope(-STEP)) / (2 * STEP)
    narrow = (slope(STEP / 4) - slope(-STEP / 4)) / (STEP / 2)
    assert abs(wide - narrow) <= 1e-4 * abs(wide) + 1e-4, "it is not smooth here"
    made = float(np.sum(npc.hvp(function, (x,), (v,)) * v))
    np.testing.assert_allclose(made, wide, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("base", [np.e, 2.0], ids=["logaddexp", "logaddexp2"])
@pytest.mark.parametrize("gap", [0.0, -0.3, 40.0, 800.0, -5e3, 1e300, np.inf])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_logarithms_of_sums_have_finite_curvature(base: float, gap: float, dtype: str) -> None:
    """Slopes are logistic functions of the gap; the curvature is their product."""
    add = np.logaddexp if base == np.e else np.logaddexp2
    if dtype == "float32" and gap == 1e300:
        gap = 1e30
    x = np.array([1.5, 1.5 - gap], dtype=dtype)
    small = base ** -abs(gap) if abs(gap) < 700 else 0.0
    slopes = np.array([1.0, small]) / (1.0 + small)
    slopes = slopes if gap >= 0 else slopes[::-1]
    curvature = slopes[0] * slopes[1] * np.log(base) * np.array([[1.0, -1.0], [-1.0, 1.0]])

    def run(x: Any) -> Any:
        return add(x[0], x[1])

    rtol = 1e-12 if dtype == "float64" else 1e-4
    np.testing.assert_allclose(npc.grad(run)(x), slopes, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(npc.hessian(run)(x), curvature, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("method", ["reduce", "accumulate"])
@pytest.mark.parametrize("add", [np.logaddexp, np.logaddexp2, np.hypot], ids=lambda f: f.__name__)
def test_chains_of_any_length_have_gradients(add: Any, method: str) -> None:
    """Derivatives may be regrouped: of hundreds of steps, some left out, some far apart."""
    rng = np.random.default_rng(len(method))
    x, v = rng.normal(size=(2, 3, 301)) * np.array([30.0, 1.0]).reshape(2, 1, 1)
    left = rng.random(x.shape) < 0.5

    def run(x: Any) -> Any:
        if method == "accumulate":
            return add.accumulate(x, axis=1)[:, ::7].sum()
        some = add.reduce(x, axis=-1, where=left, initial=-0.5)
        return some.sum() + add.reduce(x, axis=(0, 1)) + add.reduce(x, keepdims=True).sum()

    def slope(t: float) -> float:
        return float(np.sum(npc.grad(run)(x + t * v) * v))

    def change(function: Any) -> Any:
        return (function(STEP) - function(-STEP)) / (2 * STEP)

    expected = change(lambda t: run(x + t * v))
    np.testing.assert_allclose(np.sum(npc.grad(run)(x) * v), expected, rtol=1e-6, atol=1e-6)
    curvature = np.sum(npc.hvp(run, (x,), (v,)) * v)
    np.testing.assert_allclose(curvature, change(slope), rtol=1e-5, atol=1e-5)


def test_the_gradient_of_a_length_of_zero_is_zero() -> None:
    x = np.array([[0.0, 0.0], [3.0, -4.0], [1e-320, 0.0], [1e300, 1e300]])
    slopes = npc.grad(lambda x: np.hypot(x[:, 0], x[:, 1]).sum())(x)
    half = np.sqrt(0.5)
    np.testing.assert_allclose(slopes, [[0, 0], [0.6, -0.8], [1, 0], [half, half]], rtol=1e-3)
    curvature = npc.hessian(lambda x: np.hypot(x[0], x[1]))(x[1])
    np.testing.assert_allclose(curvature, np.array([[16, 12], [12, 9]]) / 125, rtol=1e-12)
