"""One run of a compiled segment: all that it does, or nothing."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from jupyter_npcompile.runtime.check import DifferenceError
from jupyter_npcompile.runtime.device.device import DeviceError
from jupyter_npcompile.runtime.device.late import LostResultError
from jupyter_npcompile.runtime.device.observers import dies_silently
from jupyter_npcompile.runtime.device.residency import Residency
from jupyter_npcompile.runtime.errors import CheckFailedError, first_line
from jupyter_npcompile.runtime.first_check import checked, measure
from jupyter_npcompile.runtime.native.program import Program
from jupyter_npcompile.runtime.outcome import Outcome, PythonRaisesError
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.planning import leave_device
from jupyter_npcompile.runtime.policy import is_hopeless, is_open
from jupyter_npcompile.runtime.preparing import judge
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.tracer import interrupts
from jupyter_npcompile.tracer.sources import Namespace

if TYPE_CHECKING:
    from jupyter_npcompile.runtime.state import RegionState

MAX_FAILURES = 8
"""Runs in a row for which a compiled segment does not hold, before NumPy is left alone."""


def run(
    state: RegionState, plan: Plan, namespace: Namespace, copies: Residency | None = None
) -> dict[str, Any] | None:
    """Run a plan that is ready.

    Parameters
    ----------
    state : RegionState
        What is known about the region.
    plan : Plan
        What runs.
    namespace : mapping
        What the code sees.
    copies : Residency, optional
        What lies on the device.

    Returns
    -------
    dict or None
        What was bound; None when nothing has happened and NumPy must run.
    """
    if plan.checked and not plan.recording.draws and copies is None:
        return _ran(state, plan, namespace, copies)
    with interrupts.held():
        return _ran(state, plan, namespace, copies)


def _ran(
    state: RegionState, plan: Plan, namespace: Namespace, copies: Residency | None
) -> dict[str, Any] | None:
    began = perf_counter()
    values: dict[str, Any] | None = None
    outcome: Outcome | None = None
    if (
        not plan.hastened
        and is_open(state.options)
        and (_takes_too_much(state, plan) or _is_far_slower(plan))
    ):
        return None
    try:
        if copies is not None:
            copies.puts_off = copies.puts_off and _may_wait(state, plan, namespace)
            if not copies.puts_off:
                copies.settle()
        outcome = plan.compute(namespace, copies)
        seconds = perf_counter() - began
        state.useful += seconds
        if state.options.trial is not None:
            state.options.trial.observe(plan, outcome)
        elif not plan.checked:
            outcome = checked(state, plan, outcome, namespace)
            measure(state, plan, namespace, outcome.recording.numpy_seconds, seconds)
            if plan.state != "ready":
                return None
        elif plan.race is not None:
            measure(state, plan, namespace, plan.timings["numpy_us"] * 1e-6, seconds)
        values = outcome.commit() if copies is None else _committed(outcome, copies)
    except PythonRaisesError:
        plan.recording.forget()
        return None
    except CheckFailedError:
        if copies is not None:
            copies.settle()  # somebody looks at its inputs
        _give_way(state, plan, namespace)
        return None
    except (DifferenceError, LostResultError):
        raise
    except DeviceError as error:
        if copies is not None:
            copies.settle()  # it is compiled anew, and checked
        counters.fallbacks += 1
        leave_device(state, plan, str(error))
        return None
    except Exception as error:
        counters.fallbacks += 1
        plan.state = "numpy"
        plan.note = f"running failed: {type(error).__name__}: {first_line(error)}"
        return None
    finally:
        if values is None and outcome is not None:
            outcome.undo()
    try:
        _settle(state, plan, namespace, seconds)
    except Exception as error:  # it has happened, and must not happen again
        state.fail(plan.start, error)
    return values


def _settle(state: RegionState, plan: Plan, namespace: Namespace, seconds: float) -> None:
    """Note that a plan has run, and make the next time shorter."""
    plan.runs += 1
    plan.failures = 0
    if not plan.hastened and plan.state == "ready" and plan.race is None:
        state._hasten(plan, namespace)
    counters.dispatches += 1
    if plan.state == "ready":
        best = plan.timings.get("compiled_us", float("inf"))
        plan.timings["compiled_us"] = min(best, seconds * 1e6)


def _may_wait(state: RegionState, plan: Plan, namespace: Namespace) -> bool:
    """Whether nobody looks at results before the next statement.

    What its names were bound to dies when they are bound anew, and may call somebody.
    """
    return (
        plan.checked
        and plan.looks_at_layouts
        and state.options.trial is None
        and all(dies_silently(namespace.get(name)) for name in plan.recording.recipes)
    )


def _committed(outcome: Outcome, copies: Residency) -> dict[str, Any]:
    """Let it happen; copies of what is written are what was computed on the device."""
    written = [(content, outcome.values[id]) for id, content in outcome.written.items()]
    late = [(content, outcome.values[id]) for id, content in outcome.late.items()]
    for _, target in (*written, *late):
        copies.written(target)
    values = outcome.commit()
    for content, target in written:
        copies.move(content, target)
    for there, target in late:
        copies.fill_late(target, there)
    return values


def _give_way(state: RegionState, plan: Plan, namespace: Namespace) -> None:
    """NumPy must run for these values: it warns, raises, or gives what the graph cannot."""
    plan.recording.forget()
    counters.fallbacks += 1
    plan.failures += 1
    plan.note = "NumPy ran once: what was compiled does not hold for these values"
    if plan.meets_new_values(namespace):
        # Recorded again, with NaN and infinity among its inputs, it will hold.
        plan.state = "numpy"
        state.plans[plan.start].remove(plan)
    elif plan.failures >= MAX_FAILURES:
        plan.state = "numpy"
        plan.note = f"NumPy warns or raises here: so it did {plan.failures} times in a row"


def _takes_too_much(state: RegionState, plan: Plan) -> bool:
    """Whether compiled code would take more memory than it may: then NumPy is left alone."""
    program = None if plan.artifact is None else plan.artifact.program
    if not plan.is_large or not isinstance(program, Program):
        return False
    more = plan.footprint.more(program.nbytes)
    if plan.footprint.fits(more):
        return False
    plan.state = "numpy"
    plan.note = f"compiled it would take {more / 2**20:.0f} MB more memory than NumPy"
    plan.recording.forget()
    return True


def _is_far_slower(plan: Plan) -> bool:
    """Whether a rehearsal has shown that NumPy need not be asked who is faster."""
    if plan.checked or plan.artifact is None:
        return False
    rehearsed, numpy_us = plan.artifact.rehearsed, plan.timings.get("numpy_us", 0.0)
    if not is_hopeless(numpy_us * 1e-6, rehearsed):
        return False
    plan.timings["compiled_us"] = rehearsed * 1e6
    judge(plan)
    plan.recording.forget()
    return True
