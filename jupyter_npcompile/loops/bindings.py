"""What statements bind besides one name: ``:=``, and ``a = b = value``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_npcompile.cell.names import bound_names
from jupyter_npcompile.cell.syntax import assign, load, point, store

_SCOPES = ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def unsafe(statement: ast.stmt) -> ast.NamedExpr | None:
    """A ``:=`` that may not be evaluated, or before which its name is read; None if there is none.

    What is read before is looked at again when the statement is over: it would have changed.
    The test of a ``while`` is looked at elsewhere.

    Examples
    --------
    >>> def is_unsafe(text):
    ...     return unsafe(ast.parse(text).body[0]) is not None
    >>> is_unsafe("if (e := f(x)) < e * 2: pass"), is_unsafe("y = (n := n // 2)")
    (False, False)
    >>> is_unsafe("y = n + (n := 2)"), is_unsafe("y = x and (n := 2)")
    (True, True)
    """
    parts = list(_header(statement))
    found = [part for one in parts for part in ast.walk(one) if isinstance(part, ast.NamedExpr)]
    if not found:
        return None
    certain = {id(part) for one in parts for part in _certain(one)}
    names = [part for one in parts for part in ast.walk(one) if isinstance(part, ast.Name)]
    for node in found:
        before = any(name.id == node.target.id and _place(name) < _place(node) for name in names)
        if before or id(node) not in certain:
            return node
    return None


def one_by_one(node: ast.Assign) -> list[ast.stmt]:
    """An assignment to several targets as one to each, all of which are bound to one object.

    Examples
    --------
    >>> def shown(text):
    ...     return "; ".join(map(ast.unparse, one_by_one(ast.parse(text).body[0])))
    >>> shown("b = c[0] = np.zeros(4)")
    'b = np.zeros(4); c[0] = b'
    >>> shown("c[0] = b = np.zeros(4)").replace("0all1_0", "value")
    'value = np.zeros(4); c[0] = value; b = value'
    """
    place = point(node)
    first, *others = node.targets
    if isinstance(first, ast.Name) and first.id not in bound_names(
        [assign(target, node.value, place) for target in others]
    ):
        made: list[ast.stmt] = [assign(first, node.value, place)]
        name = first.id
    else:
        name = f"0all{node.lineno}_{node.col_offset}"
        made, others = [assign(store(name, place), node.value, place)], node.targets
    return [*made, *(assign(target, load(name, place), place) for target in others)]


def _place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _header(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, without the statements in it."""
    if isinstance(statement, ast.FunctionDef | ast.While | ast.Try):
        return
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.stmt):
            yield child


def _certain(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression that are evaluated wherever it is."""
    yield node
    if isinstance(node, _SCOPES):
        return
    children: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.BoolOp):
        children = [node.values[0]]
    elif isinstance(node, ast.IfExp):
        children = [node.test]
    elif isinstance(node, ast.Compare):
        children = [node.left, node.comparators[0]]
    for child in children:
        yield from _certain(child)
