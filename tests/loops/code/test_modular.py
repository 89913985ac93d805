"""Integers of which only the last bits are asked for."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import assert_whole, whole
from tests.support.loops.native_loops import define, differences, outcome

MIXES = """
def f(words):
    h = 0x9747B28C
    for w in words:
        k = (int(w) * 0xCC9E2D51) & 0xFFFFFFFF
        k = ((k << 15) | (k >> 17)) & 0xFFFFFFFF
        h = (5 * (h ^ (k * 0x1B873593)) + 0xE6546B64) % 2**32
    return h
"""


def test_a_hash_of_products_that_do_not_fit() -> None:
    words = np.random.default_rng(0).integers(0, 2**32, 300, dtype=np.uint32)
    state = assert_whole(MIXES, words)
    assert state.forms[0].iterations
    assert state.forms[0].refusals == 0


def drawn(dice: random.Random, depth: int) -> str:
    if depth == 0 or dice.random() < 0.1:
        return dice.choice(["a", "b", "c", str(dice.randrange(1 << dice.randrange(1, 40)))])
    left, right = drawn(dice, depth - 1), drawn(dice, depth - 1)
    match dice.randrange(8):
        case 0:
            return f"({left} << {dice.randrange(50)})"
        case 1:
            return f"(-{left})"
        case 2:
            return f"({left} // 7 + {right} % 9)"
        case _:
            return f"({left} {dice.choice('+-**&|^')} {right})"


PROGRAM = """
def f(numbers):
    found = []
    for k in range(len(numbers)):
        a, b, c = int(numbers[k, 0]), int(numbers[k, 1]), int(numbers[k, 2])
        found.append({0})
    return found
"""


@pytest.mark.parametrize("seed", range(12))
def test_drawn_expressions(seed: int) -> None:
    """With divisions among them, of which all bits count: those are Python's, or nobody's."""
    dice, rng = random.Random(seed), np.random.default_rng(seed)
    ends = ["& 0xFFFF", "& 0x7FFFFFFFFFFFFFFF", "% 2**31", "% 1024", "% 2**62", "& 1", "& -8"]
    text = PROGRAM.format(f"({drawn(dice, 3)}) {dice.choice(ends)}")
    numbers = rng.integers(-(2**62), 2**62, (40, 3)) >> rng.integers(0, 62, (40, 3))
    function = define(text)
    made, _ = whole(function, [numbers])
    for _ in range(2):
        wrong = differences(outcome(function, [numbers]), outcome(made, [numbers]))
        assert not wrong, (text, wrong)


ALL_BITS = """
def f(numbers):
    found = []
    for k in range(len(numbers)):
        a, x = int(numbers[k]), numbers[k]
        found.append({0})
    return found
"""


@pytest.mark.parametrize(
    "text",
    [
        "(a * a + x) & 0xFF",  # NumPy's numbers raise
        "(a * a + 0.5) % 8",
        "((a * a) // 3) & 0xFF",
        "((a * a) >> 40) & 0xFF",
        "(a * a) % 12",
        "(y := a * a) & 0xFF if a < 3 else y",
        "abs(-a * a) & 0xFF",
        "(a * a * (a * a > 5)) & 0xFF",
    ],
)
def test_all_bits_count(text: str) -> None:
    function = define(ALL_BITS.format(text))
    numbers = np.array([2, 2**31 + 1, 2**33 + 7, -(2**40) - 3, 5])
    made, _ = whole(function, [numbers])
    for _ in range(2):
        wrong = differences(outcome(function, [numbers]), outcome(made, [numbers]))
        assert not wrong, (text, wrong)
