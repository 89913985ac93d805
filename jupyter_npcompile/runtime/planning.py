"""How a plan comes about: recorded, remembered or compiled, now or later."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

from jupyter_npcompile.graph.amounts import duration
from jupyter_npcompile.runtime import artifacts
from jupyter_npcompile.runtime.artifacts import Artifact
from jupyter_npcompile.runtime.background import BackgroundCompile
from jupyter_npcompile.runtime.devices import CPU
from jupyter_npcompile.runtime.dry_run import dry_run
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.policy import When, choose, is_bound, is_open
from jupyter_npcompile.runtime.preparing import companions, prepare, take_verdict
from jupyter_npcompile.runtime.prospects import moves_only
from jupyter_npcompile.runtime.relatives import is_tiny, relate, relatives_of
from jupyter_npcompile.runtime.slice_bounds import with_free_bounds
from jupyter_npcompile.runtime.ticket import Ticket
from jupyter_npcompile.runtime.worker import compiler
from jupyter_npcompile.tracer.breaks import LATE
from jupyter_npcompile.tracer.recording import Recording, Stop
from jupyter_npcompile.tracer.sources import Namespace

if TYPE_CHECKING:
    from jupyter_npcompile.runtime.state import RegionState

CHECKS = 3
"""How many times as long as NumPy a first compiled run takes, with its check and contest."""


def record(
    state: RegionState, start: int, namespace: Namespace, limit: Stop | None = None
) -> Plan | None:
    """Record from a statement on, and have the recording compiled.

    Parameters
    ----------
    state : RegionState
        Of the region.
    start : int
        The statement.
    namespace : mapping
        What it sees.
    limit : Stop, optional
        Where the recording must end.

    Returns
    -------
    Plan or None
        None when nothing can be recorded.
    """
    tier, when = choose(state.options)
    if state.plans[start] and start not in state.put_off:
        state.rest.allowance.meets_news()
    state.put_off.add(start)
    while True:
        recording = dry_run(state, start, namespace, limit, hurry=when == "later")
        if recording is None:
            return None
        state.useful += recording.numpy_seconds
        if recording.is_late:
            return _only_now(recording, namespace)
        state.postponed.discard(start)
        state.put_off.discard(start)
        recording = with_free_bounds(state, recording, namespace, limit, hurry=when == "later")
        plan = Plan(recording)
        plan.timings["trace_ms"] = recording.seconds * 1e3
        plan.timings["numpy_us"] = recording.numpy_seconds * 1e6
        try:
            state.plans[start].append(plan)
            _settle(state, plan, tier, when, namespace)
        except BaseException:
            # Interrupted: nobody knows the plan yet, and next time is another try.
            if plan in state.plans[start]:
                state.plans[start].remove(plan)
            raise
        if plan.limit is None and not plan.stale:
            return plan
        state.plans[start].remove(plan)
        limit = plan.limit or limit


def _settle(state: RegionState, plan: Plan, tier: str, when: When, namespace: Namespace) -> None:
    """Decide what becomes of a new plan."""
    recording = plan.recording
    held = when == "later" or not is_open(state.options) or plan.fits_twice
    if not recording.graph.nodes or not held:
        recording.forget()
    relate(state, plan)
    if recording.stop == plan.start:
        plan.state = "numpy"
        plan.note = recording.end.cause.reason if recording.end else ""
    elif not recording.graph.nodes:
        plan.state, plan.note = "numpy", "plain Python"
    elif when == "later" and is_tiny(state, plan):
        plan.state, plan.note = "numpy", "hardly any elements: NumPy runs"
    elif when == "later" and state.options.device == CPU and moves_only(recording.graph):
        plan.state, plan.note = "numpy", "it computes nothing: NumPy is as fast as memory"
        plan.keep_first(namespace)
        recording.forget()
    elif when == "never":
        plan.state, plan.note = "numpy", "the tier is set to numpy"
    elif (
        when == "later"
        and state.options.device == CPU
        and is_bound(recording.numpy_seconds, recording.library_seconds)
    ):
        plan.state, plan.note = "numpy", "NumPy's libraries do nearly all of it: nothing to gain"
        plan.keep_first(namespace)
        recording.forget()
    else:
        _begin(state, plan, tier, when, namespace)


def _begin(state: RegionState, plan: Plan, tier: str, when: When, namespace: Namespace) -> None:
    """Take what is known about a plan, or have it compiled, now or later."""
    graph = plan.recording.graph
    if state.options.trial is None and prepare(
        plan,
        lambda: artifacts.recall(graph, tier, at_once=when == "later", outlined=plan.outline),
        state.code,
    ):
        plan.shared = plan.artifact is not None and plan.artifact.form is not None
        if when == "later":
            plan.keep_first(namespace)
        take_verdict(plan)
        if plan.state == "ready" and _has_time_to_run(state, plan):
            plan.first = None
        elif plan.first is not None:
            plan.recording.forget()
    elif when == "later":
        plan.keep_first(namespace)
        plan.recording.forget()
        plan.state = "held"
        if state.spares(plan):
            return
        if _is_first(state, plan) or plan.shared or plan.recording.free:
            resume(state, plan)
    else:
        ticket = Ticket(waited=True)
        compiler.run(functools.partial(_compile, state, plan, tier, ticket), ticket)


def _has_time_to_run(state: RegionState, plan: Plan) -> bool:
    """Whether this run has time for compiled code, after what NumPy has just computed.

    If nobody has checked it, it is compared with that, and timed.
    """
    numpy = plan.recording.numpy_seconds
    seconds = plan.timings["compiled_us"] * 1e-6 if plan.checked else CHECKS * numpy
    return seconds <= state.rest.allowance.left


def _is_first(state: RegionState, plan: Plan) -> bool:
    """Whether nothing else has been recorded from the same statement."""
    return all(other is plan for other in state.plans[plan.start])


def resume(state: RegionState, plan: Plan) -> None:
    """A plan that was not the first is met again: have it compiled, if that is worth it.

    In a loop each iteration may have a signature of its own. What is never met
    again would be compiled for nothing; and where NumPy has won, it would win
    again against the same operations, unless there is more for them to do.

    Parameters
    ----------
    state : RegionState
        Of the region.
    plan : Plan
        It is ``held``.
    """
    others = [other for other in state.plans[plan.start] if other is not plan]
    if any(other.state == "pending" for other in others):
        return
    lost = next((other for other in others if plan.is_like(other) and other.has_lost), None)
    if lost is not None:
        plan.state, plan.note = "numpy", lost.note
        return
    plan.state = "pending"
    tier, _ = choose(state.options)
    BackgroundCompile(state, plan, tier).submit()


def _compile(state: RegionState, plan: Plan, tier: str, ticket: Ticket) -> None:
    """Lower and compile a plan while the user's code waits.

    Parameters
    ----------
    plan : Plan
        What was recorded.
    tier : str
        What to compile it for.
    ticket : Ticket
        Of the one who waits.
    """

    def make() -> Artifact:
        graph, trial = plan.recording.graph, state.options.trial
        if trial is not None:
            return trial.make(graph, tier, ticket)
        others = companions(plan, relatives)
        return artifacts.make(graph, tier, alone=True, ticket=ticket, others=others)

    relatives = relatives_of(state, plan)
    prepare(plan, make, state.code)
    state.prepared(plan, relatives)


def leave_device(state: RegionState, plan: Plan, reason: str) -> None:
    """Have the CPU run a plan from now on; NumPy does until something is compiled for it.

    Parameters
    ----------
    state : RegionState
        Of the region.
    plan : Plan
        What its device could not run.
    reason : str
        Why, for the report.
    """
    plan.recording.forget()
    plan.artifact, plan.checked, plan.hastened, plan.epsilon = None, False, False, 0.0
    plan.timings.pop("compiled_us", None)
    plan.departure, plan.note = f"the CPU runs it: {reason}", ""
    if state.options.trial is not None:
        plan.state = "numpy"
        return
    plan.state = "pending"
    tier, when = choose(replace(state.options, device=CPU))
    if when == "now":
        ticket = Ticket(waited=True)
        compiler.run(functools.partial(_compile, state, plan, tier, ticket), ticket)
    else:
        BackgroundCompile(state, plan, tier).submit()


def leave_if_slower(state: RegionState, plan: Plan) -> None:
    """Have the CPU run a plan for which its device was slower than NumPy.

    Parameters
    ----------
    state : RegionState
        Of the region.
    plan : Plan
        What was just judged.
    """
    device = state.options.device
    if plan.artifact is not None and plan.artifact.tier == device and plan.has_lost:
        there, here = (duration(plan.timings[name]) for name in ("compiled_us", "numpy_us"))
        leave_if_worth(state, plan, f"{device} took {there}, and NumPy {here}")


def leave_if_worth(state: RegionState, plan: Plan, reason: str) -> None:
    """Have the CPU run a plan from now on, unless it has nothing to gain over NumPy.

    Parameters
    ----------
    state : RegionState
        Of the region.
    plan : Plan
        What its device runs too slowly.
    reason : str
        Why, for the report.
    """
    recording = plan.recording
    if not is_bound(recording.numpy_seconds, recording.library_seconds):
        leave_device(state, plan, reason)


def _only_now(recording: Recording, namespace: Namespace) -> Plan:
    """A plan for a recording that ended early: another run records more."""
    plan = Plan(recording)
    plan.state, plan.note = "numpy", LATE
    plan.keep_first(namespace)
    recording.forget()
    return plan
