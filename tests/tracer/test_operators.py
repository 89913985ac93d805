"""Arithmetic of Python's own that raises does so in replays, whether its result is used or not."""

from __future__ import annotations

import linecache
import math
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.tracer.operators import may_raise

STATEMENTS = """
k // (2 - k) | z = k % (2 - k) | k / (2 - k) | (k - 3) ** (k - 4) | 1 << (k - 2) | 5 >> (k - 2)
int(f) | round(f) | divmod(3, k - 2) | pow(k - 2, -1) | f ** 3 | abs(f) | math.sqrt(k - 2)
math.log(k - 1) | float(10 ** k) | (k * 10 ** 18) / 3 | f // (k - 2.0) | 1j / (k - 2)
math.floor(f) | min(f, 3) / (k - 2) | z = (k, 1 // (k - 2)) | z = [1 % (k - 2)] | -f ** 0.5
int(str(k)) // (k - 2) | range(3)[k] | (1, 2, 3)[k] | "abc"[k] | {1: 2, 5: 3}[k]
"""
NUMBERS = [
    *((1, 2.0), (5, 2.5), (5, -1.5), (3, 1e200), (2, 2.0), (4, float("nan")), (1, float("inf"))),
    *((5, 2.5), (0, 0.0), (-3, 1.0), (900, 1.0)),
]


def function_with(statement: str) -> Any:
    """A function with source that computes something else, too."""
    source = f"def function(x, k, f):\n    y = x + 1\n    {statement}\n    return y\n"
    filename = f"<operators {statement}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    space: dict[str, Any] = {"math": math}
    exec(compile(source, filename, "exec"), space)
    return space["function"]


def outcome(function: Any, k: int, f: float) -> Any:
    try:
        return function(np.ones(3), k, f).tolist()
    except Exception as error:
        return repr(error)


@pytest.mark.parametrize("statement", STATEMENTS.replace("\n", " | ").strip(" |").split(" | "))
def test_it_raises_as_it_would(statement: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    function = function_with(statement.strip())
    made = npc.compile(function)
    for k, f in NUMBERS:
        assert outcome(made, k, f) == outcome(function, k, f), (k, f)


def test_what_cannot_raise_need_not_be_computed() -> None:
    assert not may_raise("FloorDiv", (7, 2))
    assert not may_raise("Pow", (7, 2))
    assert not may_raise("Add", (7, 2))
    assert may_raise("Pow", (7.0, 2))
    assert may_raise("Div", (7, 0))
