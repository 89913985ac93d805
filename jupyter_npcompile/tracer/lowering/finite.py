"""NaN and infinity: where they are, and whether there are any."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from jupyter_npcompile.graph.nodes import Graph, Ref
from jupyter_npcompile.tracer.lowering import symbols

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.lowering.trace import Trace

LEAST = 32
"""Elements of a row from which on it is added up by itself: vectors want as many."""

Shape = tuple[int, ...]


def reduced_by_rows(graph: Graph) -> frozenset[Shape]:
    """Shapes of arrays of which something has one element for each of their rows.

    Their maxima, say: compilers go through such an array row by row, and what else
    is known by rows is computed on the same way. Of all elements at once it would
    take another way through memory.
    """
    kinds = {node.id: node.types[0] for node in (*graph.inputs, *graph.nodes) if node.types}
    found: set[Shape] = set()
    for node in graph.nodes:
        first = node.args[0] if node.args else None
        # The values that the body of a loop has from outside it are none of its nodes.
        kind = kinds.get(first.id) if isinstance(first, Ref) else None
        if kind is not None and len(node.types) == 1 and node.view_of is None:
            shape, result = _sizes(kind.shape), _sizes(node.types[0].shape)
            if len(shape) > 1 and result in (shape[:-1], (*shape[:-1], 1)) and shape[-1] >= LEAST:
                found.add(shape)
    return frozenset(found)


def _sizes(shape: Iterable[symbols.Integer]) -> Shape:
    return tuple(map(symbols.hint, shape))


class Sums:
    """Sums that are zero while no element of certain arrays is NaN or infinite.

    ``x * 0`` is zero where ``x`` is finite and NaN where it is not, so that one
    sum shows what happened in many arrays: two operations for each element, and
    one comparison for all. Only what is surely computed in one loop is summed:
    arrays of one shape between which nothing but elementwise work was done.

    Attributes
    ----------
    rows : set of tuple
        Shapes of which the last axis is added up first.

    Examples
    --------
    >>> sums = Sums()
    >>> sums.add(torch.tensor([1.0, 2.0]))
    >>> sums.add(torch.tensor([1.0, math.inf]))
    >>> sums.flags()
    [tensor(False)]
    """

    def __init__(self) -> None:
        self.rows: frozenset[Shape] = frozenset()
        self._sums: dict[tuple[object, torch.dtype], Tensor] = {}

    def add(self, tensor: Tensor) -> None:
        """Add a real array."""
        self.add_marks(tensor * 0.0)

    def add_marks(self, term: Tensor) -> None:
        """Add an array that is zero where all is well, and elsewhere positive or NaN."""
        key = tuple(map(symbols.key, term.shape)), term.dtype
        self._sums[key] = self._sums[key] + term if key in self._sums else term

    def flags(self) -> list[Tensor]:
        """Whether the sums are zero, as 0-d tensors; begin anew."""
        sums, self._sums = self._sums, {}
        return [(self._fewer(total) == 0.0).all() for total in sums.values()]

    def _fewer(self, total: Tensor) -> Tensor:
        return total.sum(-1) if _sizes(total.shape) in self.rows else total


def demand_all_finite(trace: Trace, tensor: Tensor) -> None:
    """Check that no element of an array is NaN or infinite, in the values that it has now."""
    if tensor.is_complex():
        trace.check(all_finite(tensor))
    else:
        trace.sums.add(tensor)


def all_finite(tensor: Tensor) -> Tensor:
    """Whether no element is NaN or infinite, as a 0-d tensor.

    Examples
    --------
    >>> all_finite(torch.tensor([1.0, 2.0])), all_finite(torch.log(torch.tensor([0.0])))
    (tensor(True), tensor(False))
    """
    return finite(tensor).all()


def finite(tensor: Tensor) -> Tensor:
    """Where elements are finite, by comparisons: compilers make vector code of these."""
    if tensor.is_complex():
        return finite(torch.real(tensor)) & finite(torch.imag(tensor))
    return torch.abs(tensor) < math.inf


def defined(tensor: Tensor) -> Tensor:
    """Where elements are not NaN."""
    if tensor.is_complex():
        return defined(torch.real(tensor)) & defined(torch.imag(tensor))
    return torch.abs(tensor) <= math.inf
