"""What a report says about copies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jupyter_npcompile.graph.nodes import Graph, Ref
from jupyter_npcompile.graph.regions import Copies, Precision
from jupyter_npcompile.runtime.device.rounding import predicted
from jupyter_npcompile.runtime.device.traffic import Traffic
from jupyter_npcompile.runtime.plan import Plan


def traffic_of(plan: Plan) -> Traffic | None:
    """What the runs of a plan have copied; None where nothing is copied."""
    program = None if plan.artifact is None else plan.artifact.program
    found = getattr(program, "traffic", None)
    return found if isinstance(found, Traffic) and found.runs else None


def copies(plans: Sequence[Plan]) -> Copies | None:
    """What the segments of a region have copied; None where nothing was."""
    found = [(plan, traffic) for plan in plans if (traffic := traffic_of(plan)) is not None]
    if not found:
        return None
    arrays: list[tuple[str, str, int]] = []
    moments: list[tuple[str, str]] = []
    for plan, traffic in found:
        arrays += _arrays(plan.recording.graph, traffic)
        names = _names(plan.recording.graph, traffic.moments)
        moments += [(names[id], when) for id, when in traffic.moments.items()]
    every = [traffic for _, traffic in found]
    return Copies(
        runs=sum(traffic.runs for traffic in every),
        to_device=sum(traffic.to_device for traffic in every),
        to_host=sum(traffic.to_host for traffic in every),
        spared=sum(traffic.spared for traffic in every),
        us=sum(traffic.seconds for traffic in every) * 1e6,
        arrays=tuple(arrays),
        precision=precision([plan for plan, _ in found]),
        unneeded=sum(traffic.late - traffic.waiting for traffic in every),
        moments=tuple(moments),
        waiting=sum(traffic.waiting for traffic in every),
        stranger=next((traffic.stranger for traffic in every if traffic.stranger), ""),
    )


def precision(plans: Sequence[Plan]) -> Precision | None:
    """What single precision costs the segments of a region; None where none has it."""
    single = [plan for plan in plans if plan.epsilon]
    if not single:
        return None
    errors = [plan.error for plan in single if plan.error is not None]
    name, measured = max(errors, key=lambda error: error[1], default=("", None))
    return Precision(max(predicted(plan.recording.graph) for plan in single), measured, name)


def _arrays(graph: Graph, traffic: Traffic) -> list[tuple[str, str, int]]:
    """Each variable of a segment with what the last run has copied of it."""
    nodes = graph.by_id()
    found = []
    for way, inputs in (
        ("to device", traffic.inputs),
        ("there already", traffic.spared_inputs),
    ):
        found += [(nodes[id].name or "a number", way, nbytes) for id, nbytes in inputs.items()]
    for way, results in (("to host", traffic.outputs), ("not back", traffic.left)):
        names = _names(graph, results)
        found += [(names[id], way, nbytes) for id, nbytes in results.items()]
    return found


def _names(graph: Graph, results: Iterable[int]) -> dict[int, str]:
    """The variables that hold results, by node id."""
    nodes, roots = graph.by_id(), graph.roots()
    bound: dict[int, str] = {}
    for output in graph.outputs:
        if isinstance(output.value, Ref):
            bound.setdefault(roots[output.value.id], output.name)
    return {
        id: bound.get(id) or nodes[id].name or f"a value of line {nodes[id].position.line}"
        for id in results
    }
