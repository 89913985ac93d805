"""Short loops over constants, as the statements that they stand for."""

from __future__ import annotations

import ast
import builtins
import contextlib
import itertools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.cell.syntax import assign, clone, constant, point, store

TRIPS, STATEMENTS = 9, 80
"""Iterations of such a loop, for each of its indices, and statements that all of it may become."""

Resolve = Callable[[ast.expr], Any]
"""The value of a name from outside; raises LookupError where nobody knows it."""


class NotKnown(Exception):  # noqa: N818 - it names a verdict, not a mistake
    """Something is no constant, or no loop of constants."""


class _Continued(Exception):  # noqa: N818 - an iteration ends here
    """The rest of an iteration is skipped."""


def unrolled(node: ast.For, resolve: Resolve) -> list[ast.stmt] | None:
    r"""The statements of a short loop, with its counter's values written into them.

    Parameters
    ----------
    node : ast.For
        The loop.
    resolve : callable
        The value of a name from outside; raises LookupError where nobody knows it.

    Returns
    -------
    list of ast.stmt or None
        Only assignments and expressions; None when the loop holds something else.

    Examples
    --------
    >>> def shown(text):
    ...     made = unrolled(ast.parse(text).body[0], lambda node: vars(builtins)[node.id])
    ...     return None if made is None else [ast.unparse(statement) for statement in made]
    >>> shown("for i in range(2): a += w[abs(i - 1)] * x[i:i + n]")
    ['a += w[1] * x[0:0 + n]', 'a += w[0] * x[1:1 + n]', 'i = 1']
    >>> shown("for s, w in ((1, .5), (-1, 2)):\n if s < 0: continue\n a += w * x[s]")
    ['a += 0.5 * x[1]', 's = -1', 'w = 2']
    >>> shown("for k, (s, w) in enumerate(((1, .5), (-1, 2))): a[k] = w * x[s]")
    ['a[0] = 0.5 * x[1]', 'a[1] = 2 * x[-1]', 'k = 1', 's = -1', 'w = 2']
    >>> shown("for i in range(n): a += i")
    >>> shown("for i in range(3): i += 1")
    """
    try:
        return _statements(node, {}, resolve)
    except NotKnown:
        return None


def _statements(node: ast.For, names: Mapping[str, Any], resolve: Resolve) -> list[ast.stmt]:
    if node.orelse:
        raise NotKnown
    items = value_of(node.iter, names, resolve)
    if not isinstance(items, tuple | range) or not 0 < len(items) <= _trips(
        node.iter, items, resolve
    ):
        raise NotKnown
    stored, made = _stored(node.body), list[ast.stmt]()
    for item in items:
        given: dict[str, bool | int | float] = {}
        _bind(node.target, item, given)
        if not stored.isdisjoint(given):
            raise NotKnown
        with contextlib.suppress(_Continued):
            _body(node.body, {**names, **given}, resolve, made)
    place = point(node)
    made += [assign(store(n, place), constant(v, place), place) for n, v in given.items()]
    return made


def _trips(node: ast.expr, items: Sequence[Any], resolve: Resolve) -> int:
    """How many iterations are short: of loops in each other that are written as one, as many."""
    if not isinstance(node, ast.Call) or resolve(node.func) not in INDICES:
        return TRIPS
    return int(TRIPS ** len(items[0]))


def _bind(target: ast.expr, item: Any, given: dict[str, bool | int | float]) -> None:
    """Bind the names of a target to constants."""
    if isinstance(target, ast.Tuple) and isinstance(item, tuple):
        if len(target.elts) != len(item):
            raise NotKnown
        for part, value in zip(target.elts, item, strict=True):
            _bind(part, value, given)
    elif isinstance(target, ast.Name) and isinstance(item, bool | int | float):
        if target.id in given:
            raise NotKnown
        given[target.id] = item
    else:
        raise NotKnown


def _body(
    body: Sequence[ast.stmt], names: Mapping[str, Any], resolve: Resolve, made: list[ast.stmt]
) -> None:
    for statement in body:
        if isinstance(statement, ast.For):
            made += _statements(statement, names, resolve)
        elif isinstance(statement, ast.If):
            holds = value_of(statement.test, names, resolve)
            _body(statement.body if holds else statement.orelse, names, resolve, made)
        elif isinstance(statement, ast.Continue):
            raise _Continued
        elif isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr):
            made.append(_Known(names, resolve).visit(clone(statement)))
        elif not isinstance(statement, ast.Pass):
            raise NotKnown
        if len(made) > STATEMENTS:
            raise NotKnown


def _stored(body: Sequence[ast.stmt]) -> set[str]:
    return {
        node.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


class _Known(ast.NodeTransformer):
    """Writes constants for the names of which the values are known, and folds them."""

    def __init__(self, names: Mapping[str, Any], resolve: Resolve) -> None:
        self.names, self.resolve = names, resolve

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Name | ast.BinOp | ast.UnaryOp | ast.Call):
            try:
                value = value_of(node, self.names, self.resolve)
            except NotKnown:
                return self.generic_visit(node)
            if isinstance(value, bool | int | float):
                return constant(value, point(node))
        return self.generic_visit(node)


_OPERATIONS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}

_FUNCTIONS = (abs, min, max, range, len)

INDICES = (itertools.product, np.ndindex)
"""What goes through several indices at once."""

_SEQUENCES = (*INDICES, enumerate, zip, reversed)
"""What gives items one by one, which are all made here."""


def value_of(node: ast.expr, names: Mapping[str, Any], resolve: Resolve) -> Any:
    """The value of an expression of constants.

    Raises
    ------
    NotKnown
        When it holds something else.

    Examples
    --------
    >>> value_of(ast.parse("-i % 3 or (i, 2)", mode="eval").body, {"i": 4}, {}.__getitem__)
    2
    """

    def value(part: ast.expr) -> Any:
        return value_of(part, names, resolve)

    try:
        if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
            return node.value
        if isinstance(node, ast.Name) and node.id in names:
            return names[node.id]
        if isinstance(node, ast.Name):
            found = resolve(node)
            if type(found) is tuple:
                return found
        if isinstance(node, ast.Tuple | ast.List):
            return tuple(map(value, node.elts))
        if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATIONS:
            return _OPERATIONS[type(node.op)](value(node.operand))
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
            left, right = value(node.left), value(node.right)
            if isinstance(left, tuple) or isinstance(right, tuple):
                raise NotKnown
            return _OPERATIONS[type(node.op)](left, right)
        if isinstance(node, ast.Compare) and all(type(op) in _OPERATIONS for op in node.ops):
            sides = [value(part) for part in (node.left, *node.comparators)]
            pairs = zip(node.ops, sides, sides[1:], strict=False)
            return all(_OPERATIONS[type(op)](a, b) for op, a, b in pairs)
        if isinstance(node, ast.BoolOp):
            for part in node.values:
                found = value(part)
                if bool(found) == isinstance(node.op, ast.Or):
                    break
            return found
        if isinstance(node, ast.Call):
            function = resolve(node.func)
            args = [value(part) for part in node.args]
            if any(function is known for known in _FUNCTIONS) and not node.keywords:
                return function(*args)
            if any(function is known for known in _SEQUENCES):
                options = {str(part.arg): value(part.value) for part in node.keywords}
                return tuple(itertools.islice(function(*args, **options), STATEMENTS + 1))
    except (LookupError, ArithmeticError, TypeError, ValueError):
        raise NotKnown from None
    raise NotKnown


assert all(function in vars(builtins).values() for function in _FUNCTIONS)
