"""Measures where the time goes in a cell: NumPy's, operation by operation, and of kernels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np

from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.graph.timing import LineTime, NodeTime, Timing
from jupyter_npcompile.runtime.bandwidth import bandwidth
from jupyter_npcompile.runtime.cells import CellHandle
from jupyter_npcompile.runtime.errors import CheckFailedError
from jupyter_npcompile.runtime.footprint import size_of
from jupyter_npcompile.runtime.kernel_times import NotTimedError, kernel_times
from jupyter_npcompile.runtime.outcome import PythonRaisesError
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.subjects import Handle
from jupyter_npcompile.tracer.interpret import run_node
from jupyter_npcompile.tracer.streams import Streams

LONGEST = 2.0
"""Seconds that the operations of a segment may take to be measured."""

ROUNDS = 3

CHANGED = "what it starts from has changed since"


def measure(handle: Handle) -> Timing:
    """Measure operations and kernels of the cell that ran last, on copies of what it reads now.

    What keeps the time of kernels is compiled when somebody asks for the first time.

    Parameters
    ----------
    handle : Handle
        What ran. Of functions nobody keeps the arguments: only the bandwidth is
        measured for them.
    """
    if not isinstance(handle, CellHandle):
        return Timing(bandwidth(), note="lines and kernels are measured in cells only")
    found: dict[int, list[float]] = {}
    notes: dict[str, None] = {}
    nodes: list[NodeTime] = []
    segment = -1
    for state in handle.states:
        for _, plan in sorted(state.used.items()):
            graph = plan.recording.graph
            if not graph.nodes:
                continue
            segment += 1  # counted as the report does
            lines = sorted({n.position.line for n in graph.nodes if n.position.line})
            where = f"from line {lines[0]} on" if lines else "of a segment"
            try:
                best, kernels = _measured(plan, handle.namespace)
            except _NotMeasuredError as reason:
                notes[f"not measured {where}: {reason}"] = None
                continue
            _by_line(graph, best, found)
            nodes += [NodeTime("numpy", segment, id, s * 1e6) for id, s in best.items()]
            if isinstance(kernels, NotTimedError):
                notes[f"kernels {where} were not timed: {kernels}"] = None
                continue
            nodes += [NodeTime("kernels", segment, id, s * 1e6) for id, s in kernels.items()]
    lines_found = (LineTime(line, us, int(moves)) for line, (us, moves) in sorted(found.items()))
    return Timing(bandwidth(), tuple(lines_found), "; ".join(notes), tuple(nodes))


class _NotMeasuredError(Exception):
    """A segment was not measured; the text says why."""


def _measured(
    plan: Plan, namespace: Mapping[str, Any]
) -> tuple[dict[int, float], dict[int, float] | NotTimedError]:
    """The time of each operation of a segment, and of each kernel or why not, in seconds."""
    if plan.timings.get("numpy_us", 0.0) > LONGEST * 1e6:
        raise _NotMeasuredError("it takes long")
    if not plan.fits_twice:
        raise _NotMeasuredError("there is no memory for its results")
    if not plan.matches(namespace):
        raise _NotMeasuredError(CHANGED)
    streams = Streams()
    try:
        inputs = plan.inputs(namespace, streams)
        best = _run(plan.recording.graph, inputs)
    except (PythonRaisesError, CheckFailedError, ArithmeticError, ValueError, LookupError):
        raise _NotMeasuredError(CHANGED) from None
    finally:
        streams.rewind()
    try:
        return best, kernel_times(plan.recording.graph, plan.artifact, list(inputs.values()))
    except NotTimedError as reason:
        return best, reason


def _by_line(graph: Graph, best: Mapping[int, float], found: dict[int, list[float]]) -> None:
    """Add the times of a segment to those of its lines, and the bytes it moves."""
    nodes = graph.by_id()
    for node in graph.nodes:
        if not node.position.line:
            continue
        known = found.setdefault(node.position.line, [0.0, 0.0])
        known[0] += best[node.id] * 1e6
        if node.view_of is None or node.writes:
            read = (nodes[id] for id in dict.fromkeys(node.references()))
            known[1] += size_of(kind for one in (node, *read) for kind in one.types)


def _run(graph: Graph, inputs: Mapping[int, Any]) -> dict[int, float]:
    """The best time of each operation, in seconds."""
    best: dict[int, float] = {}
    began = perf_counter()
    for _ in range(ROUNDS):
        values: dict[int, object] = dict(inputs)
        for id in graph.writes:
            values[id] = np.array(inputs[id], order="K", copy=True)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for node in graph.nodes:
                start = perf_counter()
                run_node(node, values)
                seconds = perf_counter() - start
                best[node.id] = min(best.get(node.id, seconds), seconds)
        if perf_counter() - began > LONGEST:
            break
    return best
