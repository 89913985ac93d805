"""Calls of hooks, and the scopes that decide which names go through one."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from jupyter_npcompile.cell.program import NotTraceable
from jupyter_npcompile.cell.syntax import (
    Place,
    Positioned,
    SourceText,
    attribute,
    call,
    constant,
    extent,
    load,
)

HOOKS = "__npcompile_hooks__"
"""Name of the hooks object in instrumented code."""


class HookCalls:
    """Makes the calls of hooks for one region or helper.

    Parameters
    ----------
    text : SourceText
        The source, for columns in characters.
    plain : collection of str
        Names of the outermost scope that are left alone. For a region this
        set grows as names are bound.
    """

    def __init__(self, text: SourceText, plain: Collection[str]) -> None:
        self.text = text
        self.scopes: list[Collection[str]] = [plain]
        self._temporaries = 0

    def temporary(self) -> str:
        """Return a name that occurs nowhere else in the code."""
        self._temporaries += 1
        return f"__npcompile_t{self._temporaries}__"

    def refuse(self, node: Positioned, reason: str) -> NotTraceable:
        """Return the exception that says why `node` cannot be instrumented."""
        return NotTraceable(reason, *self.text.position(node))

    def hook(
        self,
        name: str,
        node: Positioned,
        *arguments: ast.expr,
        at: Positioned | None = None,
        keywords: Sequence[ast.keyword] = (),
    ) -> ast.Call:
        """Return the call of hook `name` with the position of `at` (or `node`) first."""
        place = extent(node)
        position = constant(self.text.position(at or node), place)
        return self.plain_hook(name, place, [position, *arguments], keywords)

    def plain_hook(
        self,
        name: str,
        place: Place,
        arguments: Sequence[ast.expr],
        keywords: Sequence[ast.keyword] = (),
    ) -> ast.Call:
        """Return the call of hook `name` without a position."""
        return call(attribute(load(HOOKS, place), name, place), arguments, place, keywords)

    def name(self, name: str, place: Place) -> ast.expr:
        """Return the expression that reads `name`."""
        if name == "__debug__" or any(name in scope for scope in self.scopes):
            return load(name, place)
        return self.plain_hook("name", place, [constant(name, place), load(name, place)])

    def unpacked(self, target: ast.Tuple | ast.List, value: ast.expr) -> ast.expr:
        """Return the tuple of the values that the elements of `target` get."""
        place = extent(target)
        stars = [i for i, item in enumerate(target.elts) if isinstance(item, ast.Starred)]
        count = constant(len(target.elts), place)
        return self.hook(
            "unpack", target, value, count, constant(stars[0] if stars else None, place)
        )
