"""The first-run check: what passes as rounding, and what does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.graph import Graph, Node, ValueType
from jupyter_npcompile.runtime.check import Rounding, difference, magnitude, precision


@pytest.mark.parametrize(
    ("expected", "actual", "words"),
    [
        (np.float64(1), np.ones(()), "type float64 became ndarray"),
        (np.ones(2), np.ones(2, np.float32), "dtype float64 became float32"),
        (np.ones((2, 1)), np.ones(2), "shape (2, 1) became (2,)"),
        (np.ones((2, 3)), np.ones((2, 3), order="F"), "strides (24, 8) became (8, 16)"),
        (np.ones(3), np.ones(3)[:], "owns its memory became one that is a view"),
        (np.ones(3)[:], np.ones(3), "is a view became one that owns its memory"),
        (np.array([1, 2]), np.array([1, 3]), "1 of 2 values differ, first x[1]: 2 became 3"),
        (np.array([True]), np.array([False]), "True became False"),
        (np.array([1.0, np.nan]), np.array([1.0, 2.0]), "nan became 2.0"),
        (np.array([np.inf]), np.array([-np.inf]), "inf became -inf"),
        (1.0, 1.1, "1.0 became 1.1"),
        ([1, 2], [1], "length 2 became 1"),
        ((1, np.ones(1)), (1, np.zeros(1)), "x[1]: 1 of 1 values differ"),
        ({"a": 1}, {"b": 1}, "keys ['a'] became ['b']"),
        ({"a": 1}, {"a": 2}, "x['a']: 1 of 1 values differ"),
    ],
)
def test_differences_are_found(expected: Any, actual: Any, words: str) -> None:
    found = difference("x", expected, actual)
    assert found is not None
    assert words in found


@pytest.mark.parametrize(
    "value",
    [np.ones(3), np.array([np.nan, np.inf]), np.float32(2), 3, "text", None, [np.ones(1)], ()],
    ids=repr,
)
def test_equal_values_pass(value: Any) -> None:
    assert difference("x", value, value.copy() if hasattr(value, "copy") else value) is None


def test_rounding_passes_and_cancellation_is_judged_by_its_inputs() -> None:
    third = np.full(4, 1 / 3)
    assert difference("x", third, third * (1 + 1e-15)) is None
    tiny = np.full(4, 1e-16)
    assert difference("x", tiny, tiny * 3) is not None
    assert difference("x", tiny, tiny * 3, Rounding(magnitude=1.0)) is None
    assert difference("x", third, third + 1e-8) is not None
    assert difference("x", third, third + 1e-8, Rounding(precision=1e-7)) is None


def test_precision_and_magnitude() -> None:
    single = Node(0, "input", types=(ValueType("array", "float32", (2,), (4,)),))
    assert precision(Graph("numpy", (single,))) == np.finfo(np.float32).eps
    assert precision(Graph("numpy")) == 0
    assert magnitude({0: np.array([1.0, -7.0, np.inf]), 1: 3, 2: 2.5}) == 7
