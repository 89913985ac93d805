"""Calls of the user's own functions, where the skeleton runs them.

What a compiled cell or function calls need not be compiled: a function from a cell
without the magic, or from a module. Where the skeleton calls one by its name, it asks
the handle first, which may have a compiled form of it:

    a = smooth(x)                       # as written
    a = handle.pick(smooth)(x)          # in the skeleton

Line and column of the call stay what they are, and so do tracebacks.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from jupyter_npcompile.cell.syntax import FUNCTIONS, attribute, call, children, extent, load

_OTHERS = (*FUNCTIONS, ast.Lambda, ast.ClassDef)
"""What they hold runs later, or elsewhere."""

_LATE = (*_OTHERS, ast.GeneratorExp)
"""The same for a cell, whose handle is gone when it is over."""


def path_of(callee: ast.expr) -> str | None:
    """The name of a callee, or that of a module and one in it.

    Examples
    --------
    >>> [path_of(ast.parse(text, mode="eval").body) for text in ("f", "tools.f", "a.b.c", "f()")]
    ['f', 'tools.f', None, None]
    """
    if isinstance(callee, ast.Name):
        return callee.id
    if isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Name):
        return f"{callee.value.id}.{callee.attr}"
    return None


def callees(body: Sequence[ast.stmt], *, in_function: bool) -> frozenset[str]:
    r"""Return what is called by name in a body, functions that it defines aside.

    Examples
    --------
    >>> body = ast.parse("y = f(g(x))\nz = [tools.h(a) for a in y]\ndef k(): m()").body
    >>> sorted(callees(body, in_function=False))
    ['f', 'g', 'tools.h']
    """
    paths = (path_of(part.func) for part in _calls(body, in_function))
    return frozenset(path for path in paths if path is not None)


def hand_on(
    body: Sequence[ast.stmt], paths: Collection[str], handle: str, *, in_function: bool
) -> None:
    r"""Have calls of some names ask the handle for the function to call, in place.

    Examples
    --------
    >>> tree = ast.parse("y = f(g(x))")
    >>> hand_on(tree.body, {"f"}, "H", in_function=False)
    >>> ast.unparse(tree)
    'y = H.pick(f)(g(x))'
    """
    for part in _calls(body, in_function):
        if path_of(part.func) in paths:
            place = extent(part.func)
            pick = attribute(load(handle, place), "pick", place)
            part.func = call(pick, [part.func], place)


def _calls(body: Sequence[ast.stmt], in_function: bool) -> Iterator[ast.Call]:
    skipped = _OTHERS if in_function else _LATE
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, skipped):
            continue
        todo += children(node)
        if isinstance(node, ast.Call):
            yield node
