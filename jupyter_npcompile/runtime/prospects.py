"""What compiled code could be better at than NumPy, judged before anything is compiled."""

from __future__ import annotations

import math

from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.tracer.table import lowering_of

MOVING = frozenset({"creation", "shapes", "joining", "splitting"})
"""Rooms of lowerings of what computes nothing: it fills memory, copies it, or looks at it in
another way. NumPy does that as fast as memory allows."""


def moves_only(graph: Graph) -> bool:
    """Whether a graph holds only what fills memory, copies it, or looks at it in another way.

    Examples
    --------
    >>> from jupyter_npcompile.graph.nodes import Node
    >>> filled, root = Node(0, "numpy.zeros"), Node(1, "numpy.sqrt")
    >>> moves_only(Graph("numpy", nodes=(filled,))), moves_only(Graph("numpy", nodes=(root,)))
    (True, False)
    """
    rooms = (_room(node.op) for node in graph.nodes)
    return all(room in MOVING for room in rooms)


def _room(op: str) -> str:
    row = lowering_of(op)
    lowering = row.lowering if row is not None else None
    return (lowering or "").partition(":")[0]


CURVED = frozenset(
    (
        *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "logaddexp2"),
        *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "sinc"),
        *("sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh"),
        *("power", "float_power", "cbrt", "i0"),
    )
)
"""Functions that take tens of instructions an element: the compiler of segments computes several
elements at a time, native loops one."""

MANY = 4096
"""Elements of such functions in a call, below which that makes up for nothing."""


def is_curved(graph: Graph) -> bool:
    """Whether a segment may be faster than a native loop that is far ahead of NumPy.

    Examples
    --------
    >>> from jupyter_npcompile.graph.nodes import Node, ValueType
    >>> kind = ValueType("array", "float64", (100, 100))
    >>> root, sine = (Node(0, f"numpy.{name}", types=(kind,)) for name in ("sqrt", "sin"))
    >>> is_curved(Graph("numpy", nodes=(root,))), is_curved(Graph("numpy", nodes=(sine,)))
    (False, True)
    """
    found = [node for node in graph.nodes if node.op.removeprefix("numpy.") in CURVED]
    return sum(math.prod(kind.shape) for node in found for kind in node.types) >= MANY
