"""Fits a piece that serves many sizes to those of one graph, or of one call."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from jupyter_npcompile.graph.nodes import Graph, ValueType
from jupyter_npcompile.runtime.arrays import dense_strides
from jupyter_npcompile.runtime.native.manifest import PieceManifest


class OtherLayoutError(Exception):
    """Code for many sizes does not hold for the present ones."""


def fitted(
    made: PieceManifest, graph: Graph, code: ctypes.CDLL | None, sizes: Sequence[int]
) -> PieceManifest:
    """The piece for the sizes of a graph: types as they were recorded there.

    The library says what it expects and gives; it must be just that.

    Parameters
    ----------
    made : PieceManifest
        With the types of another graph.
    graph : Graph
        NumPy level.
    code : ctypes.CDLL or None
        The library.
    sizes : sequence of int
        What the symbols stand for.

    Raises
    ------
    OtherLayoutError
        When it does not hold for these sizes.
    """
    types = {node.id: node.types[0] for node in (*graph.inputs, *graph.nodes) if node.types}

    def dense(id: int) -> tuple[int, ValueType]:
        return id, replace(types[id], strides=dense_strides(types[id]))

    inputs = tuple((id, types[id]) for id, _ in made.inputs)
    outputs = tuple(dense(id) for id, _ in made.outputs)
    writes = tuple(dense(id) for id, _ in made.writes)
    found = replace(made, inputs=inputs, outputs=outputs, writes=writes)
    if not made.layout:
        return found
    kinds = [kind for _, kind in (*inputs, *outputs, *writes) if kind.kind == "array"]
    length = sum(2 * len(kind.shape) for kind in kinds)
    numbers = (ctypes.c_int64 * max(length, 1))()
    layout = getattr(code, made.layout)
    layout.restype = ctypes.c_int64
    scratch: int = layout((ctypes.c_int64 * len(sizes))(*sizes), numbers)
    if scratch < 0:
        raise OtherLayoutError("the sizes are of another kind")
    place = 0
    for kind in kinds:
        rank = len(kind.shape)
        shape = tuple(numbers[place : place + rank])
        strides = numbers[place + rank : place + 2 * rank]
        place += 2 * rank
        layouts = zip(kind.shape, kind.strides, strides, strict=True)
        if shape != kind.shape or any(a != b for n, a, b in layouts if n != 1):
            raise OtherLayoutError("what the code takes or gives is laid out otherwise")
    return replace(found, scratch=scratch)


class Bounds:
    """Between which values integers may lie that differ from call to call.

    Between these powers of two results were compared with NumPy's; what lies
    outside is compared first, and they are widened.

    Parameters
    ----------
    sizes : sequence of int
        What the symbols stand for.
    free : mapping of int to int
        Inputs that are symbols themselves, and which symbol each is.

    Examples
    --------
    >>> bounds = Bounds([100, 5], {3: 1})
    >>> bounds.values.tolist()
    [[0, -1]]
    >>> bounds.widen({3: 5})
    >>> bounds.values.tolist()
    [[4, 7]]
    """

    def __init__(self, sizes: Sequence[int], free: Mapping[int, int]) -> None:
        self.sizes = tuple(sizes)
        self.free = dict(free)
        self.values = np.array([[0, -1]] * len(free), np.int64)
        self._layouts: list[tuple[Any, int]] = []

    def widen(self, given: Mapping[int, Any]) -> None:
        """Take in the power of two of each integer.

        Parameters
        ----------
        given : mapping of int to object
            The values of inputs.
        """
        for (low, high), id in zip(self.values, self.free, strict=True):
            power = 2 ** (int(given[id]).bit_length() - 1)
            known = low <= high
            place = list(self.free).index(id)
            self.values[place] = (
                min(low, power) if known else power,
                max(high, 2 * power - 1) if known else 2 * power - 1,
            )

    def hold(self, given: Mapping[int, Any]) -> bool:
        """Whether the code holds for these integers, be they compared or not."""
        if not self.free:
            return True
        sizes = list(self.sizes)
        for id, symbol in self.free.items():
            sizes[symbol] = given[id]
        array = (ctypes.c_int64 * len(sizes))(*sizes)
        return all(
            layout(array, (ctypes.c_int64 * max(length, 1))()) >= 0
            for layout, length in self._layouts
        )

    def are_new(self, given: Mapping[int, Any]) -> bool:
        """Whether an integer lies outside of what was compared."""
        pairs = zip(self.values, self.free, strict=True)
        return any(not low <= given[id] <= high for (low, high), id in pairs)

    def of_piece(self, made: PieceManifest, code: ctypes.CDLL | None) -> tuple[Any, ...]:
        """What a piece needs to know of them; nothing where no integer is free.

        Raises
        ------
        OtherLayoutError
            When the piece does not take all of them.
        """
        if not self.free:
            return ()
        places = {id: place for place, (id, _) in enumerate(made.inputs)}
        if not made.layout or not self.free.keys() <= places.keys():
            raise OtherLayoutError("a size is computed between two pieces")
        layout = getattr(code, made.layout)
        layout.restype = ctypes.c_int64
        address = ctypes.cast(layout, ctypes.c_void_p).value
        first = _count(made.inputs)
        length = first + _count(made.outputs) + _count(made.writes)
        self._layouts.append((layout, length))
        pairs = ((symbol, places[id]) for id, symbol in self.free.items())
        return (address, self.values, first, length, *pairs)


def _count(values: Sequence[tuple[int, ValueType]]) -> int:
    return sum(2 * len(kind.shape) for _, kind in values if kind.kind == "array")
