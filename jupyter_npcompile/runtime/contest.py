"""NumPy against what was compiled, in turns, on the present values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from jupyter_npcompile.runtime.fast import specialise
from jupyter_npcompile.runtime.namespace import FrameNamespace
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.straight import straight_line
from jupyter_npcompile.tracer import interrupts
from jupyter_npcompile.tracer.evaluation import warnings_shown
from jupyter_npcompile.tracer.memory import Array, clone_owner, owner, rebase
from jupyter_npcompile.tracer.sources import Namespace
from jupyter_npcompile.tracer.streams import Streams

BUDGET = 0.02
"""Seconds after which two rounds are enough."""

LIMIT = 0.01
"""Seconds after which one round is."""

CHANCES = 3
"""Rounds after which compiled code that is slower has lost, however long they take."""

LATEST = 0.25
"""Seconds after which it gets no other round."""

LONG = 0.2
"""Seconds; of what takes longer in NumPy, a first run that wins tells enough."""

DECISIVE = 3.0
"""How many times as fast compiled code, which runs for the first time, must be to win at once."""

WORTH = 1e-3
"""Seconds in NumPy, below which a contest costs nothing."""

ROUNDS = 25
"""Rounds at the most."""


@dataclass(frozen=True)
class Times:
    """The best of some rounds.

    Parameters
    ----------
    numpy_us, compiled_us : float
        Microseconds.
    """

    numpy_us: float
    compiled_us: float


def is_decided(first: Times) -> bool:
    """Whether the first runs have shown enough.

    Memory that is used for the first time costs both sides time, NumPy more. But
    who loses now has lost for good: a machine that was busy must not decide that.

    Examples
    --------
    >>> is_decided(Times(5000.0, 1000.0)), is_decided(Times(5000.0, 4000.0))
    (True, False)
    >>> is_decided(Times(5e5, 4e5)), is_decided(Times(5e5, 6e5))
    (True, False)
    """
    seconds = first.numpy_us * 1e-6
    factor = 1.0 if seconds > LONG else DECISIVE
    return seconds > WORTH and first.numpy_us >= factor * first.compiled_us


def is_enough(numpy: list[float], compiled: list[float], spent: float) -> bool:
    """Whether some rounds have shown enough.

    Fresh memory, or another program, may have spoilt a single one: who is slower has
    three.

    Examples
    --------
    >>> is_enough([0.03], [0.02], 0.05), is_enough([0.03], [0.04], 0.07)
    (True, False)
    """
    if spent <= (BUDGET if len(numpy) > 1 else LIMIT):
        return False
    return min(compiled) < min(numpy) or len(numpy) >= CHANCES or spent > LATEST


def contest(plan: Plan, namespace: Namespace) -> Times:
    """Time a plan's statements in NumPy and compiled; nothing that the user has is changed.

    Both sides are warm by the second round. NumPy's side is the recorded
    operations alone, so a helper function's calls do not count against it.

    Parameters
    ----------
    plan : Plan
        A plan that is ready, and whose conditions hold.
    namespace : mapping
        What the statements see.
    """
    streams = Streams()
    try:
        values = plan.inputs(namespace, streams)
    finally:
        streams.rewind()
    scratch = _scratch(values, plan.recording.graph.writes)
    numpy_run = straight_line(plan.recording.graph)
    arguments = list({**values, **scratch}.values())
    compiled_run = _compiled(plan, namespace, scratch)
    numpy: list[float] = []
    compiled: list[float] = []
    began = perf_counter()
    with warnings_shown():
        while len(numpy) < ROUNDS:
            interrupts.allow()
            for id, array in scratch.items():
                np.copyto(array, values[id])
            numpy.append(_seconds(lambda: numpy_run(*arguments)))
            compiled.append(_seconds(compiled_run))
            if is_enough(numpy, compiled, perf_counter() - began):
                break
    return Times(min(numpy) * 1e6, min(compiled) * 1e6)


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
