"""``try``: whatever raises leaves a run to Python, which comes to the handlers by itself."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.values import Items, Known

if TYPE_CHECKING:
    from jupyter_npcompile.loops.statements import Statements

HANDLED = (
    *(ArithmeticError, ZeroDivisionError, OverflowError, FloatingPointError),
    *(LookupError, IndexError, KeyError, AssertionError),
    *(ValueError, TypeError, np.linalg.LinAlgError, Warning, RuntimeWarning),
)
"""What a handler may be for.

Who is interrupted while native code runs is so outside of the ``try``: a handler for what
interrupts (``KeyboardInterrupt``, or what a signal handler raises when time is up) is Python's.
"""

_LEAVES = ast.Return | ast.Break | ast.Continue


def attempt(t: Statements, node: ast.Try) -> bool:
    """Write a ``try``; False when what follows it is never reached."""
    for handler in node.handlers:
        _check(t, handler)
    reached = t.body([*node.body, *node.orelse])
    last = [statement for statement in node.finalbody if not isinstance(statement, ast.Pass)]
    if not last:
        return reached
    inner = (part for statement in (*node.body, *node.orelse) for part in ast.walk(statement))
    if any(isinstance(part, _LEAVES) for part in inner):
        raise Declined("a jump out of a try with finally", node.lineno)
    return reached and t.body(last)


def _check(t: Statements, handler: ast.ExceptHandler) -> None:
    if handler.type is None:
        raise Declined("a handler of every exception", handler.lineno)
    found = t.expression(handler.type)
    kinds = found.items if isinstance(found, Items) else (found,)
    for kind in kinds:
        if not isinstance(kind, Known) or kind.value not in HANDLED:
            text = ast.unparse(handler.type)
            raise Declined(f"a handler of {text}, by which one may be interrupted", handler.lineno)
