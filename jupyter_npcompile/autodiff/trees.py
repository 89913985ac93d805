"""Nested tuples, lists and dicts of arrays and numbers: taken apart and put together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from jupyter_npcompile.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Tree:
    """The structure of a nested value without its leaves.

    Parameters
    ----------
    kind : type or None
        Of the container; None for a leaf, and for ``None``, which has no leaves.
    keys : tuple
        Of a dict.
    parts : tuple of Tree
        What is in it.
    leaves : int
        How many there are.
    """

    kind: type | None
    keys: tuple[Any, ...] = ()
    parts: tuple[Tree, ...] = ()
    leaves: int = 1

    def build(self, leaves: Sequence[Any]) -> Any:
        """Put leaves into the structure.

        Examples
        --------
        >>> flatten({"a": 1, "b": (2, [3])})[1].build([10, 20, 30])
        {'a': 10, 'b': (20, [30])}
        """
        if self.kind is None:
            return leaves[0] if self.leaves else None
        items: list[Any] = []
        place = 0
        for part in self.parts:
            items.append(part.build(leaves[place : place + part.leaves]))
            place += part.leaves
        if issubclass(self.kind, dict):
            pairs = zip(self.keys, items, strict=True)
            return dict(pairs) if issubclass(self.kind, defaultdict) else self.kind(pairs)
        make: Any = self.kind
        return make(*items) if hasattr(make, "_fields") else make(items)


LEAF = Tree(None)
NOTHING = Tree(None, leaves=0)


def flatten(value: Any) -> tuple[list[Any], Tree]:
    """Take a nested value apart: its leaves in order, and its structure.

    Examples
    --------
    >>> flatten((1.0, {"w": [2.0], "none": None}))[0]
    [1.0, 2.0]
    """
    if value is None:
        return [], NOTHING
    if isinstance(value, dict):
        return _joined(type(value), tuple(value), list(value.values()))
    if isinstance(value, tuple | list):
        return _joined(type(value), (), list(value))
    return [value], LEAF


def _joined(kind: type, keys: tuple[Any, ...], items: list[Any]) -> tuple[list[Any], Tree]:
    leaves: list[Any] = []
    parts = []
    for item in items:
        found, tree = flatten(item)
        leaves += found
        parts.append(tree)
    return leaves, Tree(kind, keys, tuple(parts), len(leaves))


def map_leaves(function: Callable[[Any], Any], value: Any) -> Any:
    """Apply a function to every leaf.

    Examples
    --------
    >>> map_leaves(lambda x: x + 1, [1, (2, {"a": 3})])
    [2, (3, {'a': 4})]
    """
    leaves, tree = flatten(value)
    return tree.build([function(leaf) for leaf in leaves])
