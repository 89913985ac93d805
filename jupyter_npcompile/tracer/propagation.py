"""What becomes of NaN and infinity: in which results they show.

A result shows an operand if it holds NaN or infinity wherever the operand
does. Then who looks at the result need not look at the operand.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from jupyter_npcompile.graph.nodes import Argument, Constant, Node, Ref

MAX_BRANCH = 64
"""Nodes of a branch of ``where`` that are looked through."""


def functions(names: str) -> frozenset[str]:
    """Functions of NumPy by their names.

    Examples
    --------
    >>> sorted(functions("sqrt linalg.inv"))
    ['numpy.linalg.inv', 'numpy.sqrt']
    """
    return frozenset(f"numpy.{name}" for name in names.split())


def canonical(op: str) -> str:
    """The name of the function that a method is.

    Examples
    --------
    >>> canonical("ndarray.sum"), canonical("ndarray.T")
    ('numpy.sum', 'ndarray.T')
    """
    name = op.removeprefix("ndarray.")
    return f"numpy.{name}" if name != op and hasattr(np, name) else op


_ELEMENTWISE = functions(
    """
    add subtract multiply negative positive absolute fabs conjugate conj square sqrt log log2
    log10 log1p sin cos tan arcsin arccos arccosh arcsinh arctanh sinh cosh cbrt rint floor ceil
    trunc deg2rad rad2deg degrees radians hypot
    """
)
"""Ufuncs whose result shows every operand."""

_FIRST = functions("divide floor_divide fmod remainder")
"""Ufuncs whose result shows the first operand: infinity hides behind a fraction line."""

_REARRANGED = functions(
    """
    reshape ravel transpose copy flip add.reduce add.accumulate sum cumsum mean multiply.reduce
    multiply.accumulate prod cumprod
    """
) | {"ndarray.T", "ndarray.flatten"}
"""Other functions whose result shows every element of what they are given first."""

_LARGEST = {"float32": 2.0**100, "float64": 2.0**960}
"""By dtype: what can be added to any finite number without an overflow."""


def shown_by(node: Node, nodes: Mapping[int, Node], written: frozenset[int]) -> set[int]:
    """The nodes that the result of a node shows.

    Parameters
    ----------
    node : Node
        Of the NumPy level.
    nodes : mapping of int to Node
        All of the graph, by id.
    written : frozenset of int
        Nodes whose memory is written, by themselves or later.

    Returns
    -------
    set of int

    Examples
    --------
    >>> from jupyter_npcompile.graph.nodes import ValueType
    >>> kind = (ValueType("array", "float64", (3,), (8,)),)
    >>> x, y = Node(0, "input", types=kind), Node(1, "input", types=kind)
    >>> half = Node(2, "numpy.divide", (Ref(0), Ref(1)), types=kind)
    >>> either = Node(3, "numpy.where", (Ref(1), Ref(0), Ref(2)), types=kind)
    >>> nodes = {0: x, 1: y, 2: half, 3: either}
    >>> shown_by(half, nodes, frozenset()), shown_by(either, nodes, frozenset())
    ({0}, {0})
    """
    if any(0 in type.shape for type in node.types):
        return set()
    if canonical(node.op) == "numpy.where" and len(node.args) == 3 and not node.kwargs:
        first, second = (_behind(branch, node, nodes, written) for branch in node.args[1:])
        return first & second
    return set(_shown(node))


def _shown(node: Node) -> Iterator[int]:
    op = canonical(node.op)
    if "where" in node.kwargs or not all(_is_inexact(type.dtype) for type in node.types):
        return
    if op in _ELEMENTWISE or op in _REARRANGED:
        given = node.args
    elif op in _FIRST or (op == "numpy.power" and _constant(node.args[1:2]) > 0):
        given = node.args[:1]
    else:
        return
    yield from (part.id for part in given if isinstance(part, Ref))


def _behind(
    branch: Argument, choice: Node, nodes: Mapping[int, Node], written: frozenset[int]
) -> set[int]:
    """A branch of a choice and what it shows, all at the same places as in the result."""
    found: set[int] = set()
    left = [branch.id] if isinstance(branch, Ref) else []
    while left and len(found) < MAX_BRANCH:
        id = left.pop()
        node = nodes[id]
        if id in found or id in written or [t.shape for t in node.types] != [choice.type.shape]:
            continue
        found.add(id)
        if canonical(node.op) not in _REARRANGED:
            left += _shown(node)
    return found


def is_harmless(node: Node) -> bool:
    """Whether nothing but an underflow can happen, because one operand is a constant.

    The result is finite wherever the other operand is, and nothing is invalid.

    Examples
    --------
    >>> from jupyter_npcompile.graph.nodes import ValueType
    >>> kind = (ValueType("array", "float64", (3,), (8,)),)
    >>> is_harmless(Node(1, "numpy.multiply", (Ref(0), 0.5), types=kind))
    True
    >>> is_harmless(Node(1, "numpy.multiply", (Ref(0), 2.0), types=kind))
    False
    """
    if node.kwargs or len(node.args) != 2 or len(node.types) != 1:
        return False
    largest = _LARGEST.get(node.type.dtype)
    if largest is None:
        return False
    left, right = (abs(_constant((part,))) for part in node.args)
    match canonical(node.op):
        case "numpy.add" | "numpy.subtract":
            return left <= largest or right <= largest
        case "numpy.multiply":
            return 0 < left <= 1 or 0 < right <= 1
        case "numpy.divide":
            return 1 <= right <= largest
    return False


def _constant(given: tuple[Argument, ...]) -> float:
    """A number written in the cell; NaN for anything else."""
    if not given:
        return math.nan
    value: Any = given[0]
    if isinstance(value, Constant) and not value.type.shape:
        value = np.frombuffer(value.data, value.type.dtype)[0]
    if isinstance(value, float | int | np.floating | np.integer):
        size: Any = abs(value)
        return math.inf if size > sys.float_info.max else float(value)
    return math.nan


def _is_inexact(dtype: str) -> bool:
    return dtype.startswith(("float", "complex"))
