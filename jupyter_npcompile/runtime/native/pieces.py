"""Cuts a segment into pieces to compile and operations that NumPy's libraries do best.

A product of matrices, a sort or a Fourier transform gains nothing from being
compiled: what a compiler can do is to call a library, and NumPy's own is at
hand. So such nodes stay NumPy calls, between pieces of native code.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Argument, Graph, Node, Output, Ref, Slice, references
from jupyter_npcompile.tracer.interpret import gives_target


@dataclass(frozen=True, slots=True)
class Piece:
    """Nodes that are compiled together.

    Parameters
    ----------
    graph : Graph
        They as a graph of their own: its inputs are nodes of the segment that
        were made before, its outputs those that are needed afterwards.
    """

    graph: Graph


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """A node that NumPy executes."""

    node: int


Step = Piece | LibraryCall


def cut(graph: Graph, library: Collection[int]) -> tuple[Step, ...]:
    """Cut a graph at the nodes that NumPy executes.

    Parameters
    ----------
    graph : Graph
        NumPy level.
    library : collection of int
        Ids of these nodes.

    Examples
    --------
    >>> from jupyter_npcompile.graph.nodes import ValueType
    >>> kind = (ValueType("array", "float64", (3, 3), (24, 8)),)
    >>> x = Node(0, "input", types=kind, name="x")
    >>> nodes = (Node(1, "numpy.exp", (Ref(0),), types=kind),
    ...          Node(2, "numpy.matmul", (Ref(1), Ref(1)), types=kind),
    ...          Node(3, "numpy.add", (Ref(2), Ref(1)), types=kind))
    >>> steps = cut(Graph("numpy", (x,), nodes, (Output("y", Ref(3)),)), {2})
    >>> [[n.id for n in s.graph.nodes] if isinstance(s, Piece) else s.node for s in steps]
    [[1], 2, [3]]
    """
    if not library:
        return (Piece(graph),)
    cutter = _Cutter(graph)
    library = _with_results(graph, library)
    steps: list[Step] = []
    group: list[Node] = []
    for place, node in enumerate(graph.nodes):
        if node.id in library:
            if group:
                steps += cutter.piece(group, graph.nodes[place:])
            group = []
            steps.append(LibraryCall(node.id))
        else:
            group.append(node)
    if group:
        steps += cutter.piece(group, ())
    return tuple(steps)


def _with_results(graph: Graph, library: Collection[int]) -> set[int]:
    """These nodes and those that take one of several results of them."""
    found = set(library)
    for node in graph.nodes:
        if node.op == "item" and isinstance(source := node.args[0], Ref) and source.id in found:
            found.add(node.id)
    return found


class _Cutter:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._nodes = graph.by_id()
        self._roots = graph.roots()
        self._returned = {id for output in graph.outputs for id in references(output.value)}
        self._returned |= set(graph.writes)

    def piece(self, group: Sequence[Node], later: Sequence[Node]) -> list[Step]:
        """The piece of a group of nodes; nothing where they are only views."""
        if all(node.view_of is not None and not node.writes for node in group):
            return []
        inside = {node.id for node in group}
        needed = set(self._returned)
        for node in later:
            needed.update(node.references())
        after = {self._roots[id] for id in needed}
        inputs: dict[int, Node] = {}
        views: dict[int, Node] = {}
        nodes = [self._moved(node, inside, inputs, views) for node in group]
        outputs = []
        for node in group:
            made = node.view_of is None and bool(node.types)
            if made and node.id in after and len(node.types) == 1:
                outputs.append(Output(f"v{node.id}", Ref(node.id)))
        written = {self._roots[id] for node in group for id in node.writes}
        return [
            Piece(
                Graph(
                    "numpy",
                    tuple(inputs.values()),
                    (*views.values(), *nodes),
                    tuple(outputs),
                    tuple(id for id in inputs if id in written),
                )
            )
        ]

    def _moved(
        self,
        node: Node,
        inside: Collection[int],
        inputs: dict[int, Node],
        views: dict[int, Node],
    ) -> Node:
        """A node whose references to what was made before are inputs, or views of inputs."""

        def moved(argument: Argument) -> Argument:
            if isinstance(argument, Ref):
                return Ref(self._reach(argument.id, inside, inputs, views))
            if isinstance(argument, Slice):
                parts = (moved(p) for p in (argument.start, argument.stop, argument.step))
                return Slice(*parts)
            if isinstance(argument, tuple):
                return tuple(moved(part) for part in argument)
            if isinstance(argument, list):
                return [moved(part) for part in argument]
            return argument

        changed: dict[str, Any] = {
            "args": tuple(moved(part) for part in node.args),
            "kwargs": {name: moved(part) for name, part in node.kwargs.items()},
            "writes": tuple(self._reach(id, inside, inputs, views) for id in node.writes),
        }
        if node.view_of is not None:
            changed["view_of"] = self._reach(node.view_of, inside, inputs, views)
        return replace(node, **changed)

    def _reach(
        self,
        id: int,
        inside: Collection[int],
        inputs: dict[int, Node],
        views: dict[int, Node],
    ) -> int:
        """The node of the piece that stands for a node of the segment."""
        if id in inside or id in views or id in inputs:
            return id
        node = self._nodes[id]
        if node.view_of is None and len(node.types) == 1:
            inputs[id] = Node(
                id,
                "input",
                node.args if node.op == "input" else (),  # an integer that bounds slices
                types=node.types,
                position=node.position,
                name=node.name or f"v{id}",
                finite=node.finite,
            )
            return id
        if node.view_of is not None and gives_target(node, self._nodes):
            return self._reach(node.view_of, inside, inputs, views)
        views[id] = self._moved(node, inside, inputs, views)
        # A view that a view needs comes before it.
        views[id] = views.pop(id)
        return id
