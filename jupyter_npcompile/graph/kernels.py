"""The level of kernels: what a compiler made of the operations of a segment.

A node of such a graph is a loop nest, whose ``fuses`` names the nodes of the NumPy
level of which it computes something, a call of a NumPy function, or a native loop.
Its ``moves`` counts the bytes that it must read and write.
"""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_npcompile.graph.nodes import Graph, Node
from jupyter_npcompile.graph.text import op_name

PREFIX = "kernel."
"""What the ``op`` of a loop nest begins with."""

CHECKS = f"{PREFIX}checks"
"""Loop nests that find out whether NumPy would raise or warn."""

LOOP = f"{PREFIX}native loop"
"""A loop that was compiled as a whole."""

FUNCTION = f"{PREFIX}native function"
"""A function without loops that was."""

MOST_NAMES = 4
"""Operations that the name of a loop nest names."""


def fused_op(nodes: Sequence[Node]) -> str:
    """The ``op`` of a loop nest, after the operations that it computes.

    Examples
    --------
    >>> fused_op([Node(1, "getitem", view_of=0), Node(2, "numpy.sin"), Node(3, "numpy.add")])
    'kernel.sin · add'
    """
    computing = [node for node in nodes if node.view_of is None or node.writes] or nodes
    names = list(dict.fromkeys(op_name(node.op).lstrip(".") for node in computing))
    shown = names[:MOST_NAMES]
    if len(names) > MOST_NAMES:
        shown = [*names[: MOST_NAMES - 1], f"… {len(names) - MOST_NAMES + 1} more"]
    return PREFIX + (" · ".join(shown) or "copy")


def fused_lines(kernel: Node, graph: Graph) -> list[int]:
    """The lines of the cell of which a kernel computes something.

    Parameters
    ----------
    kernel : Node
        Of the level of kernels.
    graph : Graph
        The same segment at the NumPy level.

    Examples
    --------
    >>> from jupyter_npcompile.graph.nodes import Position
    >>> one = Node(1, "numpy.sin", position=Position(3, 4))
    >>> two = Node(2, "numpy.add", position=Position(5, 4))
    >>> fused_lines(Node(7, "kernel.sin", fuses=(1, 2)), Graph("numpy", (), (one, two)))
    [3, 5]
    """
    nodes = graph.by_id()
    found = {nodes[id].position.line for id in kernel.fuses if id in nodes}
    return sorted(found - {0})
