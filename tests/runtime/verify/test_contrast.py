"""Two namespaces held against each other: every respect in which they can differ."""

from __future__ import annotations

import re
import types
from collections import deque
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.runtime.contrast import Contrast


def found(expected: dict[str, Any], actual: dict[str, Any]) -> list[tuple[str, str]]:
    contrast = Contrast()
    contrast.names(expected, actual)
    return [(m.kind, m.name) for m in contrast.found]


x = np.arange(6.0)
frozen = np.arange(6.0)
frozen.flags.writeable = False
objects = np.array([1, "a", None], dtype=object)
other_objects = np.array([1, "b", None], dtype=object)
records = np.array([(1, 2.0)], dtype=[("a", int), ("b", float)])


class Holder:
    __slots__ = ("held",)

    def __init__(self, held: Any) -> None:
        self.held = held


@pytest.mark.parametrize(
    ("expected", "actual", "differences"),
    [
        (1.0, np.float64(1), [("type", "v")]),
        (np.float64(1), np.array(1.0), [("type", "v")]),
        ([1], (1,), [("type", "v")]),
        (np.ones(2), np.ones(2, np.float32), [("dtype", "v")]),
        (np.ones((2, 1)), np.ones(2), [("shape", "v")]),
        (np.ones((2, 3)), np.ones((2, 3), order="F"), [("order", "v")]),
        (x.copy(), frozen, [("flags", "v")]),
        (np.array([1, 2]), np.array([1, 3]), [("value", "v")]),
        (np.array([1.0]), np.array([np.nan]), [("value", "v")]),
        ("a", "b", [("value", "v")]),
        (None, 0, [("type", "v")]),
        ({"k": 1}, {"k": 2}, [("value", "v['k']")]),
        ({"k": 1}, {"l": 1}, [("value", "v")]),
        ([1, 2], [1], [("value", "v")]),
        ([1, np.nan], [1, np.nan], []),
        ({1, 2}, {1, 3}, [("value", "v")]),
        (deque([1]), deque([2]), [("value", "v[0]")]),
        (objects, other_objects, [("value", "v[1]")]),
        (objects, objects.copy(), []),
        (records, records.copy(), []),
        (np.array(["a"]), np.array(["b"]), [("value", "v")]),
        (np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 2], mask=[0, 0]), [("value", "v.mask")]),
        (Holder(np.ones(2)), Holder(np.zeros(2)), [("value", "v.held")]),
        (types.SimpleNamespace(a=1), types.SimpleNamespace(a=2), [("value", "v.a")]),
        (ValueError("a"), ValueError("b"), [("value", "v.args[0]")]),
        (np.random.default_rng(1), np.random.default_rng(1), []),
        (range(3), range(4), [("value", "v")]),
        (1 + 0j, 1 + 1j, [("value", "v")]),
    ],
    ids=lambda value: re.sub(" at 0x[0-9a-fA-F]+", "", repr(value)),  # equal in all processes
)  # fmt: skip
def test_values(expected: Any, actual: Any, differences: list[tuple[str, str]]) -> None:
    assert found({"v": expected}, {"v": actual}) == differences


def test_random_generators_differ_in_their_state() -> None:
    used = np.random.default_rng(1)
    used.normal()
    (difference, *_) = found({"r": np.random.default_rng(1)}, {"r": used})
    assert difference[0] == "value"


def test_names_that_are_not_bound() -> None:
    assert found({"a": 1}, {}) == [("value", "a")]
    assert found({}, {"a": x}) == [("value", "a")]


def test_shared_memory() -> None:
    base, copy = x.copy(), x.copy()
    same = {"a": base, "b": base[1:], "c": base}
    assert found(same, {"a": copy, "b": copy[1:], "c": copy}) == []
    apart = {"a": copy, "b": copy[1:].copy()[:], "c": copy}
    assert ("aliasing", "b") in found(same, apart)
    moved = {"a": copy, "b": copy[:5], "c": copy}
    assert ("aliasing", "b") in found({"a": base, "b": base[1:], "c": base}, moved)
    assert ("aliasing", "c") in found(same, {"a": copy, "b": copy[1:], "c": copy[:]})


def test_one_object_with_two_names() -> None:
    one = [1]
    assert found({"a": one, "b": one}, {"a": [1], "b": [1]}) == [("aliasing", "b")]
    loop: list[Any] = []
    loop.append(loop)
    again: list[Any] = []
    again.append(again)
    assert found({"a": loop}, {"a": again}) == []


def test_rounding_is_measured() -> None:
    contrast = Contrast()
    contrast.names({"a": np.ones(3)}, {"a": np.ones(3) * (1 + 2**-52 * 3)})
    assert contrast.found == []
    assert contrast.rounding_ulps == 3
