"""From operations that repeat to one iteration: what it carries, its numbers and windows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.graph_loops import Carry, Loop, Window, leaves_of, mapped
from jupyter_npcompile.autodiff.windows import Box, NoLoopError, box_of, inside, merged
from jupyter_npcompile.graph.nodes import Constant, Graph, Node, Ref, ValueType

FEWEST = 4
"""Iterations of a loop."""

HISTORY = 64 << 20
"""Bytes of what its iterations start from, all of which a loop keeps."""

INDEXED = ("getitem", "setitem")


class Facts:
    """What must be known of a graph to find loops in it.

    Parameters
    ----------
    graph : Graph
        NumPy level.

    Attributes
    ----------
    nodes : tuple of Node
        Its operations.
    kinds : dict of int to Node
        Operations and inputs by number.
    place : dict of int to int
        Where an operation stands.
    roots : dict of int to int
        Who owns the memory of a value.
    inputs : set of int
        Values from outside.
    last_use : dict of int to int
        Where a value is used for the last time.
    writers : set of int
        Owners of memory that is written.
    """

    def __init__(self, graph: Graph) -> None:
        self.nodes = graph.nodes
        self.kinds = {node.id: node for node in (*graph.inputs, *graph.nodes)}
        self.place = {node.id: k for k, node in enumerate(graph.nodes)}
        self.roots = graph.roots()
        self.inputs = {node.id for node in graph.inputs}
        self._next = max(self.kinds, default=0) + 1
        self.last_use: dict[int, int] = {}
        for k, node in enumerate(graph.nodes):
            for id in (*node.references(), *_viewed(node)):
                self.last_use[id] = k
        for output in graph.outputs:
            for leaf in leaves_of(output.value):
                if isinstance(leaf, Ref):
                    self.last_use[leaf.id] = len(graph.nodes)
        self.writers = {self.roots[id] for node in graph.nodes for id in node.writes}

    def fresh(self) -> int:
        """A number that no node has."""
        self._next += 1
        return self._next - 1


def _viewed(node: Node) -> tuple[int, ...]:
    return () if node.view_of is None else (node.view_of,)


class Body:
    """Operations that repeat, as a loop.

    Parameters
    ----------
    facts : Facts
        Of the graph.
    start, period, count : int
        The first operation, how many an iteration has, and how many iterations.
    """

    def __init__(self, facts: Facts, start: int, period: int, count: int) -> None:
        self._facts = facts
        self._start, self._period, self._count = start, period, count
        self._stop = start + period * count
        self._nodes = facts.nodes[start : self._stop]
        self._loop = Loop(count, Graph("numpy"))
        self._carried: dict[tuple[int, int], int] = {}
        self._inputs: dict[int, Node] = {}
        self._invariants: dict[int, int] = {}
        self._written_roots = {
            root
            for node in self._nodes
            for id in node.writes
            if not self._is_inside(root := facts.roots[id])
        }
        self._accesses: dict[int, list[tuple[int, Box]]] = {}
        self._whole: set[int] = set()

    def loop(self) -> Loop:
        """The loop.

        Raises
        ------
        NoLoopError
            When the operations repeat, and the operands do not.
        """
        last = self._nodes[-self._period :]
        leaves = [[self._operands(j, a) for a in range(2)] for j in range(self._period)]
        for j, node in enumerate(last):
            self._look(j, node, leaves[j][0])
        windows = self._windowed()
        made = [self._rewritten(j, node, leaves[j], windows) for j, node in enumerate(last)]
        self._finish(made)
        return self._loop

    def _is_inside(self, id: int) -> bool:
        place = self._facts.place.get(id, -1)
        return self._start <= place < self._stop

    def _operands(self, j: int, which: int) -> list[list[Any]]:
        """For each leaf of the arguments of an operation, what it is in each iteration."""
        every = self._nodes[j :: self._period]
        if which:
            return [
                list(v) for v in zip(*[leaves_of([*n.kwargs.values()]) for n in every], strict=True)
            ]
        return [list(v) for v in zip(*[leaves_of(n.args) for n in every], strict=True)]

    # -- which part of arrays is used

    def _look(self, j: int, node: Node, leaves: list[list[Any]]) -> None:
        """Note what an operation uses of arrays outside."""
        for position, values in enumerate(leaves):
            id = self._outside(values)
            if id is None:
                continue
            box = self._box(j, node, id) if position == 0 else None
            if box is None:
                self._whole.add(id)
            else:
                self._accesses.setdefault(id, []).append((j, box))
        for argument in node.kwargs.values():
            ids = {leaf.id for leaf in leaves_of(argument) if isinstance(leaf, Ref)}
            self._whole |= {id for id in ids if not self._is_inside(id)}

    def _outside(self, values: list[Any]) -> int | None:
        """The value outside that an operand always is."""
        first = values[0]
        same = isinstance(first, Ref) and all(value == first for value in values)
        return first.id if same and not self._is_inside(first.id) else None

    def _box(self, j: int, node: Node, id: int) -> Box | None:
        kind = self._facts.kinds[id].types[0]
        if node.op not in INDEXED or kind.kind != "array":
            return None
        return box_of([n.args[1] for n in self._nodes[j :: self._period]], kind.shape)

    def _windowed(self) -> dict[tuple[int, int], Window]:
        """The window of each access, by the operation and the array."""
        found: dict[tuple[int, int], Window] = {}
        roots = self._facts.roots
        used = {*self._accesses, *self._whole}
        for root in self._written_roots:
            if len({id for id in used if roots.get(id) == root}) != 1:
                raise NoLoopError("it sees memory that it writes in two ways")
        for id, accesses in self._accesses.items():
            written = roots[id] in self._written_roots
            if written and id in self._whole:
                continue
            boxes = [box for _, box in accesses]
            for box in merged(boxes) if written else boxes:
                window: Window | None = None
                for j, access in accesses:
                    if (j, id) in found or not (
                        box.overlaps(access) if written else box.same(access)
                    ):
                        continue
                    window = window or Window(self._input(_array(box, self._kind(id))), id, box)
                    found[j, id] = window
                if window is not None:
                    self._loop.windows.append(window)
        for id in self._whole:
            if roots.get(id) in self._written_roots:
                shape = self._kind(id).shape
                box = Box(np.zeros((self._count, len(shape)), np.int64), shape)
                kind = self._kind(id)
                window = Window(self._input(replace(_array(box, kind), kind=kind.kind)), id, box)
                self._loop.windows.append(window)
                found[-1, id] = window
        return found

    def _kind(self, id: int) -> ValueType:
        return self._facts.kinds[id].types[0]

    def _input(self, kind: ValueType) -> int:
        id = self._facts.fresh()
        self._inputs[id] = Node(id, "input", types=(kind,))
        return id

    # -- the operations of the body

    def _rewritten(
        self,
        j: int,
        node: Node,
        leaves: list[list[list[Any]]],
        windows: dict[tuple[int, int], Window],
    ) -> Node:
        local: dict[int, int] = {}
        args: Any = node.args
        first = self._outside(leaves[0][0]) if leaves[0] else None
        window = None if first is None else windows.get((j, first))
        if window is not None and first is not None:
            shape = self._kind(first).shape
            index = inside(node.args[1], shape, window.box)
            local[first] = window.input
            rest = [self._leaf(v, local, windows) for v in self._after_index(node, leaves[0])]
            args = (Ref(window.input), index, *mapped(node.args[2:], iter(rest)))
        else:
            found = [self._leaf(values, local, windows) for values in leaves[0]]
            args = mapped(args, iter(found))
        others = iter([self._leaf(values, local, windows) for values in leaves[1]])
        kwargs = dict(zip(node.kwargs, mapped([*node.kwargs.values()], others), strict=True))
        try:
            view = node.view_of
            viewed = view if view is None or self._is_last(view) else local[view]
            writes = tuple([id if self._is_last(id) else local[id] for id in node.writes])
        except KeyError:
            raise NoLoopError("it writes through a view that was made before") from None
        return replace(node, args=args, kwargs=kwargs, view_of=viewed, writes=writes)

    def _after_index(self, node: Node, leaves: list[list[Any]]) -> list[list[Any]]:
        return leaves[1 + len(list(leaves_of(node.args[1]))) :]

    def _is_last(self, id: int) -> bool:
        return self._facts.place.get(id, -1) >= self._stop - self._period

    def _leaf(
        self, values: list[Any], local: dict[int, int], windows: dict[tuple[int, int], Window]
    ) -> Any:
        """What stands for an operand in the body."""
        last = values[-1]
        if not isinstance(last, Ref):
            return self._number(values)
        if not self._is_inside(last.id):
            if any(value != last for value in values):
                raise NoLoopError("iterations use different values")
            window = windows.get((-1, last.id))
            if window is None and self._facts.roots[last.id] in self._written_roots:
                raise NoLoopError("it sees memory that it writes in two ways")
            made = self._invariant(last.id) if window is None else window.input
        else:
            made = self._internal(values)
        local[last.id] = made
        return Ref(made)

    def _number(self, values: list[Any]) -> Any:
        last = values[-1]
        if all(value == last and repr(value) == repr(last) for value in values):
            return last
        if isinstance(last, Constant):
            dtype = np.dtype(last.type.dtype)
            table = np.array([np.frombuffer(value.data, dtype)[0] for value in values])
            kind = last.type
        elif type(last) in (int, float):
            table = np.array(values, np.int64 if type(last) is int else np.float64)
            kind = ValueType("python", table.dtype.name)
        else:
            raise NoLoopError("iterations have different arguments")
        id = self._input(kind)
        self._loop.tables.append((id, table))
        return Ref(id)

    def _invariant(self, id: int) -> int:
        if id not in self._invariants:
            self._invariants[id] = made = self._input(self._kind(id))
            self._loop.invariants.append((made, id))
        return self._invariants[id]

    def _internal(self, values: list[Any]) -> int:
        """A value that an iteration has made."""
        places = [self._facts.place.get(value.id, -1) - self._start for value in values]
        last = places[-1]
        lag = self._count - 1 - last // self._period
        for i in range(lag, self._count):
            if places[i] != last - (self._count - 1 - i) * self._period:
                raise NoLoopError("operands are not at the same distance")
        position = last % self._period
        if not lag:
            return self._nodes[last].id
        firsts = [value.id for value in values[:lag]]
        if lag >= FEWEST or any(self._is_inside(id) for id in firsts):
            raise NoLoopError("operands come from far before")
        return self._carry(position, lag, firsts[::-1])

    def _carry(self, position: int, lag: int, firsts: list[int]) -> int:
        """The input for a value that was made some iterations before."""
        known = self._carried.get((position, lag))
        source = self._nodes[position - self._period + len(self._nodes)]
        if known is None:
            before = source.id if lag == 1 else self._carry(position, lag - 1, firsts[:-1])
            kind, first = source.type, self._kind(firsts[-1])
            if (kind.kind, kind.dtype, kind.shape) != (first.kind, first.dtype, first.shape):
                raise NoLoopError("the first iteration starts from another type")
            known = self._carried[position, lag] = self._input(kind)
            self._loop.carries.append(Carry(known, before, firsts[-1]))
        elif next(c for c in self._loop.carries if c.input == known).first != firsts[-1]:
            raise NoLoopError("iterations start from different values")
        return known

    # -- the whole

    def _finish(self, made: list[Node]) -> None:
        loop, facts = self._loop, self._facts
        body = Graph("numpy", tuple(self._inputs.values()), tuple(made))
        loop.body = replace(body, writes=body.written_inputs())
        windows = {window.input: window for window in loop.windows}
        loop.written = set(loop.body.writes) & set(windows)
        kinds = loop.body.by_id()
        nbytes = sum(_nbytes(kinds[id].type) for id in loop.kept)
        if nbytes * loop.count > HISTORY:
            raise NoLoopError("its iterations take too much memory")
        used = {i for _, i in loop.invariants} | {w.array for w in loop.windows}
        firsts = [carry.first for carry in loop.carries]
        for carry in loop.carries:
            source = facts.kinds.get(carry.source)
            view = source is not None and source.view_of is not None
            if view and facts.roots[carry.source] in facts.writers:
                raise NoLoopError("it carries a view of what it writes")
            if facts.roots[carry.first] in self._written_roots:
                raise NoLoopError("it sees memory that it writes in two ways")
            if carry.input in loop.body.writes:
                alone = firsts.count(carry.first) == 1 and carry.first not in used
                later = facts.last_use.get(carry.first, 0) >= self._stop
                chained = any(other.source == carry.input for other in loop.carries)
                fresh = facts.roots[carry.first] == carry.first not in facts.inputs
                if later or chained or not alone or not fresh:
                    raise NoLoopError("it writes what others see")
        if set(loop.body.writes) - loop.written - {carry.input for carry in loop.carries}:
            raise NoLoopError("it writes what it does not carry")
        for k, node in enumerate(self._nodes):
            if facts.last_use.get(node.id, -1) < self._stop:
                continue
            view = node.view_of is not None
            if not node.types or (view and facts.roots[node.id] in facts.writers):
                raise NoLoopError("a view of what it writes is seen afterwards")
            lag, position = self._count - 1 - k // self._period, k % self._period
            if lag and (position, lag) not in self._carried:
                raise NoLoopError("what an iteration makes is seen afterwards")
            loop.finals[node.id] = self._carried[position, lag] if lag else node.id


def _nbytes(kind: ValueType) -> int:
    return math.prod(kind.shape) * np.dtype(kind.dtype).itemsize


def _array(box: Box, kind: ValueType) -> ValueType:
    strides = []
    size = np.dtype(kind.dtype).itemsize
    for length in reversed(box.spans):
        strides.append(size)
        size *= length
    return ValueType("array", kind.dtype, box.spans, tuple(strides[::-1]))
