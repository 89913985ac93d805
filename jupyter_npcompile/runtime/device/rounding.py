"""The rounding error to expect of a graph in single precision."""

from __future__ import annotations

import math

import numpy as np

from jupyter_npcompile.graph.nodes import Graph, Node

EPSILON = float(np.finfo(np.float32).eps)
"""Relative spacing of numbers in single precision."""

_MOVING = "copy reshape ravel transpose concatenate stack sort take repeat tile roll"
_MOVES = frozenset(
    {f"{kind}.{name}" for kind in ("numpy", "ndarray") for name in str.split(_MOVING)}
    | {"getitem", "setitem"}
)
"""Operations that round nothing."""


def predicted(graph: Graph) -> float:
    """The error to expect, as a part of the largest number, if nothing cancels.

    Each operation in a row rounds once; a sum of n numbers, added in pairs, as often
    as n can be halved. Sums of products are added one after the other, with n roundings of
    either sign, which come to about the square root of n (Higham and Mary, "A new approach to
    probabilistic rounding error analysis", 2019).

    Parameters
    ----------
    graph : Graph
        NumPy level.
    """
    nodes = graph.by_id()
    depth: dict[int, float] = {}
    for node in graph.nodes:
        operands = [nodes[id] for id in node.references()]
        before = max((depth.get(one.id, 0.0) for one in operands), default=0.0)
        depth[node.id] = before + _roundings(node, operands)
        for id in node.writes:
            depth[id] = max(depth.get(id, 0.0), depth[node.id])
    return EPSILON / 2 * (1 + max(depth.values(), default=0.0))


def _roundings(node: Node, operands: list[Node]) -> float:
    """How often in a row an operation rounds each number."""
    inexact = any(np.dtype(type.dtype).kind in "fc" for type in node.types)
    if node.view_of is not None or not inexact or node.op in _MOVES:
        return 0.0
    sizes = [math.prod(type.shape) for one in operands for type in one.types[:1]]
    result = max(math.prod(node.types[0].shape), 1)
    if node.op in ("numpy.matmul", "numpy.dot", "numpy.inner", "numpy.tensordot", "numpy.vdot"):
        terms = math.sqrt(math.prod(sizes[:2]) / result) if len(sizes) > 1 else 1.0
        return 1.0 + math.sqrt(max(terms, 1.0))
    terms = max(sizes, default=1) / result
    return 1.0 + math.log2(max(terms, 1.0))
