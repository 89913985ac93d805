"""A loop as a C++ file: what it assumes, what it writes, and what it does not depend on."""

from __future__ import annotations

import ast
import builtins
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.cell.names import bound_names
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.loop_code import LoopCode
from jupyter_npcompile.loops.sequences import Numbers
from jupyter_npcompile.loops.translation import translate
from jupyter_npcompile.runtime.loop_compile import known_of
from tests.support.paths import CHECKOUT


def translated(text: str, **values: Any) -> LoopCode:
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.For | ast.While)
    names = {**vars(builtins), "np": np, **values}
    known = {name: known_of(value) for name, value in names.items()}
    assigned = bound_names([node])
    return translate(node, known.__getitem__, assigned, sorted(assigned), Numbers(), may_lack=True)


def test_the_number_of_iterations_is_no_part_of_the_text() -> None:
    text = "for i in range(n): a[i] = a[i - 1] * x"
    few, many = (translated(text, n=n, a=np.zeros(n), x=0.5) for n in (10, 10**6))
    assert few.source == many.source


def test_what_is_written_is_known() -> None:
    text = (
        "for i in range(9):\n    v = a[1:]\n    w = b\n    w[0] = c[i]\n    d = c * 2\n    d[0] = 1"
    )
    code = translated(text, **{name: np.zeros(9) for name in "abc"})
    assert code.written == ("b",)
    code = translated("for i in range(9):\n    v = a[1:]\n    v[i] = 1.0", a=np.zeros(10))
    assert code.written == ("a",)


def test_what_is_assumed_is_known() -> None:
    code = translated("for i in range(9): t = np.sin(0.5)")
    assert [(a.path, a.value) for a in code.assumptions] == [(("np",), np), (("np", "sin"), np.sin)]


@pytest.mark.parametrize(
    ("text", "checks"),
    [
        ("for k in range(9):\n    for i in range(9): a[i] = a[i + 1]", (4, 2)),
        ("for k in range(9):\n    for i in range(9): a[k] = a[i // 2]", (2, 3)),
        ("for i in range(9): a[i] = 1.0", (2, 1)),
        ("for i in range(9): a[m[i]] = 1.0", (2, 3)),
    ],
)
def test_indices_that_are_linear_are_looked_at_before_the_loop(
    text: str, checks: tuple[int, int]
) -> None:
    code = translated(text, a=np.zeros(9), m=np.zeros(9, int))
    lines = code.source.splitlines()
    before = sum("(uint64_t)" in line and "good_" in line for line in lines)
    inside = sum(line.count("at((i64)") for line in lines)
    assert (before, inside) == checks


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("for i in range(9): a[i] = late", "`late` may not be bound|`late` is not bound"),
        ("for i in range(9): a[i] = word", "neither number nor array"),
        ("for i in range(9): a[0.5] = 1", "an index that is no integer"),
        ("for i in range(9): a[i] = (x := 3) if i else 4.0", "in such a place"),
        ("for i in range(9): t = {k for k in a}", "setcomp"),
        ("for i in range(9): t = c / c", "complex"),
        ("for i in range(9): a += c", "complex128 into an array of float64"),
    ],
)
def test_why_not(text: str, reason: str) -> None:
    with pytest.raises(Declined, match=reason):
        translated(text, a=np.zeros(9), word="word", c=1j)


MANY_NAMES = """
for i in range(n):
    first, second = a[i], a[i] * 2
    if first > second:
        third, fourth = first - 1.0, second + b
        fifth = third
    else:
        third = second
    total = total + third
    sixth = third * 2
    seventh = sixth + first
    eighth = first if i else second
"""


def test_the_text_is_the_same_in_every_process() -> None:
    """What is in the cache is found by its text, which no order of a set may change."""
    code = (
        "import numpy as np; from tests.loops.test_program import MANY_NAMES, translated\n"
        "print(translated(MANY_NAMES, n=9, a=np.ones(9), b=0.5, total=0.0).source)"
    )
    texts = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=CHECKOUT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in "123"
    ]
    assert "m_v_seventh" in texts[0]
    assert len({*texts}) == 1
