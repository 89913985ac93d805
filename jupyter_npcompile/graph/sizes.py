"""What graphs have in common that differ in sizes only.

Two recordings of the same statements on arrays of other lengths are one graph
in which some integers differ. `general` puts symbols in the place of those that
come from outside: lengths and strides of inputs, and numbers among the
arguments (the bound of a slice, the length of ``np.zeros``). What follows from
them (the shapes of results) is guessed here and found out by the lowering.

Lengths of 0 and 1 are no such sizes: NumPy broadcasts 1, and nothing has
elements where one is 0. They stay as they are.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement, permutations, product
from typing import Any

from jupyter_npcompile.graph.nodes import Argument, Graph, Node, Size, Slice, ValueType
from jupyter_npcompile.graph.serial import argument_to_json

LEAST = 2
"""Smaller integers are no sizes."""

MAX_SYMBOLS = 32
"""A graph with more integers that differ is left alone."""

_OFFSETS = range(-8, 9)
_DIVISORS = range(2, 9)

Itemsize = Callable[[str], int]
"""Bytes of an element, by dtype."""


def outline(graph: Graph, itemsize: Itemsize) -> str:
    """A digest of everything in a graph except its sizes, names and positions.

    Parameters
    ----------
    graph : Graph
        NumPy level.
    itemsize : callable
        Bytes of an element, by dtype.
    """
    data = [
        [
            [_outlined_type(kind, itemsize) for kind in node.types],
            [node.id, node.op, node.view_of, node.writes, node.reports, node.finite],
            _outlined(node.args),
            [[name, _outlined(value)] for name, value in node.kwargs.items()],
        ]
        for node in (*graph.inputs, *graph.nodes)
    ]
    outputs = [argument_to_json(output.value) for output in graph.outputs]
    text = json.dumps([data, len(graph.inputs), outputs, graph.writes])
    return hashlib.sha256(text.encode()).hexdigest()


def _outlined(value: Argument) -> Any:
    if isinstance(value, Slice):
        return ["slice", *map(_outlined, (value.start, value.stop, value.step))]
    if isinstance(value, tuple | list):
        return [type(value).__name__, *map(_outlined, value)]
    return "size" if is_size(value) else argument_to_json(value)


def _outlined_type(kind: ValueType, itemsize: Itemsize) -> list[Any]:
    shape = ["size" if is_size(n) else n for n in kind.shape]
    axes = sorted(range(len(shape)), key=lambda k: (abs(kind.strides[k]), kind.shape[k]))
    signs = [(stride > 0) - (stride < 0) for stride in kind.strides]
    order = order_of(kind.shape, kind.strides, itemsize(kind.dtype))
    return [kind.kind, kind.dtype, shape, axes, signs, order]


def is_size(value: object) -> bool:
    """Whether an integer may be a size."""
    return isinstance(value, Size) or (type(value) is int and value >= LEAST)


def order_of(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> str:
    """``"C"``, ``"F"`` or ``""``: how elements lie in memory.

    Examples
    --------
    >>> order_of((2, 3), (8, 16), 8), order_of((2, 3), (24, 8), 8), order_of((3,), (16,), 8)
    ('F', 'C', '')
    """

    def dense(axes: Iterable[int]) -> bool:
        expected = itemsize
        for axis in axes:
            if shape[axis] != 1:
                if strides[axis] != expected:
                    return False
                expected *= shape[axis]
        return True

    if len(strides) != len(shape) or 0 in shape or dense(range(len(shape) - 1, -1, -1)):
        return "C"
    return "F" if dense(range(len(shape))) else ""


# -- from two graphs to one


class _Generaliser:
    """Walks through two graphs of the same outline."""

    def __init__(self, itemsize: Itemsize) -> None:
        self._itemsize = itemsize
        self.symbols: list[Size] = []
        self._guesses: dict[tuple[int, int], Size] = {}

    def graph(self, new: Graph, old: Graph) -> Graph:
        inputs = tuple(map(self._input, new.inputs, old.inputs))
        pairs = zip(new.nodes, old.nodes, strict=True)
        nodes = [self._arguments(one, other) for one, other in pairs]
        return replace(new, inputs=inputs, nodes=tuple(map(self._results, nodes, old.nodes)))

    def _input(self, new: Node, old: Node) -> Node:
        (kind,), (other,) = new.types, old.types
        if new.args:
            return replace(new, args=(self._free(new, old),))
        shape: Any = tuple(map(self._symbol, kind.shape, other.shape))
        strides = dense(shape, kind, self._itemsize)
        if strides is None:
            strides = tuple(
                self._stride(one, two, kind.dtype)
                for one, two in zip(kind.strides, other.strides, strict=True)
            )
        return replace(new, types=(replace(kind, shape=shape, strides=strides),))

    def _free(self, new: Node, old: Node) -> Size:
        """An integer that differs from call to call, itself an input."""
        (now,), (then,) = new.args, old.args
        assert isinstance(now, Size)
        assert isinstance(then, Size)
        values = now.values if new is old else (now.values[0], then.values[0])
        self.symbols.append(Size(f"s{len(self.symbols)}", values))
        return self.symbols[-1]

    def _symbol(self, new: int, old: int, scale: int = 1) -> Any:
        if new == old:
            return new
        values = new // scale, old // scale
        self.symbols.append(Size(f"s{len(self.symbols)}", values))
        return _scaled(scale, self.symbols[-1:])

    def _stride(self, new: int, old: int, dtype: str) -> Any:
        return self._symbol(new, old, self._itemsize(dtype))

    def _arguments(self, new: Node, old: Node) -> Node:
        return replace(
            new,
            args=tuple(map(self._argument, new.args, old.args)),
            kwargs={name: self._argument(v, old.kwargs[name]) for name, v in new.kwargs.items()},
        )

    def _argument(self, new: Any, old: Any) -> Any:
        if isinstance(new, Slice):
            names = ("start", "stop", "step")
            return Slice(*(self._argument(getattr(new, n), getattr(old, n)) for n in names))
        if isinstance(new, tuple | list):
            return type(new)(map(self._argument, new, old))
        return self._symbol(new, old) if is_size(new) else new

    def _results(self, new: Node, old: Node) -> Node:
        types = []
        for kind, other in zip(new.types, old.types, strict=True):
            shape: Any = tuple(map(self._guess, kind.shape, other.shape))
            known = all(not isinstance(n, Size) or n.text for n in shape)
            strides = dense(shape, kind, self._itemsize) if known else None
            types.append(replace(kind, shape=shape, strides=strides or kind.strides))
        return replace(new, types=tuple(types))

    def _guess(self, new: int, old: int) -> Any:
        """What the length of a result may be."""
        if new == old:
            return new
        pair = new, old
        if pair not in self._guesses:
            found = (text for text, values in self._candidates() if values == pair)
            self._guesses[pair] = Size(next(found, ""), pair)
        return self._guesses[pair]

    def _candidates(self) -> Iterator[tuple[str, tuple[int, int]]]:
        def value(function: Callable[..., int], *sizes: Size) -> tuple[int, int]:
            first, second = (function(*(size.values[k] for size in sizes)) for k in (0, 1))
            return first, second

        for size in self.symbols:
            yield size.text, value(int, size)
        for offset, size in product(_OFFSETS, self.symbols):
            yield f"{size.text} + {offset}", value(lambda s, c=offset: s + c, size)
        for one, two in combinations_with_replacement(self.symbols, 2):
            yield f"{one.text} * {two.text}", value(lambda s, t: s * t, one, two)
            yield f"{one.text} + {two.text}", value(lambda s, t: s + t, one, two)
        for one, two in permutations(self.symbols, 2):
            yield f"{one.text} - {two.text}", value(lambda s, t: s - t, one, two)
        for d, size in product(_DIVISORS, self.symbols):
            yield f"{size.text} * {d}", value(lambda s, d=d: s * d, size)
            for c in range(d - 1, -d, -1):
                text = f"({size.text} + {c}) // {d}"
                yield text, value(lambda s, c=c, d=d: (s + c) // d, size)
        for d, (one, two) in product(_DIVISORS, combinations_with_replacement(self.symbols, 2)):
            text = f"({one.text} * {two.text}) // {d}"
            yield text, value(lambda s, t, d=d: s * t // d, one, two)


def dense(shape: Sequence[Any], kind: ValueType, itemsize: Itemsize) -> Any:
    """The strides of an array without gaps, in terms of its shape; None where it has gaps.

    Parameters
    ----------
    shape : sequence of int or Size
        Its shape.
    kind : ValueType
        Its recorded type.
    itemsize : callable
        Bytes of an element, by dtype.

    Examples
    --------
    >>> kind = ValueType("array", "float64", (3, 4), (8, 24))
    >>> dense((Size("s0", (3,)), 4), kind, lambda dtype: 8)
    (8, Size(text='8 * s0', values=(24,)))
    """
    size = itemsize(kind.dtype)
    expected, before = size, list[Any]()
    strides = list[Any](kind.strides)
    for axis in sorted(range(len(shape)), key=lambda k: (kind.strides[k], kind.shape[k])):
        if kind.shape[axis] == 1:  # it may have any stride
            continue
        if kind.strides[axis] != expected:
            return None
        strides[axis] = _scaled(size, before)
        before.append(shape[axis])
        expected *= kind.shape[axis]
    return tuple(strides)


def _scaled(scale: int, factors: Sequence[Any]) -> Any:
    """The product of a number and of sizes."""
    sizes = [factor for factor in factors if isinstance(factor, Size)]
    scale *= math.prod(factor for factor in factors if not isinstance(factor, Size))
    if not sizes:
        return scale
    values = tuple(scale * math.prod(pair) for pair in zip(*(s.values for s in sizes), strict=True))
    texts = [size.text if size.is_symbol else f"({size.text})" for size in sizes]
    return Size(" * ".join(texts if scale == 1 else [str(scale), *texts]), values)


def general(new: Graph, old: Graph, itemsize: Itemsize) -> Graph | None:
    """The graph of which two graphs are instances.

    Parameters
    ----------
    new, old : Graph
        NumPy level, with equal outlines.
    itemsize : callable
        Bytes of an element, by dtype.

    Returns
    -------
    Graph or None
        With a `Size` wherever they differ; None when they do not differ, or
        in more than sizes can explain.

    Examples
    --------
    >>> def square(n):
    ...     kind = (ValueType("array", "float64", (n,), (8,)),)
    ...     x, y = Node(0, "input", types=kind), Node(1, "numpy.square", types=kind)
    ...     return Graph("numpy", (x,), (y,))
    >>> general(square(120), square(100), lambda dtype: 8).nodes[0].type.shape
    (Size(text='s0', values=(120, 100)),)
    """
    generaliser = _Generaliser(itemsize)
    made = generaliser.graph(new, old)
    return made if 0 < len(generaliser.symbols) <= MAX_SYMBOLS else None


# -- a general graph and its instances


def recorded(graph: Graph) -> Graph:
    """The graph with the sizes of the latest recording."""

    def number(value: Any) -> Any:
        if isinstance(value, Size):
            return value.values[0]
        if isinstance(value, Slice):
            return Slice(*map(number, (value.start, value.stop, value.step)))
        if isinstance(value, tuple | list):
            return type(value)(map(number, value))
        return value

    def node(one: Node) -> Node:
        return replace(
            one,
            args=number(one.args),
            kwargs={name: number(value) for name, value in one.kwargs.items()},
            types=tuple(
                replace(kind, shape=number(kind.shape), strides=number(kind.strides))
                for kind in one.types
            ),
        )

    inputs, nodes = tuple(map(node, graph.inputs)), tuple(map(node, graph.nodes))
    return replace(graph, inputs=inputs, nodes=nodes)


def refined(
    graph: Graph, lengths: Mapping[int, Sequence[Sequence[str]]], itemsize: Itemsize
) -> Graph:
    """The graph with the shapes of results that the lowering has found out.

    Parameters
    ----------
    graph : Graph
        A general one.
    lengths : mapping of int to list
        For each node, the shapes of its results, as texts.
    itemsize : callable
        Bytes of an element, by dtype.
    """

    def length(text: str, size: Any) -> Any:
        values = size.values if isinstance(size, Size) else (size,)
        return int(text) if text.isdigit() else Size(text, values)

    def node(one: Node, plain: Node) -> Node:
        types = []
        for kind, was, texts in zip(one.types, plain.types, lengths.get(one.id, ()), strict=True):
            shape = tuple(map(length, texts, kind.shape))
            strides = dense(shape, was, itemsize) or was.strides
            types.append(replace(kind, shape=shape, strides=strides))
        return replace(one, types=tuple(types))

    return replace(graph, nodes=tuple(map(node, graph.nodes, recorded(graph).nodes)))
