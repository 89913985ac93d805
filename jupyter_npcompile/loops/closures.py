"""Functions that are defined in what is translated: ``lambda``, and ``def`` in a function.

They are written where they are called, and read the names around them as those are then.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jupyter_npcompile.cell.names import local_names
from jupyter_npcompile.cell.regions import keeps_its_frame
from jupyter_npcompile.cell.syntax import has_docstring
from jupyter_npcompile.loops import arithmetic
from jupyter_npcompile.loops.inlining import Inlined
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.values import Closure, Items, Known, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.expressions import Expressions
    from jupyter_npcompile.loops.names import Names


def defined(t: Expressions, node: ast.Lambda | ast.FunctionDef) -> Closure:
    """The function that a definition makes, always the same for the same place."""
    key = node.lineno, node.col_offset
    if key not in t.frame.closures:
        t.frame.closures[key] = Closure(node, t.frame, _defaults(t, node))
    return t.frame.closures[key]


def _defaults(t: Expressions, node: ast.Lambda | ast.FunctionDef) -> tuple[tuple[str, Value], ...]:
    if isinstance(node, ast.FunctionDef):
        reason = "a decorator" if node.decorator_list else keeps_its_frame(node)
        if reason is not None:
            raise Declined(f"`{node.name}`: {reason}", node.lineno)
    arguments = node.args
    names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args)]
    last = names[len(names) - len(arguments.defaults) :]
    pairs = [*zip(last, arguments.defaults, strict=True)]
    only = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    pairs += [(arg.arg, default) for arg, default in only if default is not None]
    return tuple((name, _known(_computed(t, default), node)) for name, default in pairs)


def _computed(t: Expressions, node: ast.expr) -> Value:
    """The value of a default: arithmetic of numbers is done now.

    Raises
    ------
    Declined
        When Python would raise.
    """
    whole = (ast.BinOp, ast.UnaryOp, ast.Constant, ast.operator, ast.unaryop)
    if isinstance(node, ast.BinOp) and all(isinstance(part, whole) for part in ast.walk(node)):
        numbers = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
        powers = any(isinstance(part, ast.Pow | ast.LShift) for part in ast.walk(node))
        if not powers and all(type(value) in (int, float) for value in numbers):
            try:
                return arithmetic.constant(eval(compile(ast.Expression(node), "<default>", "eval")))
            except ArithmeticError:
                raise Declined("a default that cannot be computed", node.lineno) from None
    return t.expression(node)


def _known(value: Value, node: ast.Lambda | ast.FunctionDef) -> Value:
    """A default: it is computed where the function is defined, so it has to be known."""
    parts = value.items if isinstance(value, Items) else (value,)
    for part in parts:
        if not isinstance(part, Known) and not (
            isinstance(part, Scalar) and part.const is not None
        ):
            raise Declined("a default that is computed", node.lineno)
    return value


def inlined(t: Names, closure: Closure) -> Inlined:
    """A function, ready to be written where it is called.

    Raises
    ------
    Declined
        Where the names that it reads are gone.
    """
    frame = t.frame
    while frame is not closure.frame:
        if frame.caller is None:
            raise Declined("a function that was defined in another one", t.line)
        frame = frame.caller
    node = closure.node
    if isinstance(node, ast.Lambda):
        name, own = "lambda", local_names(node)
        body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
    else:
        name, own = node.name, local_names(node)
        body = node.body[1:] if has_docstring(node.body) else node.body
    return Inlined(name, node.args, dict(closure.defaults), body, own, closure.frame.lookup)
