"""What a report says of a cell that was differentiated: its operations, forward and backward."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph import (
    CapturedGraph,
    Graph,
    LineReport,
    Output,
    Ref,
    RegionReport,
    ReportData,
)
from jupyter_npcompile.graph.gradients import GradientReport
from jupyter_npcompile.graph.report import Status
from jupyter_npcompile.tracer.lowering.errors import LoweringError

TAPE = "tape"
"""How a cell runs that is followed while it runs."""


@dataclass(frozen=True)
class Differentiated:
    """A run of a cell with ``--grad``, without its values.

    Parameters
    ----------
    source : str
        Text of the cell.
    tree : ast.Module
        The cell.
    graph : Graph
        What it computed, NumPy level; its output says what was differentiated
        (see `joint.wanted`).
    names : tuple of str
        Of the variables, in the order of that output.
    output : str
        Of what the gradient was taken.
    first_line : int
        Number of the first line of the text.
    gradients : GradientReport or None
        What the gradient view shows.
    """

    source: str
    tree: ast.Module
    graph: Graph
    names: tuple[str, ...]
    output: str
    first_line: int = 1
    gradients: GradientReport | None = None

    @cached_property
    def levels(self) -> tuple[CapturedGraph, str]:
        """The levels of its graph, and why some are missing: lowering takes a moment."""
        from jupyter_npcompile.autodiff.levels import levels

        try:
            return levels(self.graph, self.names, self.output), ""
        except LoweringError as error:
            target = self.graph.outputs[0].value
            assert isinstance(target, tuple)
            shown = replace(self.graph, outputs=(Output(self.output, target[0]),))
            return CapturedGraph((shown,)), f"not lowered: {error}"

    def report(self) -> ReportData:
        """The report, with the graphs."""
        graph, note = self.levels
        at = {node.position.line for node in self.graph.nodes}
        lines = []
        for node in _statements(self.tree):
            first, last = node.lineno, _header_end(node)
            status: Status = "compiled" if at & set(range(first, last + 1)) else "python"
            text = "\n".join(
                self.source.splitlines()[first - self.first_line : last - self.first_line + 1]
            )
            lines.append(LineReport(first, last, text, status, region=0))
        span = (min(at, default=1), max(at, default=1))
        region = RegionReport(0, span, TAPE, segments=1, note=note)
        return ReportData(
            lines=tuple(sorted(lines, key=lambda line: line.line)),
            regions=(region,),
            graph=graph,
            source=self.source,
            first_line=self.first_line,
            gradients=self.gradients,
        )


def differentiated(
    graph: Graph,
    target: int,
    leaves: dict[str, int],
    output: str,
    source: str,
    tree: ast.Module,
    first_line: int = 1,
) -> Differentiated:
    """Keep what a cell computed, by the names of its variables.

    Parameters
    ----------
    graph : Graph
        The operations.
    target : int
        Node of the output.
    leaves : dict of str to int
        Nodes of the variables.
    output : str
        Name of the output.
    source, tree, first_line
        The cell or function.
    """
    used = {node.id for node in graph.inputs}
    known = {name: id for name, id in leaves.items() if id in used}
    labels = {id: name for name, id in known.items()}
    inputs = tuple(replace(node, name=labels.get(node.id, node.name)) for node in graph.inputs)
    wanted = Output("gradient", (Ref(target), [Ref(id) for id in known.values()]))
    whole = replace(graph, inputs=inputs, outputs=(wanted,), writes=())
    return Differentiated(source, tree, whole, tuple(known), output, first_line)


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.stmt))


def _header_end(node: ast.stmt) -> int:
    body = getattr(node, "body", None)
    if isinstance(body, list) and body:
        return max(node.lineno, int(body[0].lineno) - 1)
    return node.end_lineno or node.lineno
