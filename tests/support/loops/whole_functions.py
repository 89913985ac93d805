"""Compares functions that run as one piece of native code with NumPy, on drawn arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, differences, outcome

Draw = Callable[[np.random.Generator], Sequence[Any]]

HEAD = "    for once in range(1):\n        last = np.zeros(once + 1)\n"
"""What makes a function one with a loop in it."""


def assert_drawn(text: str, draw: Draw, runs: int = 12, refused: int = 0) -> None:
    """Compare calls on arguments that are drawn for each; not more may be refused.

    Parameters
    ----------
    text : str
        A function, without its first line: its arguments in brackets, and its body.
    draw : callable
        Draws arguments.
    runs : int
        How many calls.
    refused : int
        How many of them native code may leave to NumPy.
    """
    head, _, body = text.strip().partition("\n")
    function = define(f"def f{head}:\n{HEAD}{body}\n")
    made, state = whole(function, max((_drawn(draw, run) for run in range(runs)), key=_least))
    assert not state.closed, state.closed
    for run in range(runs):
        pairs = [_drawn(draw, run) for _ in range(2)]
        wrong = differences(outcome(function, pairs[0]), outcome(made, pairs[1]))
        assert not wrong, (run, wrong)
    (form,) = state.forms
    assert form.iterations >= runs - 1 - refused, (form.iterations, runs)


def _drawn(draw: Draw, run: int) -> Sequence[Any]:
    return draw(np.random.default_rng(run))


def _least(given: Sequence[Any]) -> int:
    """The smallest length: in an array of one element all elements lie beside each other."""
    return min(min(v.shape, default=2) for v in given if isinstance(v, np.ndarray))


def odd(rng: np.random.Generator, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same shape, with NaN, infinities and repeated values in some draws, and rows turned."""
    x = x.copy()
    if x.dtype.kind == "f" and x.size and rng.random() < 0.5:
        for value in rng.choice([np.nan, np.inf, -np.inf, 0.0, 1.0], 3):
            if rng.random() < 0.4:
                x.flat[rng.integers(x.size)] = value
    return x[::-1] if x.ndim > 1 and rng.random() < 0.3 else x


def apart(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same elements, the last one first, and not beside each other."""
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wide[..., ::-2] = x
    return wide[..., ::-2]
