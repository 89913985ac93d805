"""A segment run by NumPy, node after node: what an artifact is held against."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

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
class Reference(Artifact):
    """An artifact that is NumPy itself."""

    def run(self, values: Sequence[Any]) -> tuple[dict[int, Any], dict[int, Array]]:
        """Run on copies of the inputs; as `Artifact.run`."""
        known = numpy_values(self.graph, values)
        outputs = {id: known[id] for id, _ in self.outputs}
        return outputs, {id: known[id] for id, _ in self.writes}


def reference(graph: Graph) -> Reference:
    """Make the artifact that runs a graph in NumPy.

    Parameters
    ----------
    graph : Graph
        NumPy level.
    """
    types = {node.id: node.types[0] for node in (*graph.inputs, *graph.nodes) if node.types}
    return Reference(
        tier=TIER,
        graph=graph,
        aten=Graph("aten"),
        outputs=tuple((id, types[id]) for id in graph.allocations()),
        writes=tuple((id, types[id]) for id in graph.writes),
        masks=(),
        checks=0,
        call=lambda inputs, outputs: None,
        seconds=0.0,
    )
