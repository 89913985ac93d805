"""A copy of what a cell reads, in which it can run a second time."""

from __future__ import annotations

import ast
import contextlib
import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jupyter_npcompile.cell.factory import every_code
from jupyter_npcompile.runtime.copies import LenientCopier

_DYNAMIC = frozenset({"eval", "exec", "globals", "locals", "vars", "dir", "get_ipython"})
"""Names with which a cell can reach every other name."""


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
    origins : sequence of dict
        What the namespace is itself a copy of.

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
        self,
        namespace: dict[str, Any],
        needed: Iterable[str],
        hidden: Iterable[str] = (),
        origins: Sequence[dict[str, Any]] = (),
    ) -> None:
        self.module = types.ModuleType(namespace.get("__name__", "__main__"))
        self.space: dict[str, Any] = self.module.__dict__
        for name in filter(namespace.__contains__, (*filter(is_dunder, namespace), *hidden)):
            self.space[name] = namespace[name]
        copier = LenientCopier((namespace, *origins), self.space)
        hidden = set(hidden)
        wanted = [
            name
            for name in reachable(namespace, needed, hidden)
            if not is_dunder(name) and not (name in hidden and callable(namespace[name]))
        ]
        for name in wanted:
            self.space[name] = copier.copy(namespace[name])
        self.copied = frozenset(wanted)
        self.shared = tuple(dict.fromkeys(copier.shared))
        self._methods = [
            (kind, name, part, copied)
            for kind in _classes(namespace, namespace.values())
            for name, part in vars(kind).items()
            if (copied := _rebound(part, copier)) is not part
        ]

    @contextlib.contextmanager
    def methods(self) -> Iterator[None]:
        """Let the methods of the namespace's own classes work on the copy meanwhile."""
        changed = []
        try:
            for kind, name, part, copied in self._methods:
                with contextlib.suppress(AttributeError, TypeError):  # a class that refuses
                    setattr(kind, name, copied)
                    changed.append((kind, name, part))
            yield
        finally:
            for kind, name, part in changed:
                setattr(kind, name, part)


def is_dunder(name: str) -> bool:
    """Whether a name belongs to Python: ``__name__``."""
    return name.startswith("__") and name.endswith("__")


def _classes(namespace: dict[str, Any], values: Iterable[Any]) -> list[type]:
    """Classes that were defined in a namespace."""
    kinds = (value if isinstance(value, type) else type(value) for value in values)
    home = namespace.get("__name__")
    return list(dict.fromkeys(kind for kind in kinds if kind.__module__ == home))


def _rebound(part: Any, copier: LenientCopier) -> Any:
    """A method over the copied namespace."""
    if isinstance(part, types.FunctionType):
        return copier.copy(part)
    if isinstance(part, staticmethod | classmethod):
        inner = copier.copy(part.__func__)
        return part if inner is part.__func__ else type(part)(inner)
    if isinstance(part, property):
        parts = [copier.copy(f) for f in (part.fget, part.fset, part.fdel)]
        same = parts == [part.fget, part.fset, part.fdel]
        return part if same else property(parts[0], parts[1], parts[2], part.__doc__)
    return part


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
            yield from every_code(value.__code__)
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
