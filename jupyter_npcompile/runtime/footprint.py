"""The memory budget: how much more than NumPy a segment may take.

What is recorded, checked and measured on large arrays needs copies of them. While
that would take more than the budget, it is done with less or left alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Graph, ValueType, references
from jupyter_npcompile.tracer.elision import LEAST

SHARE = 0.2
"""Part of what NumPy takes, inputs included, that we may take besides."""

CONSTANT = 32 * 2**20
"""Bytes that we may take in any case."""

_OPERATORS = frozenset(
    f"numpy.{name}"
    for name in ("add", "subtract", "multiply", "divide", "bitwise_and", "bitwise_or")
)
"""What NumPy may do in the memory of an operand that nobody else has."""


def budget(nbytes: int) -> float:
    """Bytes besides those that NumPy takes, where it takes so many.

    Examples
    --------
    >>> budget(0) == CONSTANT
    True
    """
    return CONSTANT + SHARE * nbytes


def size_of(types: Iterable[ValueType]) -> int:
    """Bytes of arrays."""
    return sum(math.prod(type.shape) * np.dtype(type.dtype).itemsize for type in types)


@dataclass(frozen=True)
class Footprint:
    """Memory that a graph takes at most at a time, in bytes.

    Parameters
    ----------
    inputs : int
        What is there before.
    numpy : int
        What NumPy allocates.
    results : int
        What is left afterwards.
    written : int
        The inputs that are written.
    drawn : int
        The random numbers among the inputs: they are not there before.

    Examples
    --------
    >>> from jupyter_npcompile.graph.nodes import Node, Output, Ref
    >>> kind = ValueType("array", "float64", (10**6,), (8,))
    >>> x = Node(0, "input", types=(kind,), name="x")
    >>> y = Node(1, "numpy.sin", (Ref(0),), types=(kind,))
    >>> z = Node(2, "numpy.cos", (Ref(1),), types=(kind,))
    >>> of = Footprint.of(Graph("numpy", (x,), (y, z), (Output("z", Ref(2)),)))
    >>> of.inputs, of.numpy, of.results
    (8000000, 16000000, 8000000)
    """

    inputs: int
    numpy: int
    results: int
    written: int
    drawn: int

    @classmethod
    def of(cls, graph: Graph, drawn: frozenset[int] = frozenset()) -> Footprint:
        """Follow what NumPy allocates and frees, operation by operation.

        Parameters
        ----------
        graph : Graph
            NumPy level.
        drawn : frozenset of int
            The inputs that are random numbers.
        """
        nodes, roots = graph.by_id(), graph.roots()
        inputs = {node.id for node in graph.inputs}
        last = dict.fromkeys(inputs, -1)
        for position, node in enumerate(graph.nodes):
            for id in (node.id, *node.references()):
                last[roots[id]] = position
        kept = {roots[id] for output in graph.outputs for id in references(output.value)}
        ends: dict[int, list[int]] = {}
        for id, position in last.items():
            if id not in kept and id not in inputs:
                ends.setdefault(position, []).append(id)
        sizes = {id: size_of(nodes[id].types) for id in last}
        live = most = 0
        for position, node in enumerate(graph.nodes):
            over = ends.get(position, [])
            if roots[node.id] == node.id:
                size = sizes[node.id]
                # NumPy uses the memory of a temporary again, where it is large.
                again = node.op in _OPERATORS and size >= LEAST
                again = again and any(sizes[id] == size for id in over if id != node.id)
                most = max(most, live + (0 if again else size))
                live += size
            live -= sum(sizes[id] for id in over)
        draws = [size_of(nodes[id].types) for id in drawn]
        given = size_of(type for node in graph.inputs for type in node.types)
        return cls(
            inputs=given - sum(draws),
            numpy=max(most, *draws, 0),
            drawn=sum(draws),
            results=size_of(type for id in kept - inputs for type in nodes[id].types),
            written=size_of(type for id in graph.writes for type in nodes[id].types),
        )

    @property
    def budget(self) -> float:
        """Bytes that may be taken besides NumPy's."""
        return budget(self.inputs + self.numpy)

    def more(self, nbytes: int) -> int:
        """What code that allocates so many bytes takes besides NumPy's."""
        return nbytes + self.drawn - self.numpy

    @property
    def checking(self) -> int:
        """The same while a result is held that NumPy computes once more."""
        return self.results + 2 * (self.written + self.drawn)

    def fits(self, nbytes: float) -> bool:
        """Whether so many bytes besides NumPy's are within the budget."""
        return nbytes <= self.budget
