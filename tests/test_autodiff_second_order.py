"""Second derivatives of all expressions, along a direction, against differences of first ones."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from tests.gradient_expressions import EXPRESSIONS, Expression

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
