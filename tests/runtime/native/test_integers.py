"""Integers that have no room wrap around in compiled code, whatever it is made of."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest

import jupyter_npcompile as npc
from tests.support.loops.native_loops import define

DTYPES = ("int8", "int16", "int64", "uint32", "uint64")

EXPRESSIONS = 24
"""What one function computes: to compile it takes seconds."""

WRONG = [
    "(((x >> 2) * 7) >> 1)",  # the compiler took the product for positive
    "(np.abs(x) << 3) * 0.5",  # what follows was computed as an `int`
    "(np.sign(x) * y * 93) * 0.5",
    "((x // 3) * y * 9) * 0.5",
]
"""What compiled code had wrong."""


def values(dtype: str, generator: np.random.Generator) -> np.ndarray:
    """Numbers of all sizes, and those at both ends."""
    info = np.iinfo(dtype)
    ends = np.array([info.min, info.min + 1, info.max - 1, info.max, 0, 1], dtype)
    return np.concatenate(
        [
            np.tile(ends, 4),
            generator.integers(info.min, info.max, 150, dtype, endpoint=True),
            generator.integers(0, 100, 50).astype(dtype),
        ]
    )


def expression(draw: random.Random, names: list[str], bits: int, depth: int) -> str:
    """An expression of integers of one dtype, in brackets."""
    if depth == 0:
        return draw.choice([*names, *names, str(draw.randrange(1, 100))])
    one, other = (expression(draw, names, bits, draw.randrange(depth)) for _ in range(2))
    name, second = draw.choice(names), draw.choice(names)
    return draw.choice(
        [
            *(f"({name} {op} {other})" for op in "+-*&|^+-*"),
            f"({one} * {name})",
            f"({name} - {one})",
            f"(({name} + {one}) >> {draw.randrange(bits)})",
            f"(({name} * {one}) >> {draw.randrange(bits)})",
            f"(({one} | {name}) << {draw.randrange(bits)})",
            f"(~({one} + {name}))",
            f"(-({name} - {one}))",
            f"np.abs({name} * {one})",
            f"(np.abs({name}) << {draw.randrange(bits)})",
            f"(np.sign({name}) * {second} * {draw.randrange(3, 99)})",
            f"(({name} // {draw.randrange(2, 9)}) * {second})",
            f"np.minimum({name} + {one}, {name})",
            f"np.where({name} + {draw.randrange(1, 9)} > {name}, {name} * {other}, {name})",
            f"np.where(({name} * {one}) // {draw.randrange(2, 9)} < {name}, {name}, {other})",
            f"(({name} + {one}) % {draw.randrange(2, 90)})",
            # Of what is not negative the compiler knows more.
            *(f"((({name} >> {place}) * {draw.randrange(3, 99)}) >> 1)" for place in (1, 2)),
            f"((({name} & {draw.randrange(99)}) + ({second} >> 1) * 7) >> 1)",
            f"np.where(({name} >> 1) + ({second} >> 1) * 3 < 5, {name}, {one})",
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
def test_drawn_expressions(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    draw = random.Random(dtype)
    bits = np.iinfo(dtype).bits
    texts = [expression(draw, ["x", "y"], bits, 4) for _ in range(EXPRESSIONS)]
    # As it is, and as a number of another dtype: it has wrapped around by then.
    texts = WRONG + [f"{text} * 0.5" if k % 2 else text for k, text in enumerate(texts)]
    lines = [f"    r{k} = {text}" for k, text in enumerate(texts)]
    lines.append(f"    return {', '.join(f'r{k}' for k in range(len(texts)))}")
    function = define("def run(x, y):\n" + "\n".join(lines) + "\n")
    compiled = npc.compile(function)
    generator = np.random.default_rng(bits)
    for _ in range(3):
        x, y = values(dtype, generator), values(dtype, generator)[::-1].copy()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want, found = function(x, y), compiled(x, y)
        npc.wait()
        for text, one, other in zip(texts, want, found, strict=True):
            assert one.dtype == other.dtype, text
            np.testing.assert_array_equal(other, one, err_msg=text)
    assert "inductor" in npc.last_report().summary
