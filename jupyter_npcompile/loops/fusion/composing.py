"""A stack of arrays that has a name is written where it is read, if that is once and at once.

What is computed across a stack needs no stack (`library.layers`), if nothing else reads it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.cell.syntax import clone

Resolve = Callable[[ast.expr], Any]
"""The value of a name from outside; raises LookupError where nobody knows it."""

Composed = dict[tuple[int, int], tuple[ast.stmt, ast.stmt, ast.stmt | None]]
"""Two statements and what they have become, by their identities: it is the same each time."""

STACKS = (np.stack, np.array, np.asarray)
"""What makes a stack of a list."""

_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)


def composed(
    statements: Sequence[ast.stmt],
    needed: dict[int, frozenset[str]],
    known: Composed,
    resolve: Resolve,
) -> Sequence[ast.stmt]:
    r"""Return statements, of which two may have become one.

    Parameters
    ----------
    statements : sequence of ast.stmt
        They are not changed.
    needed : mapping of int to names
        What is needed after a statement, by its identity; new ones are added.
    known : mapping
        What was composed before; new ones are added, and live as long as this does.
    resolve : callable
        The value of a name from outside; raises LookupError where nobody knows it.

    Examples
    --------
    >>> body = ast.parse("s = np.stack(parts)\nm = np.median(s, axis=0)").body
    >>> names = {"np.stack": np.stack, "np.median": np.median}
    >>> needed = {id(node): frozenset("m") for node in body}
    >>> made = composed(body, needed, {}, lambda node: names[ast.unparse(node)])
    >>> [ast.unparse(node) for node in made]
    ['m = np.median(np.stack(parts), axis=0)']
    """
    made: list[ast.stmt] = []
    for statement in statements:
        one = None
        if made and id(made[-1]) in needed and id(statement) in needed:
            pair = id(made[-1]), id(statement)
            if pair not in known:
                found = _one(made[-1], statement, needed, resolve)
                known[pair] = made[-1], statement, found
            *_, one = known[pair]
        if one is None:
            made.append(statement)
        else:
            needed[id(one)] = needed[id(statement)]
            made[-1] = one
    return made


def _one(
    first: ast.stmt,
    second: ast.stmt,
    needed: Mapping[int, frozenset[str]],
    resolve: Resolve,
) -> ast.stmt | None:
    """Two statements as one; None where that is not the same."""
    if not isinstance(first, ast.Assign) or not isinstance(first.value, ast.Call):
        return None
    if not isinstance(second, ast.Assign | ast.AugAssign | ast.Return | ast.Expr):
        return None
    target, *others = first.targets
    if others or not isinstance(target, ast.Name):
        return None
    try:
        is_stack = any(resolve(first.value.func) is stack for stack in STACKS)
        if not is_stack or not _reads_once(second, target.id, needed[id(second)], resolve):
            return None
    except LookupError:
        return None
    found = _Written(target.id, first.value).visit(clone(second))
    assert isinstance(found, ast.stmt)
    return found


def _reads_once(node: ast.stmt, name: str, after: Collection[str], resolve: Resolve) -> bool:
    """Whether a statement hands a name to a call of NumPy's once, and nothing reads it later.

    Nor may anything come before that which could change what the stack is made of.

    Raises
    ------
    LookupError
        Where it calls what nobody knows.
    """
    targets = node.targets if isinstance(node, ast.Assign) else []
    bound = any(isinstance(target, ast.Name) and target.id == name for target in targets)
    parts = list(ast.walk(node))
    read = [it for it in parts if isinstance(it, ast.Name) and it.id == name and _is_read(it)]
    if len(read) != 1 or (name in after and not bound):
        return False
    if any(isinstance(part, _SCOPES) for part in parts):
        return False
    handed = False
    for part in parts:
        if not isinstance(part, ast.Call):
            continue
        owner = part.func.value if isinstance(part.func, ast.Attribute) else None
        handed |= owner is read[0] or (bool(part.args) and part.args[0] is read[0])
        if owner is not read[0] and not _is_numpy(resolve(part.func)):
            return False
        if any(keyword.arg in (None, "out") for keyword in part.keywords):
            return False
    return handed


def _is_read(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Store)


def _is_numpy(function: Any) -> bool:
    return getattr(np, getattr(function, "__name__", ""), None) is function


class _Written(ast.NodeTransformer):
    """Writes an expression for the name that is bound to it."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self.name, self.value = name, value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return clone(self.value) if node.id == self.name and _is_read(node) else node
