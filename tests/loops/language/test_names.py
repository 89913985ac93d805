"""Names that functions of a loop read from outside: arrays are inputs, numbers are in the code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import compiled, define, differences, outcome

LEAST_SQUARES = """
def residual(w):
    return X @ w - y
def gradient(w):
    return X.T @ residual(w) / len(y)
def f(w, rate, n):
    for k in range(n):
        w = w - rate * gradient(w)
    return w, residual(w)
"""

TABLE = """
def weight(i, j):
    return W[i, j] if i < j else W[j, i]
def mark(i):
    W[i, i] = -1.0
def same():
    return W
def f(a, n):
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += weight(i, j) * a[i]
            a[j] = total
        mark(i)
    return total, same()[0], same() is a
"""


def arrays(n: int = 12) -> dict[str, Any]:
    rng = np.random.default_rng(n)
    return {"X": rng.standard_normal((n, 3)), "y": rng.standard_normal(n)}


def assert_runs(function: Any, made: Any, state: Any, given: Any, *, natively: bool = True) -> None:
    """Compare two calls on arguments made anew; say whether the second one was native."""
    before = sum(form.iterations for form in state.forms)
    one, other = given(), given()
    kept = {k: v.copy() for k, v in function.__globals__.items() if isinstance(v, np.ndarray)}
    expected = outcome(function, one)
    left = {name: function.__globals__[name].copy() for name in kept}
    for name, value in kept.items():
        function.__globals__[name][...] = value
    assert not (wrong := differences(expected, outcome(made, other))), wrong
    for name, value in left.items():
        np.testing.assert_array_equal(function.__globals__[name], value)
    assert (sum(form.iterations for form in state.forms) > before) is natively


def test_global_arrays_are_looked_up_in_each_call() -> None:
    function = define(LEAST_SQUARES, arrays())
    given = lambda: [np.zeros(3), 0.1, 20]  # noqa: E731
    made, state = whole(function, given())
    assert not state.closed, state.closed
    assert sorted(state.forms[0].code.paths) == ["01X_0", "01y_1"]
    state.forms[0].checked = True
    assert_runs(function, made, state, given)
    function.__globals__["X"][3:] *= 2.0
    assert_runs(function, made, state, given)
    function.__globals__.update(arrays(30))
    assert_runs(function, made, state, given)
    function.__globals__["y"] = np.asfortranarray(arrays(60)["y"])[::2]
    assert_runs(function, made, state, given, natively=False)
    function.__globals__["y"] = arrays(30)["y"]
    assert_runs(function, made, state, given)
    del function.__globals__["y"]
    with pytest.raises(NameError, match="'y' is not defined"):
        made(*given())


def test_variables_of_closures() -> None:
    text = """
def make(data):
    def loss(p):
        return np.sum((data - p) ** 2)
    def replace(other):
        nonlocal data
        data = other
    return loss, replace
loss, replace = make(np.arange(6.0))
def f(n):
    p = 0.0
    for k in range(n):
        p = p + 0.01 * loss(p)
    return p
"""
    function = define(text)
    made, state = whole(function, [9])
    assert not state.closed, state.closed
    state.forms[0].checked = True
    assert_runs(function, made, state, lambda: [9])
    function.__globals__["replace"](np.linspace(0.0, 1.0, 50))
    assert_runs(function, made, state, lambda: [9])
    function.__globals__["replace"]([1.0, 2.0])
    assert outcome(function, [9]).result == outcome(made, [9]).result


@pytest.mark.parametrize("shared", [False, True])
def test_a_global_array_that_is_written_and_may_be_an_argument(shared: bool) -> None:
    table = np.arange(36.0).reshape(6, 6) / 7
    function = define(TABLE, {"W": table})
    given = lambda: [table[2] if shared else np.ones(6), 6]  # noqa: E731
    made, state = whole(function, [np.ones(6), 6])
    assert not state.closed, state.closed
    assert len(state.forms[0].code.paths) == 1  # three functions read one variable
    state.forms[0].checked = True
    table[...] = np.arange(36.0).reshape(6, 6) / 7
    assert_runs(function, made, state, given)


def test_loops_of_a_function_that_is_no_whole() -> None:
    text = LEAST_SQUARES.replace("    return w, res", "    exec('')\n    return w, res")
    function = define(text, arrays())
    made = compiled(function)
    for _ in range(3):
        wrong = differences(
            outcome(function, [np.zeros(3), 0.1, 500]), outcome(made, [np.zeros(3), 0.1, 500])
        )
        assert not wrong, wrong


def test_squares_of_numbers_are_those_of_pow() -> None:
    text = """
def f(x):
    y = np.empty((len(x), 2))
    for i in range(len(x)):
        y[i, 0] = x[i] ** 2
        y[i, 1] = float(x[i]) ** 2 + x[i] ** -1
    return y
"""
    function = define(text)
    tiny = 10.0 ** -np.arange(130.0, 153.0)
    x = np.concatenate([np.random.default_rng(0).standard_normal(200_000), tiny, 1 / tiny])
    made, state = whole(function, [x])
    assert not state.closed, state.closed
    state.forms[0].checked = True
    np.testing.assert_array_equal(made(x), function(x))
    assert state.forms[0].iterations
