"""From what size on work is done otherwise."""

from __future__ import annotations

import math

from jupyter_npcompile.graph.nodes import Graph

PARALLEL = 500_000
"""Pieces on fewer elements run in one thread: waking others costs more."""


def elements(graph: Graph) -> int:
    """Elements of the largest array in a graph."""
    kinds = [kind for node in (*graph.inputs, *graph.nodes) for kind in node.types]
    return max((math.prod(kind.shape) for kind in kinds), default=0)


def is_parallel(graph: Graph) -> bool:
    """Whether the loops of a graph are shared among processors."""
    return elements(graph) >= PARALLEL
