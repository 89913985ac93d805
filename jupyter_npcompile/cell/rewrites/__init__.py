"""Rewrites of a cell that may take its break points away: text in, text out.

Nothing here knows whether a rewrite is right. That is found out by running it
(`runtime.fixing`), so a rule only has to be right for the values at hand; but it
must leave everything that it does not change as it was typed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_npcompile.cell.rewrites.candidates import Candidate, Form, Kind, Situation, statements
from jupyter_npcompile.cell.rewrites.hoisting import hoisted
from jupyter_npcompile.cell.rewrites.loops import drawn_before, preallocated, shown_after
from jupyter_npcompile.cell.rewrites.moving import moved
from jupyter_npcompile.cell.rewrites.objects import masked, numeric
from jupyter_npcompile.cell.rewrites.text import CellText, Edit, edited, parse_cell
from jupyter_npcompile.cell.rewrites.vectorized import vectorized
from jupyter_npcompile.cell.syntax import COMPREHENSIONS

__all__ = [
    "Candidate",
    "CellText",
    "Edit",
    "Form",
    "Kind",
    "Situation",
    "candidates",
    "edited",
    "observed",
    "parse_cell",
]

_RULES = (vectorized, numeric, masked, preallocated, drawn_before, shown_after, moved, hoisted)
"""From the one that gains most for a line to the one that gains least."""

_LOAD = ast.Load()
_OBSERVED = (ast.Call, ast.Name, ast.BinOp, ast.UnaryOp, ast.Subscript)


def candidates(situation: Situation) -> Iterator[Candidate]:
    """Every rewrite that may be worth trying; for one line the best come first."""
    for rule in _RULES:
        yield from rule(situation)


def observed(body: list[ast.stmt], lines: frozenset[int]) -> list[ast.expr]:
    """Expressions on lines with break points whose values the rules ask for.

    Those in comprehensions, lambdas and functions are left out.
    """
    found: list[ast.expr] = []
    for statement in statements(body):
        header = statement.test if isinstance(statement, ast.If | ast.While) else statement
        whole = isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign | ast.AnnAssign)
        if not whole and not isinstance(statement, ast.Assert | ast.If | ast.While):
            continue
        numbers = range(header.lineno, (header.end_lineno or header.lineno) + 1)
        if lines.intersection(numbers):
            found += _within(header)
    return found


def _within(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, (*COMPREHENSIONS, ast.Lambda)):
        return
    if isinstance(node, _OBSERVED) and isinstance(getattr(node, "ctx", _LOAD), ast.Load):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _within(child)
