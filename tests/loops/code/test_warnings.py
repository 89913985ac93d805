"""NumPy computes all elements of all operands, and warns of each: so does native code."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define

pytestmark = pytest.mark.usefixtures("straight_functions")

EXPRESSIONS = (
    "(a > 0) & (1 / a > 2)",
    "(a == 0) | (np.log(a) > 2)",
    "np.logical_and(a > 0, 1 / a > 2)",
    "np.logical_or(a == 0, np.sqrt(a - 1) > 2)",
    "np.where(a > 0, 1 / a, -a)",
    "np.where(a > 0, 1 / a, 0.0)",
    "np.where(a > 0, 2.0, 1 / a - 1 / (a + 1))",
    "np.where(a > 0, (a / (a - a)).astype(np.int64), 3)",
    "np.where(a > 0, 1 / a > 2, a < 1)",
    "np.where(a > 0, 1 / a.astype(np.float32), np.float32(2))",
    "np.where(a > 0, 1 / a, np.sqrt(a)).sum()",
    "np.where(a > 0, np.where(a > 1, 1 / (a - 1), a), 1 / a)",
    "np.select([a > 0, a < -1], [1 / a, a * a], 0.0)",
    "np.any((a > 0) & (1 / a > 2)), np.all((a == 0) | (1 / a > 2))",
    "np.maximum(a, 1 / a), np.minimum(2.0, 1 / a)",
    "np.clip(1 / a, 0, 1)",
    "(a + 0j) * 1e308 * 1e308 * (a > 0)",
)


def warned(function: Any, a: Any) -> tuple[list[str], Any]:
    """What is warned of, and what is returned."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = function(a)
    return [str(one.message) for one in caught], found


@pytest.mark.parametrize("text", EXPRESSIONS)
@pytest.mark.parametrize("length", [3, 40])
def test_what_is_not_taken_is_warned_of(text: str, length: int) -> None:
    head = "def f(a):\n    for once in range(1): last = once\n"
    function = define(f"{head}    return {text}")
    plain = np.linspace(2.0, 3.0, length)
    native, state = whole(function, [plain])
    assert not state.closed, state.closed
    for place in (None, 0, length // 2, length - 1):
        a = plain.copy()
        for value in (0.0, 1.0, -1.0) if place is not None else ():
            a[place] = value
            messages, _ = warned(function, a)
            assert warned(native, a)[0] == messages, (place, value)
        np.testing.assert_equal(warned(native, a)[1], warned(function, a)[1])


HELD = """
def f(a):
    for once in range(1): last = once
    ratio = 1 / a
    root = np.sqrt(a)
    return np.where(a > 0, ratio, root) + np.where(a > 1, root, 2.0)
"""


def test_what_has_a_name_and_is_not_taken() -> None:
    function = define(HELD)
    native, state = whole(function, [np.linspace(2.0, 3.0, 40)])
    assert not state.closed, state.closed
    for value in (0.0, 1.0, -1.0):
        a = np.linspace(2.0, 3.0, 40)
        a[7] = value
        assert warned(native, a)[0] == warned(function, a)[0]
