"""A copy of what a cell reads, in which it can run a second time."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable
from typing import Any

from jupyter_npcompile.runtime.copies import LenientCopier

_DYNAMIC = frozenset({"eval", "exec", "globals", "locals", "vars", "dir", "get_ipython"})
"""Names with which a cell can reach every other name."""

_MODULE = ("__name__", "__doc__", "__builtins__", "__builtin__", "__package__", "__loader__")


class CopiedNamespace:
    """A namespace with copies of everything that a cell can reach by name.

    Arrays that share memory share it in the copy too. Functions of the
    namespace read and write the copy. Modules, classes, open files and what
    else cannot be copied are the same objects.

    Parameters
    ----------
    namespace : dict
        The namespace; it is not changed.
    needed : iterable of str
        Names that the cell mentions.
    hidden : iterable of str
        Names that belong to the shell.

    Attributes
    ----------
    space : dict
        The copy: the namespace of a module.
    copied : frozenset of str
        Names of it that are copies.
    shared : tuple of str
        Types of objects that could not be copied.
    """

    def __init__(
        self, namespace: dict[str, Any], needed: Iterable[str], hidden: Iterable[str] = ()
    ) -> None:
        self.module = types.ModuleType(namespace.get("__name__", "__main__"))
        self.space: dict[str, Any] = self.module.__dict__
        for name in (*_MODULE, *hidden):
            if name in namespace:
                self.space[name] = namespace[name]
        copier = LenientCopier(namespace, self.space)
        hidden = set(hidden)
        wanted = [
            name
            for name in reachable(namespace, needed, hidden)
            if name not in _MODULE and not (name in hidden and callable(namespace[name]))
        ]
        for name in wanted:
            self.space[name] = copier.copy(namespace[name])
        self.copied = frozenset(wanted)
        self.shared = tuple(dict.fromkeys(copier.shared))


def names_in(tree: ast.AST) -> set[str]:
    """Every name that a piece of code mentions."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Global):
            found.update(node.names)
    return found


def reachable(
    namespace: dict[str, Any], needed: Iterable[str], hidden: Iterable[str] = ()
) -> list[str]:
    """Names of a namespace that code with these names can read, through its functions too.

    Where it can read any name (``eval``), that is every name but the hidden ones.

    Examples
    --------
    >>> space = {"x": 1, "y": 2, "f": eval("lambda: x")}
    >>> reachable(space, {"f"})
    ['f']
    >>> space["f"] = types.FunctionType(space["f"].__code__, space)
    >>> reachable(space, {"f"})
    ['f', 'x']
    """
    found: dict[str, None] = {}
    waiting = sorted(needed, reverse=True)
    everything = False
    while waiting:
        name = waiting.pop()
        if name in _DYNAMIC and not everything:
            everything = True
            waiting += sorted(set(namespace) - set(found) - _DYNAMIC - set(hidden))
        if name in found or name not in namespace:
            continue
        found[name] = None
        for code in _codes(namespace[name], namespace, 4):
            waiting += sorted(code.co_names)
    return list(found)


def _codes(value: Any, namespace: dict[str, Any], depth: int) -> Iterable[types.CodeType]:
    """The code of functions of a namespace, and of those that they hold."""
    if isinstance(value, types.FunctionType):
        if value.__globals__ is namespace:
            yield from _nested(value.__code__)
        if depth:
            for cell in value.__closure__ or ():
                try:
                    yield from _codes(cell.cell_contents, namespace, depth - 1)
                except ValueError:
                    continue
    elif isinstance(value, type) and value.__module__ == namespace.get("__name__") and depth:
        for part in vars(value).values():
            yield from _codes(getattr(part, "__func__", part), namespace, depth - 1)
    elif type(value).__module__ == namespace.get("__name__", "") and depth:
        yield from _codes(type(value), namespace, depth - 1)


def _nested(code: types.CodeType) -> Iterable[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested(constant)
