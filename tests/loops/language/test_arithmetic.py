"""Numbers that are Python's integers at first: what they are is as in Python, at any time."""

from __future__ import annotations

import random

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.loops.arithmetic import wholes
from jupyter_npcompile.loops.promotion import common
from tests.loops.test_program import translated
from tests.support.compiling.batches import Batches
from tests.support.loops.native_batches import compiled_together
from tests.support.loops.native_loops import assert_same, compiled, define, how, outcome
from tests.support.session.seeds import seeds

SEEDS = seeds(60)


@pytest.fixture(autouse=True)
def _native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "native-loop")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "off")


def drawn(seed: int) -> str:
    """A function whose names begin as integers, and become floats in some of its iterations."""
    rng = random.Random(seed)
    names = "abc"

    def value(depth: int) -> str:
        if not depth or rng.random() < 0.25:
            return str(rng.choice([*names, *names, "k", rng.randint(-3, 3)]))
        kind = rng.choice(["+", "-", "*", "+", "-", "abs", "minus", "half", "given", "/"])
        if kind == "abs":
            return f"abs({value(depth - 1)})"
        if kind == "minus":
            return f"(-{value(depth - 1)})"
        if kind == "half":
            return f"0.5 * ({value(depth - 1)})"
        if kind == "given":
            return f"({rng.choice(['x', 'y'])} - {value(depth - 1)})"
        if kind == "/":
            return f"({value(depth - 1)}) / {rng.choice(['2', '4', 'y'])}"
        return f"({value(depth - 1)} {kind} {value(depth - 1)})"

    def test() -> str:
        return f"{value(1)} {rng.choice(['<', '<=', '==', '>'])} {value(1)}"

    lines = ["def f(x, y, n):", *(f"    {name} = {rng.randint(-4, 5)}" for name in names)]
    lines += ["    seen = []", "    for k in range(n):"]
    for _ in range(rng.randint(2, 4)):
        name = rng.choice(names)
        step = f"{name} = {value(2)}"
        bounded = f"if abs({name}) > 1000: {name} = {rng.choice(['1', '0.5', 'k'])}"
        if rng.random() < 0.6:
            lines += [f"        if {test()}:", f"            {step}", f"        {bounded}"]
        else:
            lines += [f"        {step}", f"        {bounded}"]
    lines += [f"        if {test()}:", "            seen.append(k)"]
    return "\n".join([*lines, f"    return a, b, c, {value(1)}, seen", ""])


def given(run: int) -> tuple[float, np.float64, int]:
    rng = np.random.default_rng(run)
    return float(rng.normal()), np.float64(rng.normal()), run % 7


@pytest.fixture(scope="module")
def batches() -> Batches[int]:
    return Batches(
        SEEDS,
        compiled_together,
        lambda seed: outcome(compiled(define(drawn(seed))), given(5)),
    )


@pytest.mark.drawn
@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_numbers(seed: int, batches: Batches[int]) -> None:
    batches.need(seed)
    assert_same(define(drawn(seed)), given, runs=14)


def test_most_of_them_run_natively(batches: Batches[int]) -> None:
    ran = 0
    for seed in SEEDS:
        batches.need(seed)
        function = compiled(define(drawn(seed)))
        outcome(function, given(5))
        ran += how(function) == "native"
    assert ran >= len(SEEDS) // 3


BISECTION = """
def f(goals, low, high):
    found = []
    for goal in goals:
        a, b = low, high
        while abs(b - a) > 1e-9:
            middle = (a + b) / 2
            if middle**3 + middle < goal:
                a = middle
            else:
                b = middle
        found.append((a + b) / 2)
    return found
"""


def test_a_bisection_between_integers() -> None:
    function = assert_same(define(BISECTION), lambda run: (np.linspace(-2, 2, 9) + run, -5, 5))
    assert how(function) == "native"


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("t = t * a if t else b", (3, 0)),
        ("t = (a - b) * (b - a)", (2**40, -(2**30))),
        ("t = -(a - b)", (4, 4)),
        ("t = a * b / 4", (0, -3)),
    ],
)
def test_zeros_and_large_integers_are_pythons(text: str, start: tuple[int, int]) -> None:
    """No negative zero, and no sum that a float does not have."""
    lines = ["def f(a, b, n):", "    t = 0", "    for k in range(n):", f"        {text}"]
    lines += [
        "        if k > 2:",
        "            a, b = 0.5, 1.5",
        "    return a, b, t, 1.0 / (t or 1)",
    ]
    assert_same(define("\n".join(lines)), lambda run: (*start, run), runs=6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["less", "equal"])
def test_two_of_them_are_compared_as_floats(name: str, dtype: str) -> None:
    """As integers they would lose their fractions, once they have some."""
    kinds = [int, np.dtype(dtype)]
    assert common(name, kinds, kinds)[0] == dtype


def test_what_does_not_take_them_is_translated_without() -> None:
    made = define(
        "def f(n):\n    a, b = 0, 1\n    for k in range(n):\n"
        "        t = round(a - b)\n        a, b = b, a + 0.5\n    return t"
    )
    assert_same(made, lambda run: (run + 1,), runs=6)


def test_translations_begin_with_them() -> None:
    text = "for i in range(n):\n    d = b - a\n    a, b = b, 0.5 * d"
    code = translated(text, a=0, b=1, n=5)
    assert "whole_or_float(" in code.source
    assert wholes.are_allowed
