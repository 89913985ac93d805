"""How many elements the operations of a graph compute or store."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from jupyter_npcompile.graph.nodes import Argument, Graph, Node, Ref
from jupyter_npcompile.tracer.interpret import run_node


def most_elements(graph: Graph) -> int:
    """The elements of the largest array that is computed or stored to.

    Parameters
    ----------
    graph : Graph
        NumPy level.

    Examples
    --------
    >>> from jupyter_npcompile.graph.nodes import Slice, ValueType
    >>> x = Node(0, "input", name="x", types=(ValueType("array", "int64", (9,), (8,)),))
    >>> every_other = Node(1, "setitem", (Ref(0), Slice(None, None, 2), 1))
    >>> first = Node(1, "setitem", (Ref(0), 0, 1))
    >>> [most_elements(Graph("numpy", (x,), (store,), ())) for store in (every_other, first)]
    [5, 1]
    """
    nodes = graph.by_id()
    return max((_elements(node, nodes) for node in graph.nodes), default=0)


def _elements(node: Node, nodes: Mapping[int, Node]) -> int:
    if node.types:
        return max(math.prod(kind.shape) for kind in node.types)
    if node.op == "setitem" and isinstance(target := node.args[0], Ref):
        index = node.args[1]
        parts = index if isinstance(index, tuple) else (index,)
        # Which row it is does not matter.
        known = tuple(0 if _is_integer(part, nodes) else part for part in parts)
        selection = Node(node.id, "getitem", (target, known))
        if set(selection.references()) == {target.id}:
            kind = nodes[target.id].type
            whole = np.broadcast_to(np.zeros((), kind.dtype), kind.shape)
            return np.asarray(run_node(selection, {target.id: whole})).size
    # Where values decide what is stored, it is at most a whole array.
    operands = [nodes[id] for id in node.references()]
    return max((math.prod(kind.shape) for one in operands for kind in one.types), default=0)


def _is_integer(part: Argument, nodes: Mapping[int, Node]) -> bool:
    """Whether a part of an index is an integer that comes from somewhere."""
    if not isinstance(part, Ref):
        return False
    kind = nodes[part.id].type
    return kind.kind != "array" and np.dtype(kind.dtype).kind in "iu"
