"""NumPy against what was compiled, in turns, on the present values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

import numpy as np

from jupyter_npcompile.runtime.fast import specialise
from jupyter_npcompile.runtime.namespace import FrameNamespace
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.selector.race import Race
from jupyter_npcompile.runtime.straight import straight_line
from jupyter_npcompile.tracer import interrupts
from jupyter_npcompile.tracer.evaluation import WarningsShown
from jupyter_npcompile.tracer.memory import Array, clone_owner, owner, rebase
from jupyter_npcompile.tracer.sources import Namespace
from jupyter_npcompile.tracer.streams import Streams


def contest(plan: Plan, namespace: Namespace, race: Race, left: float) -> None:
    """Time a plan's statements in NumPy and compiled; nothing that the user has is changed.

    Both sides are warm by the second round. NumPy's side is the recorded
    operations alone, so a helper function's calls do not count against it.

    Parameters
    ----------
    plan : Plan
        A plan that is ready, and whose conditions hold.
    namespace : mapping
        What the statements see.
    race : Race
        What is known; samples are added until they are enough.
    left : float
        Seconds that they may take: a round that would take more is left to a later run.
    """
    began = perf_counter()
    if race.next_seconds > left:
        return
    streams = Streams()
    try:
        values = plan.inputs(namespace, streams)
    finally:
        streams.rewind()
    scratch = _scratch(values, plan.recording.graph.writes)
    numpy_run = straight_line(plan.recording.graph)
    arguments = list({**values, **scratch}.values())
    compiled_run = _compiled(plan, namespace, scratch)
    with WarningsShown():
        while race.slower is None and race.next_seconds <= left - (perf_counter() - began):
            interrupts.allow()
            for id, array in scratch.items():
                np.copyto(array, values[id])
            race.add(True, _seconds(lambda: numpy_run(*arguments)))
            if len(race.compiled) < len(race.plain):
                race.add(False, _seconds(compiled_run))


def _seconds(run: Callable[[], object]) -> float:
    began = perf_counter()
    run()
    return perf_counter() - began


def _scratch(values: Mapping[int, Any], writes: tuple[int, ...]) -> dict[int, Array]:
    """Arrays to write to instead of the user's, which share memory with each other as those do."""
    owners: dict[int, Array] = {}
    found = {}
    for node in writes:
        real = owner(values[node])
        copy = owners.setdefault(id(real), clone_owner(real))
        found[node] = rebase(values[node], real, copy)
    return found


def _compiled(
    plan: Plan, namespace: Namespace, scratch: Mapping[int, Array]
) -> Callable[[], object]:
    """The way that a later run takes, as far as its results."""
    if isinstance(namespace, FrameNamespace):
        fast = specialise(plan, namespace.own, scratch)
        own, shared = namespace.locals, namespace.globals
        if fast is not None and fast(own, shared) is not None:
            return lambda: fast(own, shared)

    def run() -> None:
        plan.matches(namespace)
        outcome = plan.compute(namespace)
        outcome.names()
        for id, content in outcome.written.items():
            np.copyto(scratch[id], content)
        outcome.undo()

    return run
