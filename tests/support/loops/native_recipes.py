"""Calls of NumPy on random arguments, as functions that run as one piece of native code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import jupyter_npcompile
from jupyter_npcompile.runtime.functions import handle_of
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define
from tests.support.lowering.arguments import Array, Call, Number
from tests.support.lowering.comparison import Tolerance, differences, outcome

RUNS = 6
"""Sets of values that each function is called with."""

OPERATORS = {
    **{"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "power": "**"},
    **{"floor_divide": "//", "remainder": "%", "matmul": "@", "less": "<", "greater": ">"},
    **{"less_equal": "<=", "greater_equal": ">=", "equal": "==", "not_equal": "!="},
    **{"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"},
    **{"left_shift": "<<", "right_shift": ">>"},
}
"""Ufuncs that are written as operators, too."""


class NoText(Exception):  # noqa: N818 - it names a verdict
    """A call that cannot be written in the source of a function."""


@dataclass
class Text:
    """The source of a function that makes a call; what differs from run to run is an argument."""

    given: list[Any] = field(default_factory=list)

    def of(self, value: Any) -> str:
        """An argument."""
        if isinstance(value, Array | Number):
            for k, known in enumerate(self.given):
                if known is value:
                    return f"a{k}"
            self.given.append(value)
            return f"a{len(self.given) - 1}"
        if isinstance(value, tuple):
            return f"({', '.join(map(self.of, value))}{',' if len(value) == 1 else ''})"
        if isinstance(value, list):
            return f"[{', '.join(map(self.of, value))}]"
        if isinstance(value, slice):
            return f"slice({', '.join(map(self.of, (value.start, value.stop, value.step)))})"
        if isinstance(value, np.dtype):
            return f"np.{value.name}" if hasattr(np, value.name) else repr(value.name)
        if value is None or value is Ellipsis or type(value) in (bool, int, float, str):
            return repr(value)
        raise NoText(f"{value!r}")

    def function(self, op: str, call: Call) -> str:
        """The function."""
        space, _, name = op.rpartition(".")
        args = [self.of(value) for value in call.args]
        named = [f"{key}={self.of(value)}" for key, value in call.kwargs.items()]
        if op == "getitem":
            made = f"return {args[0]}[{args[1]}]"
        elif op == "setitem":
            made = f"{args[0]}[{args[1]}] = {args[2]}\n    return {args[0]}"
        elif call.method or space == "ndarray":
            made = f"return {args[0]}.{name}"
            if callable(getattr(np.ndarray, name)):
                made += f"({', '.join((*args[1:], *named))})"
        elif space == "numpy" or space.startswith("numpy."):
            made = f"return np{space.removeprefix('numpy')}.{name}({', '.join((*args, *named))})"
            if name in OPERATORS and not named and len(args) == 2 and len(self.given) % 2:
                made = f"return {args[0]} {OPERATORS[name]} {args[1]}"
        else:
            raise NoText(op)
        names = ", ".join(f"a{k}" for k in range(len(self.given)))
        return f"def f({names}):\n    {made}\n"


@dataclass
class Verdict:
    """What came of one function.

    Parameters
    ----------
    text : str
        Its source.
    reason : str
        Why it has no native form; empty where it has one.
    ran : int
        How many of its calls native code has answered.
    differences : list of str
        Nothing if all is as in NumPy.
    """

    text: str
    reason: str = ""
    ran: int = 0
    differences: list[str] = field(default_factory=list)


def check(op: str, call: Call, tolerance: Tolerance) -> Verdict:
    """Compare NumPy with native code for a call.

    Raises
    ------
    NoText
        When it cannot be written as a function.
    """
    source = Text()
    text = source.function(op, call)
    verdict = Verdict(text)
    function = define(text)
    again = Call(tuple(source.given), {}, call.warns)
    given, _ = again.make(0)
    made, form, verdict.reason = native(function, given)
    if verdict.reason:
        return verdict
    for run in range(RUNS):
        expected = outcome(function, again, run)
        actual = outcome(made, again, run)
        found = differences(expected, actual, tolerance)
        verdict.differences += [f"run {run}: {difference}" for difference in found]
    verdict.ran = form.iterations
    return verdict


def native(function: Callable[..., Any], given: tuple[Any, ...]) -> tuple[Any, Any, str]:
    """A function whose every call goes to native code, what that is, or why there is none."""
    if handle_of(jupyter_npcompile.compile(function)).whole is None:
        return function, None, "it holds nothing to compile"
    made, state = whole(function, given)
    return made, state.forms[0] if state.forms else None, state.closed
