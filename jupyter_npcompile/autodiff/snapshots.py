"""What an iteration of a loop starts from: the contents of its names, kept while they change."""

from __future__ import annotations

import operator
from collections.abc import Collection, Mapping
from types import CellType
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.trees import LEAF, Tree, flatten
from jupyter_npcompile.tracer.memory import Array, clone_owner, owner, rebase

Slot = tuple[str, int]
"""A name, and which leaf of its value."""


class _Unbound:
    """Stands for a name without a value."""


UNBOUND = _Unbound()


class Snapshot:
    """The values of names at one moment.

    Values are kept by reference; memory is copied when somebody is about to
    write it.

    Parameters
    ----------
    cells : mapping of str to cell
        The names.

    Attributes
    ----------
    leaves : dict
        What is in nested tuples, lists and dicts, by slot.
    memory : dict of int to list
        By its identity: the owner of an array, and its copy once it has been
        written.
    """

    def __init__(self, cells: Mapping[str, CellType]) -> None:
        self.values = {name: content(cell) for name, cell in cells.items()}
        self.leaves: dict[Slot, Any] = {}
        self.trees: dict[str, Tree] = {}
        self.memory: dict[int, list[Any]] = {}
        for name, value in self.values.items():
            leaves, self.trees[name] = ([value], LEAF) if _is_leaf(value) else flatten(value)
            for k, leaf in enumerate(leaves):
                self.leaves[name, k] = leaf
                if type(leaf) is np.ndarray:
                    base = owner(leaf)
                    self.memory.setdefault(id(base), [base, None])

    def before_write(self, base: Array, copy: Array | None) -> Array | None:
        """Keep the memory of an owner that is about to be written.

        Parameters
        ----------
        base : numpy.ndarray
            The owner.
        copy : numpy.ndarray or None
            A copy that another snapshot has just made.

        Returns
        -------
        numpy.ndarray or None
            The copy, if there is one now.
        """
        entry = self.memory.get(id(base))
        if entry is not None and entry[1] is None:
            copy = entry[1] = clone_owner(base) if copy is None else copy
        return copy

    def restore(self, cells: Mapping[str, CellType]) -> None:
        """Bind the names as they were, and write their memory back."""
        for base, copy in self.memory.values():
            if copy is not None:
                np.copyto(base, copy)
        for name, value in self.values.items():
            if value is not UNBOUND:
                cells[name].cell_contents = value

    def rebuilt(self, moving: Collection[Slot]) -> dict[Slot, Any]:
        """The leaves as they were, for a run that must not touch the original ones.

        What has been written since gets memory of its own. Numbers in
        ``moving`` become objects of their own.
        """
        owners = {
            key: base if copy is None else clone_owner(copy)
            for key, (base, copy) in self.memory.items()
        }
        made: dict[int, Any] = {}

        def own(slot: Slot, leaf: Any) -> Any:
            if is_number(leaf):
                return fresh(leaf) if slot in moving else leaf
            if type(leaf) is not np.ndarray or owners[id(owner(leaf))] is owner(leaf):
                return leaf
            if id(leaf) not in made:
                made[id(leaf)] = rebase(leaf, owner(leaf), owners[id(owner(leaf))])
            return made[id(leaf)]

        return {slot: own(slot, leaf) for slot, leaf in self.leaves.items()}

    def bound(self, leaves: Mapping[Slot, Any]) -> dict[str, CellType]:
        """Cells for the names, with leaves in their places."""
        cells = {}
        for name, tree in self.trees.items():
            value = tree.build([leaves[name, k] for k in range(tree.leaves)])
            cells[name] = CellType() if value is UNBOUND else CellType(value)
        return cells


def content(cell: CellType) -> Any:
    """What a name is bound to, or `UNBOUND`."""
    try:
        return cell.cell_contents
    except ValueError:
        return UNBOUND


def is_number(value: Any) -> bool:
    """Whether a value is a number that can have a gradient."""
    return isinstance(value, float | complex | np.inexact)


def is_inexact(value: Any) -> bool:
    """Whether a value is a number or array that can have a gradient."""
    return is_number(value) or (type(value) is np.ndarray and value.dtype.kind in "fc")


def fresh(number: Any) -> Any:
    """The same number as an object of its own."""
    return np.array(number)[()] if isinstance(number, np.generic) else operator.neg(-number)


def _is_leaf(value: Any) -> bool:
    """Whether a value is handed on as it is; containers of other types are."""
    return type(value) not in (tuple, list, dict) and not hasattr(value, "_fields")


class Keeper:
    """Lets several snapshots keep what they need of memory that is written.

    Attributes
    ----------
    snapshots : list of Snapshot
        Which ones.
    """

    def __init__(self) -> None:
        self.snapshots: list[Snapshot] = []
        self._waiting: dict[int, list[Snapshot]] = {}

    def add(self, snapshot: Snapshot) -> None:
        """One more."""
        self.snapshots.append(snapshot)
        self._wait(snapshot)

    def _wait(self, snapshot: Snapshot) -> None:
        for key, (_, copy) in snapshot.memory.items():
            if copy is None:
                self._waiting.setdefault(key, []).append(snapshot)

    def thin(self) -> None:
        """Drop every second one."""
        self.snapshots = self.snapshots[::2]
        self._waiting = {}
        for snapshot in self.snapshots:
            self._wait(snapshot)

    def before_write(self, base: Array, copy: Array | None = None) -> Array | None:
        """An owner is about to be written: see `Snapshot.before_write`."""
        for snapshot in self._waiting.pop(id(base), ()):
            copy = snapshot.before_write(base, copy)
        return copy
