"""Which operations of a run are in helper functions, and where the text calls these.

On the tape an operation stands where it is written, which is what an error has to say. A
view of a cell shows the lines of the cell: there it stands where the cell calls its helper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jupyter_npcompile.graph.nodes import Graph, Node, Position


class Callers:
    """Calls of helper functions, in the order in which they ended.

    Examples
    --------
    >>> callers = Callers()
    >>> callers.add([Node(7, "numpy.sin", position=Position(40, 4))], Position(2, 8), "wave")
    >>> (node,) = callers.shown(Graph("numpy", (), (Node(7, "numpy.sin"),))).nodes
    >>> node.position, node.scope
    (Position(line=2, column=8), 'wave')
    """

    def __init__(self) -> None:
        self._calls: dict[int, tuple[Position, str]] = {}

    def add(self, nodes: Sequence[Node], position: Position, name: str) -> None:
        """A helper function is over.

        Parameters
        ----------
        nodes : sequence of Node
            What it computed; what helpers of its own did belongs to it, too.
        position : Position
            Where it was called.
        name : str
            What it is called.
        """
        for node in nodes:
            known = self._calls.get(node.id)
            self._calls[node.id] = position, name if known is None else f"{name}/{known[1]}"

    def shown(self, graph: Graph) -> Graph:
        """A graph whose operations stand in the text of the cell."""
        return replace(graph, nodes=tuple(map(self.place, graph.nodes)))

    def place(self, node: Node) -> Node:
        """A node where the text has it."""
        known = self._calls.get(node.id)
        return node if known is None else replace(node, position=known[0], scope=known[1])
