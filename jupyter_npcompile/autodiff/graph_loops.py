"""A loop in a graph: one iteration, and what it has from outside and from the one before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from jupyter_npcompile.autodiff.windows import Box
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Graph, Slice


@dataclass(frozen=True)
class Carry:
    """A value that an iteration has from the one before.

    Parameters
    ----------
    input : int
        What it is called in the body.
    source : int
        What the next one gets: a node of the body.
    first : int
        What the first one gets: a node outside.
    """

    input: int
    source: int
    first: int


@dataclass(frozen=True)
class Window:
    """Part of an array outside.

    Parameters
    ----------
    input : int
        What it is called in the body.
    array : int
        The array: a node outside.
    box : Box
        Where.
    """

    input: int
    array: int
    box: Box


@dataclass
class Loop:
    """Iterations.

    Parameters
    ----------
    count : int
        How many.
    body : Graph
        One of them: the last one, whose nodes keep their numbers.
    carries : list of Carry
        What it has from the one before.
    invariants : list of (int, int)
        Inputs of the body, and the values outside that they always are.
    windows : list of Window
        Parts of arrays.
    written : set of int
        Inputs of the body that are windows into which it writes.
    tables : list of (int, numpy.ndarray)
        Inputs of the body, and what they are in each iteration.
    finals : dict of int to int
        By the number of a node that is used afterwards: a node of the body.
    """

    count: int
    body: Graph
    carries: list[Carry] = field(default_factory=list)
    invariants: list[tuple[int, int]] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    written: set[int] = field(default_factory=set)
    tables: list[tuple[int, Any]] = field(default_factory=list)
    finals: dict[int, int] = field(default_factory=dict)

    @property
    def arrays(self) -> list[int]:
        """The arrays of its windows."""
        return list(dict.fromkeys(window.array for window in self.windows))

    @property
    def changed(self) -> list[int]:
        """The arrays that it writes."""
        return list(dict.fromkeys(w.array for w in self.windows if w.input in self.written))

    @property
    def operands(self) -> list[int]:
        """What it takes from outside: what is carried first, what never changes, arrays."""
        return [*(carry.first for carry in self.carries), *self.shared]

    @property
    def shared(self) -> list[int]:
        """What never changes, and arrays."""
        return list(dict.fromkeys([*(id for _, id in self.invariants), *self.arrays]))

    @property
    def kept(self) -> list[int]:
        """Inputs of the body that are kept for each iteration: its derivative needs them."""
        changed = self.changed
        moving = [window.input for window in self.windows if window.array in changed]
        return [*(carry.input for carry in self.carries), *moving]

    @property
    def results(self) -> list[int]:
        """What an iteration must hand out: nodes of the body."""
        return list(dict.fromkeys([*(c.source for c in self.carries), *self.finals.values()]))


def leaves_of(argument: Any) -> Iterator[Any]:
    """What is in an argument, at any depth."""
    if isinstance(argument, Slice):
        argument = (argument.start, argument.stop, argument.step)
    if isinstance(argument, tuple | list):
        for part in argument:
            yield from leaves_of(part)
    else:
        yield argument


def mapped(argument: Any, leaves: Iterator[Any]) -> Any:
    """An argument with other leaves."""
    if isinstance(argument, Slice):
        parts = (argument.start, argument.stop, argument.step)
        return Slice(*[mapped(part, leaves) for part in parts])
    if isinstance(argument, tuple | list):
        return type(argument)([mapped(part, leaves) for part in argument])
    return next(leaves)
