"""A stack of arrays that has a name is written where it is read, if that is once and at once.

What is computed across a stack needs no stack (`library.layers`), if nothing else reads it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.cell.syntax import substituted

Resolve = Callable[[ast.expr], Any]
"""The value of a name from outside; raises LookupError where nobody knows it."""

Composed = dict[tuple[int, int], tuple[ast.stmt, ast.stmt, ast.stmt | None]]
"""Two statements and what they have become, by their identities: it is the same each time."""

STACKS = (np.stack, np.array, np.asarray)
"""What makes a stack of a list."""

FAR = 4
"""Statements that may stand between a stack and what reads it, and one more."""

_PURE: tuple[Any, ...] = (
    *(np.stack, np.array, np.asarray, np.concatenate, np.copy, np.where, np.clip, np.round),
    *(np.zeros, np.ones, np.empty, np.full, np.arange, np.linspace),
    *(np.zeros_like, np.ones_like, np.empty_like, np.full_like),
    *(np.sum, np.mean, np.median, np.max, np.min, np.std, np.var, np.prod, np.ptp),
    *(np.any, np.all, np.argmax, np.argmin, np.percentile, np.quantile, np.sort),
    *(len, int, float, abs, min, max),
)
"""Functions that write nothing, and call nothing of the user's."""

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
        for place in range(len(made) - 1, max(len(made) - FAR, 0) - 1, -1):
            first, between = made[place], made[place + 1 :]
            if id(first) not in needed or id(statement) not in needed:
                continue
            pair = id(first), id(statement)
            if pair not in known:
                found = _one(first, between, statement, needed, resolve)
                known[pair] = first, statement, found
            *_, one = known[pair]
            if one is not None:
                needed[id(one)] = needed[id(statement)]
                made[place:] = [*between, one]
                break
        else:
            made.append(statement)
    return made


def _one(
    first: ast.stmt,
    between: Sequence[ast.stmt],
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
        if not is_stack or not all(_leaves_alone(it, first, resolve) for it in between):
            return None
        if not _reads_once(second, target.id, needed[id(second)], resolve):
            return None
    except LookupError:
        return None
    return substituted(second, {target.id: first.value})


def _leaves_alone(node: ast.stmt, first: ast.Assign, resolve: Resolve) -> bool:
    """Whether a statement only binds a name that has to do with nothing in another statement.

    Raises
    ------
    LookupError
        Where it calls what nobody knows.
    """
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    own = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    bound = {node.targets[0].id, first.targets[0].id}  # type: ignore[attr-defined]
    others = {part.id for part in ast.walk(first.value) if isinstance(part, ast.Name)}
    return (
        len(node.targets) == 1
        and bound.isdisjoint(others)
        and first.targets[0].id not in own  # type: ignore[attr-defined]
        and _only_reads(node, resolve)
    )


def _only_reads(node: ast.stmt, resolve: Resolve, owner: ast.expr | None = None) -> bool:
    """Whether a statement calls nothing but functions that only read, and methods of a name.

    Raises
    ------
    LookupError
        Where it calls what nobody knows.
    """
    parts = list(ast.walk(node))
    if any(isinstance(part, _SCOPES) for part in parts):
        return False
    for part in parts:
        if isinstance(part, ast.Call):
            own = part.func.value if isinstance(part.func, ast.Attribute) else None
            if (owner is None or own is not owner) and not _is_pure(resolve(part.func), part):
                return False
            if any(keyword.arg in (None, "out") for keyword in part.keywords):
                return False
    return True


def _reads_once(node: ast.stmt, name: str, after: Collection[str], resolve: Resolve) -> bool:
    """Whether a statement hands a name to a call once, and nothing reads it later.

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
    if len(read) != 1 or (name in after and not bound) or not _is_reached(node, read[0]):
        return False
    if isinstance(node, ast.AugAssign) and ast.unparse(node.target) == name:
        return False  # that reads it, too
    handed = any(
        (isinstance(part.func, ast.Attribute) and part.func.value is read[0])
        or (bool(part.args) and part.args[0] is read[0])
        for part in parts
        if isinstance(part, ast.Call)
    )
    return handed and _only_reads(node, resolve, read[0])


def _is_reached(node: ast.AST, part: ast.expr) -> bool:
    """Whether a part of a statement is computed in any case: a stack may raise."""
    for inner in ast.walk(node):
        others: Sequence[ast.expr] = ()
        if isinstance(inner, ast.IfExp):
            others = inner.body, inner.orelse
        elif isinstance(inner, ast.BoolOp):
            others = inner.values[1:]
        elif isinstance(inner, ast.Compare):
            others = inner.comparators[1:]
        if any(found is part for other in others for found in ast.walk(other)):
            return False
    return True


def _is_read(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Store)


def _is_pure(function: Any, node: ast.Call) -> bool:
    """Whether a call writes nothing, and runs nothing of the user's."""
    if isinstance(function, np.ufunc):
        return len(node.args) <= function.nin  # the next one is where its result goes
    return any(function is known for known in _PURE)
