"""General graphs: their symbols, and which graphs are instances of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jupyter_npcompile.graph.nodes import Graph, Size, Slice
from jupyter_npcompile.graph.sizes import is_size


def symbols_of(graph: Graph) -> tuple[Size, ...]:
    """The symbols of a general graph, in order; none where it is an ordinary one.

    Examples
    --------
    >>> symbols_of(Graph("numpy"))
    ()
    """
    found: dict[str, Size] = {}
    for value in _outer(graph):
        if (parts := _parts(value)) is not None:
            scale, text = parts
            found[text] = Size(text, tuple(number // scale for number in value.values))
    return tuple(sorted(found.values(), key=lambda symbol: int(symbol.text[1:])))


_MULTIPLE = re.compile(r"(?:(\d+) \* )?(s\d+)")


def _parts(size: Any) -> tuple[int, str] | None:
    """A symbol, and what it is multiplied with: strides are counted in bytes."""
    match = _MULTIPLE.fullmatch(size.text) if isinstance(size, Size) else None
    return None if match is None else (int(match[1] or 1), match[2])


def _outer(graph: Graph) -> Iterator[Any]:
    """Integers that come from outside, in order: of inputs, then among arguments."""
    for node in graph.inputs:
        (kind,) = node.types
        yield from node.args
        yield from kind.shape
        # Axes of length 1 may carry any stride.
        yield from (s for n, s in zip(kind.shape, kind.strides, strict=True) if n != 1)
    for node in graph.nodes:
        yield from _integers((*node.args, *node.kwargs.values()))


def _integers(value: Any) -> Iterator[Any]:
    if isinstance(value, Slice):
        yield from _integers((value.start, value.stop, value.step))
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _integers(part)
    elif is_size(value):
        yield value


def free_inputs(graph: Graph) -> dict[int, int]:
    """The inputs of a general graph that are symbols themselves: which symbol each is."""
    numbers = {symbol.text: k for k, symbol in enumerate(symbols_of(graph))}
    return {
        node.id: numbers[size.text]
        for node in graph.inputs
        for size in node.args
        if isinstance(size, Size)
    }


class Family:
    """Graphs that are instances of one general graph.

    Parameters
    ----------
    graph : Graph
        The general one.
    lengths : dict of int to list
        For each node, the shapes of its results, in terms of the symbols: a
        text for each length.
    """

    def __init__(self, graph: Graph, lengths: Mapping[int, Sequence[Sequence[str]]]) -> None:
        self.graph = graph
        self.lengths = lengths
        self.symbols = symbols_of(graph)
        derived = [value.text for value in _outer(graph) if isinstance(value, Size)]
        derived += [
            text for node in graph.nodes for shape in lengths.get(node.id, ()) for text in shape
        ]
        self._derived = compile(f"({''.join(f'{text}, ' for text in derived)})", "<sizes>", "eval")

    def sizes(self, graph: Graph) -> tuple[int, ...] | None:
        """What the symbols stand for in a graph; None when it is no instance.

        Parameters
        ----------
        graph : Graph
            A graph of the same outline.
        """
        found: dict[str, int] = {}
        expected: list[int] = []
        for mine, given in zip(_outer(self.graph), _outer(graph), strict=True):
            given = given.values[0] if isinstance(given, Size) else given
            if not isinstance(mine, Size):
                if mine != given:
                    return None
                continue
            expected.append(given)
            if (parts := _parts(mine)) is not None:
                found.setdefault(parts[1], given // parts[0])
        for node in graph.nodes:
            for kind in node.types:
                expected += kind.shape
        known = {"max": max, "min": min, "__builtins__": {}, **found}
        if eval(self._derived, known) != tuple(expected):
            return None
        return tuple(found[symbol.text] for symbol in self.symbols)
