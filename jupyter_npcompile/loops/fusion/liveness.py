"""Which names are still needed after a statement."""

from __future__ import annotations

import ast
from collections.abc import Sequence

Names = frozenset[str]


def needed_after(body: Sequence[ast.stmt], end: Names) -> dict[int, Names]:
    r"""The names that may be read after each statement, before they are bound anew.

    Parameters
    ----------
    body : sequence of ast.stmt
        All statements in which the names mean the same.
    end : frozenset of str
        What is needed when they are over.

    Returns
    -------
    dict of int to frozenset of str
        By the identity of the statements; those in something unusual are left out.

    Examples
    --------
    >>> body = ast.parse("x = a\ny = x\nwhile y: y = y - b\nx = y").body
    >>> found = needed_after(body, frozenset("x"))
    >>> [sorted(found[id(statement)]) for statement in body]
    [['b', 'x'], ['b', 'y'], ['y'], ['x']]
    """
    found = _Needs()
    always = frozenset(
        name
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, _APART)
        for name in _mentioned(node)
    )
    found.block(body, end | always, end | always, end | always)
    return {key: names | always for key, names in found.after.items()}


_APART = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.Nonlocal)
"""Where names are read later than where they stand."""


class _Needs:
    def __init__(self) -> None:
        self.after: dict[int, Names] = {}
        self._known: dict[int, Names] = {}  # loops are gone through again and again

    def block(self, body: Sequence[ast.stmt], end: Names, head: Names, exit: Names) -> Names:
        """What statements need; `head` and `exit` are for ``continue`` and ``break``."""
        needed = end
        for statement in reversed(body):
            self.after[id(statement)] = self.after.get(id(statement), frozenset()) | needed
            needed = self.statement(statement, needed, head, exit)
        return needed

    def statement(self, node: ast.stmt, after: Names, head: Names, exit: Names) -> Names:
        if isinstance(node, ast.If):
            first = self.block(node.body, after, head, exit)
            return self.read(node.test) | first | self.block(node.orelse, after, head, exit)
        if isinstance(node, ast.For | ast.While):
            return self.loop(node, after, head, exit)
        if isinstance(node, ast.Break):
            return exit
        if isinstance(node, ast.Continue):
            return head
        if isinstance(node, ast.Return):
            return frozenset() if node.value is None else self.read(node.value)
        if isinstance(node, ast.Assign):
            return (after - _bound(node.targets)) | self.read(node)
        if isinstance(node, ast.AugAssign | ast.AnnAssign | ast.Expr):
            return after | self.read(node)
        return after | _mentioned(node)

    def read(self, node: ast.AST) -> Names:
        if id(node) not in self._known:
            self._known[id(node)] = _read(node)
        return self._known[id(node)]

    def loop(self, node: ast.For | ast.While, after: Names, head: Names, exit: Names) -> Names:
        over = self.block(node.orelse, after, head, exit)
        over |= self.read(node.iter if isinstance(node, ast.For) else node.test)
        bound = _bound([node.target]) if isinstance(node, ast.For) else frozenset()
        again: Names = frozenset()
        while True:
            at_head = over | again
            new = self.block(node.body, at_head, at_head, after) - bound
            if new <= at_head:
                return at_head
            again |= new


def _bound(targets: Sequence[ast.expr]) -> Names:
    """The names that an assignment binds whatever happens."""
    found: set[str] = set()
    for target in targets:
        if isinstance(target, ast.Name):
            found.add(target.id)
        elif isinstance(target, ast.Tuple | ast.List):
            found |= _bound(target.elts)
    return frozenset(found)


def _read(node: ast.AST) -> Names:
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _is_read(n)}
    if isinstance(node, ast.AugAssign):
        found |= _bound([node.target])
    return frozenset(found)


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _mentioned(node: ast.AST) -> Names:
    found: set[str] = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Name):
            found.add(n.id)
        elif isinstance(n, ast.Global | ast.Nonlocal):
            found.update(n.names)
    return frozenset(found)
