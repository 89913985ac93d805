"""Loops in a graph that was recorded without any: operations that repeat become one iteration.

A recording has the operations of all iterations, one after the other. Where
the same operations come again and again, with operands at the same distance,
they are written down once: what one iteration leaves for the next is
*carried*, numbers that differ are in *tables*, and of an array at whose elements
an iteration looks, or which it writes, it has a *window*.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.graph_loops import Loop
from jupyter_npcompile.autodiff.loop_bodies import FEWEST, INDEXED, Body, Facts
from jupyter_npcompile.autodiff.windows import NoLoopError
from jupyter_npcompile.graph.nodes import Argument, Constant, Graph, Node, Ref, Slice

LONGEST = 250
"""Operations of an iteration."""

LOOP, RESULT = "autodiff.loop", "autodiff.result"
"""A loop in an outline, and what is used of it afterwards."""

SHORTEST = 40
"""Operations of a graph in which loops are looked for, and of all iterations of one of them.

Fewer are best compiled as they are: with what comes before and after, as one loop over elements.
"""


def rolled(graph: Graph) -> list[Node | Loop]:
    """The operations of a graph in order, those that repeat as loops.

    Parameters
    ----------
    graph : Graph
        NumPy level.
    """
    if len(graph.nodes) < SHORTEST:
        return list(graph.nodes)
    codes: dict[Any, int] = {}
    keys = np.array([codes.setdefault(_key(node), len(codes)) for node in graph.nodes], np.int64)
    return _Roller(Facts(graph), keys).between(0, len(graph.nodes))


def size_of(steps: Sequence[Node | Loop]) -> int:
    """How many operations are written down."""
    return sum(1 if isinstance(step, Node) else len(step.body.nodes) for step in steps)


def outline(graph: Graph) -> tuple[Graph, dict[int, Loop]]:
    """A graph with one node for each of its loops, and what these nodes stand for.

    What is used after a loop is a node of its own behind it.
    """
    steps = rolled(graph)
    kinds = graph.by_id()
    free = itertools.count(1 + max((id for step in steps for id in _numbers(step)), default=0))
    nodes: list[Node] = []
    loops: dict[int, Loop] = {}
    for step in steps:
        if isinstance(step, Node):
            nodes.append(step)
            continue
        operands = tuple(map(Ref, step.operands))
        made = Node(next(free), LOOP, operands, writes=tuple(step.changed))
        loops[made.id] = step
        nodes.append(made)
        for id in step.finals:
            nodes.append(Node(id, RESULT, (Ref(made.id),), types=kinds[id].types))
    return replace(graph, nodes=tuple(nodes)), loops


def _numbers(step: Node | Loop) -> Iterator[int]:
    if isinstance(step, Node):
        yield step.id
    else:
        yield from step.body.by_id()


def _key(node: Node) -> Any:
    """Equal for operations that may be the same one in different iterations."""
    index = node.op in INDEXED
    ufunc = isinstance(getattr(np, node.op.removeprefix("numpy."), None), np.ufunc)
    args = tuple([_form(a, (index and k == 1) or ufunc) for k, a in enumerate(node.args)])
    kwargs = tuple([(name, _form(a, False)) for name, a in node.kwargs.items()])
    types = tuple([(kind.kind, kind.dtype, kind.shape) for kind in node.types])
    return node.op, args, kwargs, types, node.finite, node.reports


def _form(argument: Argument, varies: bool) -> Any:
    if isinstance(argument, Ref):
        return Ref
    if isinstance(argument, Slice):
        parts = (argument.start, argument.stop, argument.step)
        return (Slice, *(_form(part, varies) for part in parts))
    if isinstance(argument, tuple | list):
        return (type(argument), *(_form(part, varies) for part in argument))
    if varies and type(argument) in (int, float):
        return type(argument)
    if varies and isinstance(argument, Constant) and not argument.type.shape:
        return Constant, argument.type
    return type(argument), repr(argument)


class _Roller:
    def __init__(self, facts: Facts, keys: Any) -> None:
        self._facts, self._keys = facts, keys

    def between(self, start: int, stop: int) -> list[Node | Loop]:
        """The operations from one to another."""
        found = self._repeats(start, stop)
        if found is not None:
            first, period, count = found
            tries = [
                (first + skipped * period, many * period, (count - skipped) // many)
                for many in (1, 2)  # names that change places have a period of two iterations
                for skipped in (0, 1)  # the first iteration may start from something else
            ]
            for begin, length, times in tries:
                if times < FEWEST or length > LONGEST or length * times < SHORTEST:
                    continue
                try:
                    loop = Body(self._facts, begin, length, times).loop()
                except NoLoopError:
                    continue
                end = begin + length * times
                return [*self.between(start, begin), loop, *self.between(end, stop)]
        return list(self._facts.nodes[start:stop])

    def _repeats(self, start: int, stop: int) -> tuple[int, int, int] | None:
        """Where the same operations come again and again: first one, period, and how often."""
        keys = self._keys[start:stop]
        best: tuple[int, int, int, int] | None = None
        for period in range(1, min(LONGEST, len(keys) // FEWEST) + 1):
            differ = np.flatnonzero(keys[period:] != keys[:-period])
            edges = np.concatenate(([-1], differ, [len(keys) - period]))
            lengths = np.diff(edges) - 1
            k = int(np.argmax(lengths))
            count = (int(lengths[k]) + period) // period
            saved = (count - 1) * period
            if count >= FEWEST and (best is None or saved > best[0]):
                best = saved, start + int(edges[k]) + 1, period, count
        return None if best is None else best[1:]
