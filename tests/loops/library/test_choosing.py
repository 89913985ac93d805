"""Elements that a condition chooses."""

from __future__ import annotations

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import assert_whole

pytestmark = pytest.mark.usefixtures("straight_functions")

X = np.random.default_rng(0).normal(size=(6, 5))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "c16"])
@pytest.mark.parametrize(
    "call",
    [
        "np.compress(x[:, 0].real > 0, x[:, 1])",
        "np.compress(x[:, 0].real > 0, x, axis=0)",
        "np.compress(x[0].real > 0, x, 1)",
        "np.compress(x[0].real > 0, x, axis=-1)",
        "np.compress(condition=x[0].real > 0, a=x[2], axis=None)",
        "np.compress(k, x[:, 2])",
        "np.extract(x.real > 0, x)",
        "np.extract(x[1].real > 0, x[0] * 2)",
        "np.extract(k, x[:, 3])",
    ],
)
def test_it_is_numpy_s(call: str, dtype: str) -> None:
    x = X.astype(dtype)
    text = f"def f(x, k):\n    y = {call}\n    return y, y.shape, x\n"
    state = assert_whole(text, x, np.array([1, 0, 3, 0, 0, 2]))
    assert state.forms[0].iterations


@pytest.mark.parametrize("condition", [[True], [True, False, True, False, True, False, True]])
def test_other_lengths_are_numpy_s(condition: list[bool]) -> None:
    """A condition may be shorter; one that is longer is an error where it chooses what is not."""
    text = "def f(k, x):\n    return np.compress(k, x)\n"
    assert_whole(text, np.array(condition), X[:, 0])


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "c16"])
def test_the_real_part_of_what_is_real_is_itself(dtype: str) -> None:
    text = """
def f(x):
    y = x.real
    y[0, 0] = 5
    s = x[0, 1].real
    for i in range(1, len(x)):
        s += x[i, 1].real
    return y, s, (x * 2).real
"""
    state = assert_whole(text, X.astype(dtype))
    assert state.forms[0].iterations
