"""Loops whose body becomes a function, so that one iteration can be run again.

The function has the loop's names as free variables: what a run of it starts
from, and what it leaves, are the contents of its cells. With other cells it
is the same step somewhere else.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from jupyter_npcompile.cell.names import bound_names, exposed, loaded
from jupyter_npcompile.cell.regions import FRAME_NAMES
from jupyter_npcompile.cell.syntax import (
    FUNCTIONS,
    assign,
    clone,
    constant,
    define,
    descend,
    extent,
    load,
    parameters,
    replaced,
    store,
)

STEP = "__npcompile_step__"
"""Name of the function that a loop's body becomes."""

Loop = ast.For | ast.While

_REFUSED = (
    *(ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith),
    *(ast.Global, ast.Nonlocal, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Delete, *FUNCTIONS),
)


def has_step(node: Loop, fixed: Collection[str]) -> bool:
    """Whether the body of a loop can become a function.

    Parameters
    ----------
    node : ast.For or ast.While
        The loop.
    fixed : collection of str
        Names that the loop must not bind: those that other functions see.

    Examples
    --------
    >>> has_step(ast.parse("for i in range(9): x = x + 1").body[0], ())
    True
    >>> has_step(ast.parse("for i in range(9): yield i").body[0], ())
    False
    """
    if node.orelse or bound_names([node]) & set(fixed):
        return False
    heads = [node.test] if isinstance(node, ast.While) else [node.target]
    if any(isinstance(part, ast.NamedExpr) for head in heads for part in descend(head)):
        return False
    for part in descend(*node.body, *heads):
        if isinstance(part, _REFUSED):
            return False
        if isinstance(part, ast.Name) and part.id in FRAME_NAMES | {"super", "__class__"}:
            return False
        if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load):
            return False
        if isinstance(part, ast.ExceptHandler) and part.type is None:
            return False
    return True


def live_names(node: Loop) -> tuple[str, ...]:
    r"""The names that an iteration may read before it binds them, in order of the alphabet.

    Examples
    --------
    >>> live_names(ast.parse("for i in range(9):\n    y = i\n    x = x + y * z").body[0])
    ('x', 'z')
    """
    if isinstance(node, ast.While):
        return tuple(sorted(exposed(node.body) | loaded([node.test])))
    return tuple(sorted(exposed([replaced(node, iter=ast.Constant(None))])))


def step_of(
    node: Loop, parameter: str | None, first: Sequence[ast.stmt], body: Sequence[ast.stmt]
) -> list[ast.stmt]:
    """The function, and what makes its names names of the function around it.

    Parameters
    ----------
    node : ast.For or ast.While
        The loop.
    parameter : str or None
        The name of an item.
    first : sequence of ast.stmt
        What binds the target to it.
    body : sequence of ast.stmt
        The body, with `jumps` taken out of it.
    """
    place = extent(node)
    bound = sorted(bound_names([node]))
    known: list[ast.stmt] = [
        assign(store(name, place), constant(None, place), place) for name in bound
    ]
    never: list[ast.stmt] = [ast.If(constant(False, place), known, [], **place)] if known else []
    declared: list[ast.stmt] = [ast.Nonlocal(bound, **place)] if bound else []
    arguments = parameters([parameter or "_"], place)
    return [*never, define(STEP, arguments, [*declared, *first, *body], place)]


def name_of_step(node: Loop) -> ast.expr:
    """The expression that is the function."""
    return load(STEP, extent(node))


ITEM = "__npcompile_item__"
"""Name of an item in `text_of`."""


def text_of(node: Loop) -> str:
    r"""The statements of an iteration, in which the item is `ITEM`; ``""`` if they may jump.

    Examples
    --------
    >>> print(text_of(ast.parse("for i, v in x:\n    y = y + v").body[0]))
    i, v = __npcompile_item__
    y = y + v
    """
    if any(isinstance(part, ast.Return) for part in descend(*without_jumps(clone(node).body))):
        return ""
    first: list[ast.stmt] = []
    if isinstance(node, ast.For):
        first = [assign(node.target, load(ITEM, extent(node.target)), extent(node.target))]
    return ast.unparse(ast.Module([*first, *node.body], []))


def without_jumps(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    r"""A body that returns true for ``break``, and nothing for ``continue``.

    Examples
    --------
    >>> tree = ast.parse("for i in x:\n    if i:\n        break\n    continue").body[0]
    >>> print(ast.unparse(ast.Module(without_jumps(tree.body), [])))
    if i:
        return True
    return None
    """
    return [_Jumps().visit(statement) for statement in body]


class _Jumps(ast.NodeTransformer):
    def visit_Break(self, node: ast.Break) -> ast.stmt:
        return ast.Return(constant(True, extent(node)), **extent(node))

    def visit_Continue(self, node: ast.Continue) -> ast.stmt:
        return ast.Return(constant(None, extent(node)), **extent(node))

    def _inner(self, node: Loop) -> ast.stmt:
        """Jumps in the body of an inner loop are its own."""
        return replaced(node, orelse=[self.visit(part) for part in node.orelse])

    visit_For = visit_While = _inner
