"""The level of kernels: what runs for a segment, as a graph of loop nests and library calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.kernels import CHECKS, fused_op
from jupyter_npcompile.graph.nodes import (
    Argument,
    Graph,
    Node,
    Output,
    Position,
    Ref,
    ValueType,
)
from jupyter_npcompile.runtime.footprint import size_of
from jupyter_npcompile.runtime.native.nests import Nest, Nests
from jupyter_npcompile.runtime.native.pieces import LibraryCall, Piece, Step


def kernel_graph(
    graph: Graph, steps: Sequence[Step], made: Mapping[int, tuple[Nests, Sequence[int]]]
) -> tuple[Graph, tuple[tuple[int, ...], ...]]:
    """Write down what runs.

    Parameters
    ----------
    graph : Graph
        The segment, NumPy level.
    steps : sequence of Piece or LibraryCall
        What it was cut into.
    made : mapping of int to (Nests, sequence of int)
        For pieces, by place among the steps: their loop nests, and the values that
        the first results of a piece are, by node.

    Returns
    -------
    graph : Graph
        The level of kernels.
    nests : tuple of tuple of int
        For each piece, which node of that each of its loop nests is, or belongs to.
    """
    writer = _Writer(graph)
    for place, step in enumerate(steps):
        if isinstance(step, LibraryCall):
            writer.call(step.node)
        elif place in made:
            writer.piece(step, *made[place])
    kernels = writer.graph()
    checks = kernels.nodes[-1].id if writer.checks else -1
    return kernels, tuple(tuple(checks if id < 0 else id for id in piece) for piece in writer.nests)


@dataclass
class _Writer:
    source: Graph
    nodes: list[Node] = field(default_factory=list)
    checks: int = 0
    nests: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.known = self.source.by_id()
        self.roots = self.source.roots()
        self.inputs = {node.id for node in self.source.inputs}
        self.makers = {id: id for id in self.inputs}
        self.next = max(self.known, default=0) + 1

    def call(self, id: int) -> None:
        """A call of a NumPy function, which may write."""
        node = self.known[id]
        read = dict.fromkeys(self.roots[used] for used in node.references())
        if node.op == "item" or (node.view_of is not None and not node.writes):
            for root in read:
                self.makers[id] = self.makers.get(root, root)
            return
        written = tuple(dict.fromkeys(self.roots[used] for used in node.writes))
        values = (node, *(self.known[root] for root in read))
        moves = size_of(type for one in values for type in one.types)
        made = self._add(node.op, read, node.types, (id,), moves, written)
        self.makers[id] = made
        self.makers.update(dict.fromkeys(written, made))

    def piece(self, piece: Piece, nests: Nests, results: Sequence[int]) -> None:
        """Loop nests; those that only find out whether NumPy would warn become one."""
        makers: dict[str, int] = {}
        # Sizes come before the values that a piece is given, constants after them.
        shift = sum(name.startswith("s") and name[1:].isdigit() for name in nests.inputs)
        for name, node in zip(nests.inputs[shift:], piece.graph.inputs, strict=False):
            makers[name] = self.makers.get(node.id, node.id)
        bound = dict(zip(nests.outputs, results, strict=False))
        known: list[int] = []
        self.nests.append(known)
        for nest in nests.nests:
            if self._only_checks(nest):
                self.checks += nest.moves
                known.append(-1)
                continue
            written = tuple(
                id for name, _ in nest.writes if (id := bound.get(name)) in piece.graph.writes
            )
            reads = [makers[name] for name in nest.reads if name in makers]
            ops = [self.known[id] for id in nest.origins if id in self.known]
            types = _without_checks([kind for _, kind in nest.writes], ops)
            fused = tuple(node.id for node in ops)
            made = self._add(fused_op(ops), reads, types, fused, nest.moves, written)
            makers.update((name, made) for name, _ in nest.writes)
            known.append(made)
        for name, id in bound.items():
            if name in makers:
                self.makers[id] = makers[name]

    def _only_checks(self, nest: Nest) -> bool:
        nodes = [self.known[id] for id in nest.origins if id in self.known]
        return not _without_checks([kind for _, kind in nest.writes], nodes)

    def _add(
        self,
        op: str,
        reads: Iterator[int] | Sequence[int] | Mapping[int, None],
        types: Sequence[ValueType],
        fuses: tuple[int, ...],
        moves: int,
        written: tuple[int, ...],
    ) -> int:
        id = self.next
        self.next += 1
        position = self.known[fuses[0]].position if fuses else Position(0, 0)
        args: list[Argument] = [Ref(i) for i in dict.fromkeys(self.makers.get(r, r) for r in reads)]
        self.nodes.append(
            Node(
                id,
                op,
                tuple(args),
                types=tuple(types),
                position=position,
                writes=tuple(i for i in written if i in self.inputs),
                fuses=fuses,
                moves=moves,
            )
        )
        return id

    def graph(self) -> Graph:
        """What was written."""
        if self.checks:
            self._add(CHECKS, (), (), (), self.checks, ())
        return Graph(
            "kernels",
            tuple(replace(node, view_of=None) for node in self.source.inputs),
            tuple(self.nodes),
            tuple(Output(out.name, self._moved(out.value)) for out in self.source.outputs),
            self.source.writes,
        )

    def _moved(self, value: Argument) -> Argument:
        if isinstance(value, Ref):
            root = self.roots[value.id]
            return Ref(self.makers.get(root, root))
        if isinstance(value, tuple):
            return tuple(map(self._moved, value))
        return [self._moved(part) for part in value] if isinstance(value, list) else value


def _without_checks(kinds: Sequence[ValueType], nodes: Sequence[Node]) -> tuple[ValueType, ...]:
    """Types of values: booleans that no operation gives are answers to checks."""
    asked = any(type.dtype == "bool" for node in nodes for type in node.types)
    return tuple(kind for kind in kinds if asked or kind.dtype != "bool")
