"""Short loops over constants are the same statements, however they go through their numbers."""

from __future__ import annotations

import ast
import builtins
import itertools
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.loops.fusion.unrolling import unrolled
from tests.runtime.dispatch.test_whole_function import assert_whole

KNOWN: dict[str, Any] = {**vars(builtins), "itertools": itertools, "np": np}


def resolve(node: ast.expr) -> Any:
    if isinstance(node, ast.Attribute):
        return getattr(resolve(node.value), node.attr)
    if isinstance(node, ast.Name):
        return KNOWN[node.id]
    raise LookupError


def steps(text: str) -> list[str] | None:
    """What a loop stands for, without what its names are in the end."""
    (node,) = ast.parse(text).body
    assert isinstance(node, ast.For)
    found = unrolled(node, resolve)
    if found is None:
        return None
    return [text for text in map(ast.unparse, found) if not text.startswith(("i =", "j =", "w ="))]


PAIRS = [
    "for i in range(2):\n  for j in range(3): a += x[i:i + n, j:j + n]",
    "for i, j in itertools.product(range(2), range(3)): a += x[i:i + n, j:j + n]",
    "for i, j in np.ndindex(2, 3): a += x[i:i + n, j:j + n]",
    "for i, j in np.ndindex((2, 3)): a += x[i:i + n, j:j + n]",
    "for i, j in ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)): a += x[i:i + n, j:j + n]",
    "for i, j in itertools.product((0, 1), [0, 1, 2]): a += x[i:i + n, j:j + n]",
]

WEIGHTS = [
    "for i, w in enumerate((0.5, 2.0, 1.5)): a += w * x[i:i + n]",
    "for i, w in zip(range(3), (0.5, 2.0, 1.5)): a += w * x[i:i + n]",
    "for i, w in ((0, 0.5), (1, 2.0), (2, 1.5)): a += w * x[i:i + n]",
    "for (i, w) in zip((0, 1, 2), (0.5, 2.0, 1.5), strict=True): a += w * x[i:i + n]",
]


@pytest.mark.parametrize("group", [PAIRS, WEIGHTS], ids=["pairs", "weights"])
def test_spellings_are_one(group: list[str]) -> None:
    first, *others = map(steps, group)
    assert first is not None
    for text, other in zip(group[1:], others, strict=True):
        assert other == first, text


@pytest.mark.parametrize(
    "text",
    [
        "for i, j in itertools.product(range(n), range(3)): a += x[i, j]",
        "for i, j in itertools.product(range(10), range(3)): a += 1; b += 1; c += 1",  # too many
        "for i in np.ndindex(10): a += x[i]",
        "for i, i in np.ndindex(2, 2): a += x[i]",
        "for i, j in np.ndindex(2, 2): i = a",
        "for i, (j, w) in np.ndindex(2, 2): a += w",
        "for i in itertools.combinations(range(3), 2): a += x[i]",
        "for i, w in zip((1, 2), (1,), strict=True): a += w",
        "for i, w in enumerate(x): a += w",
        "for i, j in itertools.product(*((0, 1), (0, 1))): a += x[i, j]",
    ],
)
def test_what_is_no_short_loop_of_constants(text: str) -> None:
    assert steps(text) is None


BOX = """import itertools
def f(x):
    n, m = x.shape[0] - 2, x.shape[1] - 2
    total = np.zeros((n, m))
    for {head}:
        total += {weight} * x[i : i + n, j : j + m]
    return total, i, j
"""


@pytest.mark.parametrize(
    "head",
    [
        "i, j in itertools.product(range(3), repeat=2)",
        "i, j in np.ndindex(3, 3)",
        "j, i in itertools.product((2, 0), (1, 2, 0))",
    ],
)
@pytest.mark.parametrize("weight", ["0.25", "(i - 1) * (j + 1)", "x[i, j]"])
def test_results_are_numpy_s(head: str, weight: str) -> None:
    x = np.random.default_rng(3).random((9, 8))
    assert_whole(BOX.format(head=head, weight=weight), x)
