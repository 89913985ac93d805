"""A segment run by NumPy, node after node: what an artifact is held against."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime.artifacts import Artifact
from jupyter_npcompile.runtime.copies import Copier
from jupyter_npcompile.tracer.interpret import run_node
from jupyter_npcompile.tracer.memory import Array

TIER = "graph"
"""The tier of a trial whose segments are run by NumPy from the captured graph."""


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Let NumPy neither warn nor raise about floating-point errors."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def numpy_values(graph: Graph, values: Sequence[Any]) -> dict[int, Any]:
    """The value of every node, computed by NumPy on copies of the inputs."""
    copies = Copier().copy(list(values))
    known = {node.id: value for node, value in zip(graph.inputs, copies, strict=True)}
    with quietly():
        for node in graph.nodes:
            run_node(node, known)
    return known


@dataclass(frozen=True, slots=True)
class Reference:
    """A program that is NumPy itself.

    Parameters
    ----------
    graph : Graph
        NumPy level.
    """

    graph: Graph

    def run(self, values: Sequence[Any]) -> tuple[dict[int, Any], dict[int, Array]]:
        """Run on copies of the inputs; as `Artifact.run`."""
        known = numpy_values(self.graph, values)
        outputs = {id: known[id] for id in self.graph.allocations()}
        return outputs, {id: known[id] for id in self.graph.writes}


def reference(graph: Graph) -> Artifact:
    """Make the artifact that runs a graph in NumPy.

    Parameters
    ----------
    graph : Graph
        NumPy level.
    """
    return Artifact(TIER, graph, Graph("aten"), Reference(graph), 0.0)
