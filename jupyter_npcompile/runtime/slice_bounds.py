"""Integers that bound slices and differ from run to run: inputs rather than conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jupyter_npcompile.graph.sizes import LEAST
from jupyter_npcompile.runtime.compiled import TIER
from jupyter_npcompile.runtime.dry_run import dry_run
from jupyter_npcompile.runtime.policy import choose
from jupyter_npcompile.tracer.guards import ValueGuard
from jupyter_npcompile.tracer.recording import Recording, Stop
from jupyter_npcompile.tracer.sources import Namespace, Source

if TYPE_CHECKING:
    from jupyter_npcompile.runtime.state import RegionState


def with_free_bounds(
    state: RegionState,
    recording: Recording,
    namespace: Namespace,
    limit: Stop | None,
    *,
    hurry: bool,
) -> Recording:
    """The recording with bounds of slices that may change, where they have changed."""
    start, end = recording.start, recording.end
    compiled = choose(state.options)[0] == TIER and state.options.trial is None
    if not compiled or start in state.fixed or recording.stop == start:
        return recording
    if end is not None and end.cause.kind == "error":
        return recording  # for other values there may be none
    free = _changing(state, recording)
    if not free:
        return recording
    wider = dry_run(state, start, namespace, limit, hurry=hurry, free=free)
    if wider is not None and wider.is_late:
        return recording
    if wider is None or wider.stop != recording.stop or not _is_free(wider):
        state.fixed.add(start)
        return recording
    state.changing.setdefault(start, {}).update(free)
    return wider


def _changing(state: RegionState, recording: Recording) -> dict[Source, int]:
    """The integers that decide something and were others before, and which."""
    known = dict(state.changing.get(recording.start, {}))
    now = _integers(recording)
    for plan in state.plans[recording.start]:
        if plan.stop == recording.stop and not plan.recording.free:
            before = _integers(plan.recording)
            if before.keys() == now.keys():
                known |= {s: n for s, n in before.items() if n != now[s]}
    return {source: n for source, n in known.items() if source in now}


def _integers(recording: Recording) -> dict[Source, int]:
    """The integers that a recording depends on, and could be sizes."""
    return {
        guard.source: guard.value
        for guard in recording.guards
        if isinstance(guard, ValueGuard) and type(guard.value) is int and guard.value >= LEAST
    }


def _is_free(recording: Recording) -> bool:
    """Whether nothing else but bounds of slices depends on integers that may change."""
    free = recording.free
    guarded = {g.source for g in recording.guards if isinstance(g, ValueGuard)}
    bounds = any(node.args for node in recording.graph.inputs)
    return bounds and not guarded & free.keys() and not recording.hidden and not recording.frozen
