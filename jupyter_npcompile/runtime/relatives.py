"""Plans of a region that differ in sizes only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jupyter_npcompile.graph.sizes import LEAST, outline
from jupyter_npcompile.runtime.elements import most_elements
from jupyter_npcompile.runtime.forms import itemsize
from jupyter_npcompile.runtime.plan import Plan

if TYPE_CHECKING:
    from jupyter_npcompile.runtime.state import RegionState

MAX_SIZES = 32
"""Signatures that share code; beyond that the one that was recorded first is forgotten."""


def is_tiny(state: RegionState, plan: Plan) -> bool:
    """Whether there is nothing to gain, where other sizes of the same are known."""
    graph = plan.recording.graph
    if not any(other is not plan and other.stop == plan.stop for other in state.plans[plan.start]):
        return False
    return any(0 in node.type.shape for node in graph.inputs) or most_elements(graph) < LEAST


def relate(state: RegionState, plan: Plan) -> None:
    """Find out which plans differ from a new one in sizes only; keep no more than some."""
    plan.outline = outline(plan.recording.graph, itemsize)
    plan.shared = bool(relatives_of(state, plan))
    plans = state.plans[plan.start]
    sharing = [other for other in plans if other.shared and other.state != "pending"]
    for other in sharing[:-MAX_SIZES]:
        plans.remove(other)
        known = state.fast.get(plan.start, ())
        state.fast[plan.start] = tuple(entry for entry in known if entry[0] is not other)


def relatives_of(state: RegionState, plan: Plan) -> list[Plan]:
    """Plans that differ from one in sizes only, the newest first."""
    return [
        other
        for other in reversed(list(state.plans[plan.start]))
        if other is not plan and other.outline == plan.outline and other.stop == plan.stop
    ]
