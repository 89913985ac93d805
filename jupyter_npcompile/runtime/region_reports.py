"""Regions in a report: their tier, times, notes and signature."""

from __future__ import annotations

from jupyter_npcompile.graph import RegionReport
from jupyter_npcompile.runtime import loop_reports
from jupyter_npcompile.runtime.device.accounts import copies
from jupyter_npcompile.runtime.loop_state import LoopState
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.state import RegionState

COMPILING = "compiling"
HELD = "compiled when values and shapes like these come again"
"""What the note of a region says while its artifact is being made."""


def region_of(number: int, state: RegionState, loop: LoopState | None) -> RegionReport:
    """What ran a region, and for what it is valid.

    Parameters
    ----------
    number : int
        Its number in the report.
    state : RegionState
        The region.
    loop : LoopState or None
        The native loop of which it was a part, where it was.
    """
    if loop is not None:
        return RegionReport(number, state.lines, loop_reports.TIER)
    if state.rest.whole is not None:
        return loop_reports.region_of_whole(number, state.lines, state.rest.whole)
    plans = [plan for _, plan in sorted(state.used.items()) if plan.recording.graph.nodes]
    tiers = dict.fromkeys(_tier(plan) for plan in plans)
    notes = [note for plan in plans for note in (plan.departure, plan.note) if note]
    notes += state.closed.values()
    notes += state.recompiled.values()
    lost = state.rest.verdict(number)
    if lost:
        tiers = {"numpy": None} if tiers else tiers
        notes.insert(0, lost)
    if any(plan.state == "pending" for plan in plans):
        notes.insert(0, COMPILING)
    if any(plan.state == "held" for plan in plans):
        notes.insert(0, HELD)
    every = [plan for known in state.plans.values() for plan in known]
    artifacts = [plan.artifact for plan in every]
    timings: dict[str, float | None] = {}
    for plan in plans:
        for name, value in plan.timings.items():
            timings[name] = (timings.get(name) or 0.0) + value
    return RegionReport(
        id=number,
        lines=state.lines,
        tier=" + ".join(tiers) or "numpy",
        signature=plans[0].signature if plans else "",
        segments=len(plans),
        artifacts=len({id(a.form or a.program) for a in artifacts if a is not None}),
        timings=timings,
        note="; ".join(dict.fromkeys(notes)),
        copies=copies(plans),
    )


def _tier(plan: Plan) -> str:
    if plan.state == "ready" and plan.artifact is not None:
        return plan.artifact.tier
    return "numpy"
