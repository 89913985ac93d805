"""Products in native loops: by the routine that NumPy takes, of operands in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.loops.library import linear_algebra
from tests.support.loops.native_batches import compiled_together
from tests.support.loops.native_loops import compiled, define, differences, how, outcome

pytestmark = pytest.mark.skipif(
    not linear_algebra.addresses(), reason="NumPy's library has other names here"
)

TEXT = "def f(x, y, v, k):\n    for _ in range(k):\n        t = {}\n    return t"

ALIKE = (
    "x.T @ x",
    "x @ x.T",
    "x[:, 3:].T @ x[:, 3:]",
    "x[::2] @ x[::2].T",
    "x @ y[:, :1]",
    "x.T @ x[:, 2:3]",
    "x[:1] @ y",
    "x[4:5] @ x.T",
    "x[:, 1:2] @ y[:1]",
    "x[:, :1] @ x[:, 1:2].T",
    "(x[:, :1] - 1) @ x[::-1, 1:2].T",
)
"""Products of one row or column, or of a matrix by itself."""

LAID_OUT = (
    "(0.3 * x.T) @ x",
    "(x.T - x.T.mean()) @ (x + 1)",
    "x @ (x.T * 2 + 1)",
    "(x.T * v[:70] + y[:, :70]) @ x",
    "(np.exp(-y.T) / v[:70]) @ y[:, 5:]",
    "(x.T[::-1] * x.T[:, ::-1]) @ x",
    "(x.T[:, :1] * x.T) @ x",
    "(x[:3].T * v[:3]) @ x[:3]",
    "(v[:70] * x.T) @ v[:70]",
    "(x.T > 0.5) @ x",
    "v[:70] @ (x.T * 2)[:70]",
)
"""Operands whose elements NumPy lays out column by column, and such that it does not."""


@pytest.fixture(autouse=True)
def _native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "native-loop")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "off")


@pytest.fixture(scope="module", autouse=True)
def _compiled_at_once() -> None:
    with pytest.MonkeyPatch.context() as patch, compiled_together():
        patch.setattr(jupyter_npcompile.settings, "tier", "native-loop")
        for text in (*ALIKE, *LAID_OUT):
            outcome(compiled(define(TEXT.format(text))), given())


def given(dtype: str = "float64") -> tuple[Any, ...]:
    """A matrix, one whose rows are as long as its columns, a vector, and how often."""
    rng = np.random.default_rng(5)
    x, y, v = rng.normal(size=(70, 90)), rng.normal(size=(90, 70)), rng.normal(size=90)
    return x[:, :70].astype(dtype), y[:70].astype(dtype), v.astype(dtype), 2


def assert_same(expression: str, values: tuple[Any, ...]) -> None:
    function = define(TEXT.format(expression))
    native = compiled(function)
    wrong = differences(outcome(function, values), outcome(native, values))
    assert not wrong, (expression, wrong)
    assert how(native) == "native"


@pytest.mark.parametrize("expression", ALIKE)
def test_the_routine_is_numpy_s(expression: str) -> None:
    """Sums are rounded as there, and no sign of a zero is another."""
    x, y, v, k = given()
    for one in (x, np.where(abs(x) < 1, -0.0, x)):
        values = (one, y, v, k)
        assert_same(expression, values)
        function = define(TEXT.format(expression))
        assert function(*values).tobytes() == compiled(function)(*values).tobytes()


@pytest.mark.parametrize("expression", LAID_OUT)
@pytest.mark.parametrize("layout", ["C", "F", "backwards"])
def test_operands_in_any_order(expression: str, layout: str) -> None:
    x, y, v, k = given()
    if layout == "F":
        x, y = np.asfortranarray(x), np.asfortranarray(y)
    elif layout == "backwards":
        x, y, v = x[::-1, ::-1], y[::-1], v[::-1]
    assert_same(expression, (x, y, v, k))


def test_what_does_not_fit_is_raised() -> None:
    x, y, v, k = given()
    for text in ("(0.3 * x.T) @ x", "(v[:70] * x.T) @ v[:70]"):
        function = define(TEXT.format(text))
        native = compiled(function)
        outcome(native, (x, y, v, k))
        for bad in ((x[:, :60], y, v[:30], k), (x[:0], y, v, k), (x[:, :0], y, v, k)):
            wrong = differences(outcome(function, bad), outcome(native, bad))
            assert not wrong, wrong
