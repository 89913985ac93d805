"""What a rewrite is before anyone has tried it, and what is known when it is written."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Literal

from jupyter_npcompile.cell.rewrites.text import CellText, Edit
from jupyter_npcompile.cell.syntax import FUNCTIONS, blocks
from jupyter_npcompile.dataclass import dataclass

Form = Literal["python", "numpy", "array"]
"""A number of Python's, a scalar of NumPy's, or an array."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What an expression gave each time that it was evaluated.

    Parameters
    ----------
    form : str
        What held it.
    dtype : str
        The dtype of an array that can hold it.
    shape : tuple of int
        Its shape.
    """

    form: Form
    dtype: str
    shape: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rewrite that may be worth trying.

    Parameters
    ----------
    line : int
        The line of the break point.
    title : str
        What it does.
    edits : tuple of Edit
        How the text changes.
    changed : tuple of str
        Names that hold the same numbers in another form afterwards; ``*`` for all.
    other : tuple of str
        Names that hold something else of the same use: a function.
    notes : tuple of str
        What must be said about it.
    """

    line: int
    title: str
    edits: tuple[Edit, ...]
    changed: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass
class Situation:
    """A cell whose break points ask for a rewrite.

    Parameters
    ----------
    text : CellText
        Its text.
    body : list of ast.stmt
        Its statements.
    points : frozenset of (int, int)
        Line and column, in characters, of each break point.
    kinds : mapping of int to Kind
        What expressions gave, by the `id` of their nodes.
    finals : mapping of str to Kind
        What names hold when the cell has run.
    numpy : str
        What NumPy is called.
    """

    text: CellText
    body: list[ast.stmt]
    points: frozenset[tuple[int, int]]
    kinds: Mapping[int, Kind]
    finals: Mapping[str, Kind] = field(default_factory=dict)
    numpy: str = "np"
    lines: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = frozenset(line for line, _ in self.points)

    def breaks_at(self, node: ast.stmt | ast.expr) -> int | None:
        """The line of a break point on the lines of a node."""
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        return next((line for line in lines if line in self.lines), None)


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement of a cell, at any depth, but for what functions and classes hold."""
    for statement in body:
        yield statement
        if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            for _, nested in blocks(statement):
                yield from statements(nested)


def names_read(node: ast.AST) -> set[str]:
    """Names that a piece of code mentions."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def names_bound(body: Iterable[ast.AST]) -> set[str]:
    """Names that it binds or deletes."""
    return {
        part.id
        for node in body
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)
    }


def is_plain(node: ast.expr) -> bool:
    """Whether a value stays what it is when it is computed some lines earlier or later."""
    awkward = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Starred, ast.Lambda)
    return not any(isinstance(part, awkward) for part in ast.walk(node))


def numpy_function(node: ast.expr, numpy: str) -> str:
    """``"where"`` for ``np.where``; empty for anything else."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id == numpy else ""
    return ""


def name_for(node: ast.expr) -> str:
    """A name that says what an expression computes.

    Examples
    --------
    >>> [name_for(ast.parse(t, mode="eval").body) for t in ("x.sum()", "np.mean(u[1:])", "a + 1")]
    ['x_sum', 'u_mean', 'value']
    """
    while isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Name) and len(node.args) == 1:
            node = node.args[0]  # float(...)
            continue
        if not isinstance(function, ast.Attribute):
            break
        if function.attr == "item":
            node = function.value
            continue
        inner = [function.value, *node.args]
        first = next((part.id for each in inner for part in _names(each)), "")
        if not first:
            return "drawn" if isinstance(function.value, ast.Name) else "value"
        return f"{first}_{function.attr}"
    if isinstance(node, ast.Name):
        return node.id
    return "value"


_MODULES = ("np", "numpy", "random", "math")


def _names(node: ast.expr) -> list[ast.Name]:
    found = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    return [part for part in found if part.id not in _MODULES]
