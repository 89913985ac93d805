"""What a statement can reach when Python runs it, and so whether it can write into an array.

A copy of an array that lies on a device is good as long as nobody has written into
the array. Most of what stands between segments only reads: tests, counters, prints.
The form of a statement says what must be true of the values that it mentions for
that; the runtime looks at them just before it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from jupyter_npcompile.cell.syntax import FUNCTIONS
from jupyter_npcompile.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Reach:
    """Under which conditions a statement writes into no array.

    Parameters
    ----------
    values : frozenset of str
        Names, and attributes of names (``x.shape``), that are plain data.
    numbers : frozenset of str
        Names of what cannot be changed in place, such as numbers.
    calls : frozenset of str
        What is called, such as ``print`` or ``x.item``: it only reads.
    binds : frozenset of str
        Names that the statement binds, to plain data then.
    """

    values: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    binds: frozenset[str] = frozenset()


def reach(node: ast.stmt) -> Reach | None:
    """What a statement can reach; of one that holds others, its header.

    Returns
    -------
    Reach or None
        None when nothing about values makes sure that it only reads.

    Examples
    --------
    >>> sorted(reach(ast.parse("print(k, x.sum())").body[0]).calls)
    ['print', 'x.sum']
    >>> reach(ast.parse("x[0] = 1").body[0]) is None
    True
    """
    found = _Reader()
    return found.reach() if found.statement(node) else None


def is_nothing(node: ast.stmt) -> bool:
    """Whether a statement does nothing, or must stand where it stands.

    Examples
    --------
    >>> [is_nothing(node) for node in ast.parse("'text'; from __future__ import division").body]
    [True, True]
    """
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__"
    return isinstance(node, _FREE)


def may_tell(body: Iterable[ast.stmt]) -> bool:
    """Whether a body holds only statements whose reach can be told, nested functions left out.

    In the others foreign code runs at places where nobody can ask: at the end of a
    ``with``, while an ``await`` waits.
    """
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, _SECRETIVE):
            return False
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            pending += ast.iter_child_nodes(node)
    return True


def may_hold(body: Iterable[ast.stmt], *, in_function: bool) -> bool:
    """Whether foreign code runs in a body only where it tells, once it `may_tell`.

    What an ``except`` names is computed when something is raised, and annotations of a
    cell whatever binds the name.
    """
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.ExceptHandler) and not _is_named(node.type):
            return False
        if isinstance(node, ast.AnnAssign) and not (in_function or _is_named(node.annotation)):
            return False
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            pending += ast.iter_child_nodes(node)
    return True


def _is_named(node: ast.expr | None) -> bool:
    """Whether an expression is nothing, a constant, a name, or a tuple of such."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_named, node.elts))
    if isinstance(node, ast.Attribute):  # of a module, such as `np.linalg.LinAlgError`
        return _is_named(node.value)
    return node is None or isinstance(node, (ast.Constant, ast.Name))


_SECRETIVE = (
    *(ast.With, ast.AsyncWith, ast.AsyncFor, ast.Await, ast.Yield, ast.YieldFrom),
    *(ast.Match, ast.TryStar),
)

_FREE = (ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal, ast.Try)

_OPERATIONS = (
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.JoinedStr),
    *(ast.FormattedValue, ast.Slice, ast.Subscript, ast.Tuple, ast.List, ast.Set, ast.Constant),
)

_KEYWORDS = frozenset({"axis", "keepdims", "end", "sep", "flush"})


class _Reader:
    def __init__(self) -> None:
        self._values: set[str] = set()
        self._numbers: set[str] = set()
        self._calls: set[str] = set()
        self._binds: set[str] = set()

    def reach(self) -> Reach:
        """What was found."""
        return Reach(
            frozenset(self._values),
            frozenset(self._numbers),
            frozenset(self._calls),
            frozenset(self._binds),
        )

    def statement(self, node: ast.stmt) -> bool:
        """Whether a statement, or its header, may only read."""
        if isinstance(node, _FREE):
            return True
        if isinstance(node, ast.Assign):
            return all(map(self._bound, node.targets)) and self._reads(node.value)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self._numbers.add(node.target.id)
            self._binds.add(node.target.id)
            return self._reads(node.value)
        if isinstance(node, ast.Expr):
            return self._reads(node.value)
        if isinstance(node, ast.Return):
            return node.value is None or self._reads(node.value)
        if isinstance(node, (ast.If, ast.While)):
            return self._reads(node.test)
        if isinstance(node, ast.For):
            return self._bound(node.target) and self._reads(node.iter)
        if isinstance(node, ast.Assert):
            return self._reads(node.test) and (node.msg is None or self._reads(node.msg))
        return False

    def _bound(self, target: ast.expr) -> bool:
        names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        self._binds.update(name.id for name in names if isinstance(name, ast.Name))
        return all(isinstance(name, ast.Name) for name in names)

    def _reads(self, node: ast.expr) -> bool:
        if isinstance(node, (ast.Name, ast.Attribute)):
            path = _path(node)
            if path is None:
                return isinstance(node, ast.Attribute) and self._reads(node.value)
            self._values.add(path)
            return True
        if isinstance(node, ast.Call):
            return self._call(node)
        return isinstance(node, _OPERATIONS) and all(
            self._reads(part) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)
        )

    def _call(self, node: ast.Call) -> bool:
        path = _path(node.func, deep=True)
        if path is None or any(keyword.arg not in _KEYWORDS for keyword in node.keywords):
            return False
        if "." in path and len(node.args) > 1:
            return False  # one of them may be where the result goes
        self._calls.add(path)
        return all(map(self._reads, [*node.args, *(keyword.value for keyword in node.keywords)]))


def _path(node: ast.expr, *, deep: bool = False) -> str | None:
    """``x`` or ``x.y`` as text; ``x.y.z`` too where that is asked for."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (deep or isinstance(node.value, ast.Name)):
        before = _path(node.value, deep=deep)
        return None if before is None else f"{before}.{node.attr}"
    return None
