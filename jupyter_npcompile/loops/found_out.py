"""What attempts at a translation find out for the next one."""

from __future__ import annotations

from collections import abc
from dataclasses import field
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.kinds import Number
from jupyter_npcompile.loops.records import Path

MOST_IN_MEMORY = 8
"""Names of small arrays that turn out to need memory, until all of them have it."""


@dataclass
class FoundOut:
    """What attempts at a translation have found out for the next one.

    Parameters
    ----------
    paths : dict of str to path
        Where inputs are found that are no names of the loop.
    lacking : frozenset of str
        Names that are not bound before the loop.
    by_value : frozenset of str
        Names of integers that are part of the code.
    replaced : frozenset of str
        Entries among the inputs that are replaced.
    first : dict of str to object
        What names are bound to at first that are bound anew later: None, a text.
    in_memory : frozenset of str, or None
        Names whose small arrays have to be in memory; None for all.
    only_floats : bool
        Whether numbers that are integers at first have to be floats in arithmetic; see `Wholes`.
    """

    paths: dict[str, Path] = field(default_factory=dict)
    lacking: frozenset[str] = frozenset()
    by_value: frozenset[str] = frozenset()
    replaced: frozenset[str] = frozenset()
    first: dict[str, Any] = field(default_factory=dict)
    in_memory: frozenset[str] | None = frozenset()
    only_floats: bool = False

    def need_memory(self, names: abc.Sequence[str]) -> None:
        """Small arrays of some names have to be in memory; all of them, where one has no name."""
        known = self.in_memory
        if known is None or not all(names) or not {*names} - known or len(known) > MOST_IN_MEMORY:
            self.in_memory = None
        else:
            self.in_memory = known | {*names}


class WiderInput(Exception):  # noqa: N818 - it asks for something
    """A name is taken as something narrower than it is at the head of the loop."""

    def __init__(self, name: str, type: Number) -> None:
        super().__init__(name)
        self.name = name
        self.type = type
