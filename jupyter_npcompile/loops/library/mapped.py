"""``map``, ``filter`` and ``x.flat``: what a loop goes through is written into its body."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jupyter_npcompile.cell.names import bound_names, local_names
from jupyter_npcompile.cell.syntax import Place, assign, load, point, store
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.source import PYTHONS
from jupyter_npcompile.loops.values import Closure, Known

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

LAZY = (map, filter)
"""Functions of Python that compute an item when it is asked for."""


def is_lazy(t: Names, node: ast.expr) -> bool:
    """Whether an expression is a call of ``map`` or ``filter``."""
    return is_call_of(t, node, LAZY)


def is_call_of(t: Names, node: ast.expr, functions: Sequence[Any]) -> bool:
    """Whether an expression is a call of one of some functions of Python, by its own name."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    if node.func.id not in {function.__name__ for function in functions}:
        return False
    function = t.expression(node.func)
    return isinstance(function, Known) and function.value in functions


def unfolded(t: Names, node: ast.For) -> ast.For | None:
    """A loop over ``map(f, x)`` as one over ``x``; None when it goes through something else."""
    call = node.iter
    if not isinstance(call, ast.Call) or not is_lazy(t, call):
        return None
    assert isinstance(call.func, ast.Name)
    function, *parts = call.args or [call.func]
    starred = any(isinstance(part, ast.Starred) for part in parts)
    if call.keywords or not parts or starred or {"map", "filter"} & bound_names(node.body):
        raise Declined(f"{call.func.id} with these arguments", node.lineno)
    mentioned = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
    if isinstance(function, ast.Lambda):
        mentioned -= local_names(function)
    if mentioned & bound_names([node]):
        raise Declined(f"{call.func.id} of a function that the loop binds anew", node.lineno)
    place = point(call)
    # No name of the user's begins with a digit.
    items = [f"0item{call.lineno}_{call.col_offset}_{k}" for k in range(len(parts))]
    each: list[ast.expr] = [load(name, place) for name in items]
    if call.func.id == "map":
        value = applied(t, function, each, place)
        body: list[ast.stmt] = [assign(node.target, value, place), *node.body]
    else:
        if len(parts) > 1:
            raise Declined("filter with these arguments", node.lineno)
        nothing = isinstance(function, ast.Constant) and function.value is None
        test = each[0] if nothing else applied(t, function, each, place)
        inner = [assign(node.target, load(items[0], place), place), *node.body]
        body = [ast.If(test, inner, [], **place)]
    if len(parts) == 1:
        return ast.For(store(items[0], place), parts[0], body, [], None, **place)
    target = ast.Tuple([store(name, place) for name in items], ast.Store(), **place)
    together = ast.Call(load(f"{PYTHONS}zip", place), parts, [], **place)
    return ast.For(target, together, body, [], None, **place)


def applied(t: Names, function: ast.expr, items: list[ast.expr], place: Place) -> ast.expr:
    """A call of a function that is looked up once.

    Raises
    ------
    Declined
        When it is computed, and may be another one each time.
    """
    value = t.expression(function)
    if not isinstance(value, Known | Closure):
        raise Declined("a function that is computed", place["lineno"])
    return ast.Call(function, items, [], **place)


def generator(call: ast.expr) -> ast.GeneratorExp:
    """All items of something as a generator expression.

    Examples
    --------
    >>> ast.unparse(generator(ast.parse("map(f, x)", mode="eval").body))
    '(0each for 0each in map(f, x))'
    """
    place = point(call)
    part = ast.comprehension(store("0each", place), call, [], 0)
    return ast.GeneratorExp(load("0each", place), [part], **place)
