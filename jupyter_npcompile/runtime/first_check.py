"""The first run of compiled code: compared with NumPy, and timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jupyter_npcompile.runtime.check import DifferenceError
from jupyter_npcompile.runtime.contest import contest
from jupyter_npcompile.runtime.dry_run import dry_run
from jupyter_npcompile.runtime.outcome import Outcome, PythonRaisesError
from jupyter_npcompile.runtime.plan import Plan, numpy_outcome
from jupyter_npcompile.runtime.planning import leave_if_slower
from jupyter_npcompile.runtime.policy import is_open
from jupyter_npcompile.runtime.preparing import judge
from jupyter_npcompile.runtime.selector.race import Race, slower_side
from jupyter_npcompile.runtime.selector.thresholds import COLD, SEGMENTS
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.tracer.recording import Recording
from jupyter_npcompile.tracer.sources import Namespace

if TYPE_CHECKING:
    from jupyter_npcompile.runtime.state import RegionState


def checked(state: RegionState, plan: Plan, outcome: Outcome, namespace: Namespace) -> Outcome:
    """Compare the first outcome with NumPy's, as the setting asks."""
    if settings.first_run_check == "off":
        plan.checked = True
        plan.recording.forget()
        return outcome
    if plan.recording.remembers:
        differences = outcome.differences()
    elif plan.fits_twice or not is_open(state.options):
        again = _numpy_again(state, plan, outcome, namespace)
        if again is None:
            return outcome
        outcome.recording = again
        differences = outcome.differences()
    else:
        # Both results at a time would take too much memory.
        samples = outcome.samples()
        outcome.let_go()
        again = _numpy_again(state, plan, outcome, namespace)
        if again is None:
            return outcome
        found = numpy_outcome(again, namespace)
        if found is None:
            raise PythonRaisesError
        found.streams, found.after = outcome.streams, None
        outcome = found
        differences = outcome.sample_differences(samples)
    plan.checked = True
    if outcome.epsilon and outcome.values:
        distances = outcome.distances()
        name, error = max(distances.items(), key=lambda item: item[1], default=("", 0.0))
        plan.error = name.strip("<>"), error
    outcome.recording.forget()
    if differences:
        if settings.first_run_check == "raise":
            raise DifferenceError("; ".join(differences))
        counters.replaced += 1
        plan.state = "numpy"
        plan.note = f"NumPy's result was kept: {differences[0]}"
    return outcome


def _numpy_again(
    state: RegionState, plan: Plan, outcome: Outcome, namespace: Namespace
) -> Recording | None:
    """What NumPy computes for the values of an outcome; None where that cannot be told."""
    with outcome.streams.rewound():
        recording = plan.recording
        free = recording.free or None
        again = dry_run(state, plan.start, namespace, recording.end, free=free)
    if again is None or again.stop != plan.stop or not _do_the_same(again, recording):
        plan.checked = True
        plan.state, plan.note = "numpy", "a second recording took another path"
        return None
    return again


def measure(
    state: RegionState, plan: Plan, namespace: Namespace, numpy: float, compiled: float
) -> None:
    """In automatic mode, keep NumPy where it is faster.

    Both sides are warm then, unless they take so long that it does not matter. What
    there is no time for now is left to later runs, in which what was compiled runs.

    Parameters
    ----------
    state : RegionState
        Of the region.
    plan : Plan
        What has just run.
    namespace : mapping
        What it saw.
    numpy, compiled : float
        Seconds that NumPy has taken, and it.
    """
    if not is_open(state.options) or plan.state != "ready":
        return
    state.rest.changes += 1
    if plan.race is None:
        plan.race = Race(SEGMENTS, (numpy, compiled))
        is_clear = slower_side(COLD, [numpy], [compiled]) is not None
        if is_clear or not (plan.fits_twice or not is_open(state.options)):
            _decided(state, plan)
            return
    else:
        plan.race.add(False, compiled)
    contest(plan, namespace, plan.race, max(state.left, SEGMENTS.budget))
    if plan.race.slower is not None:
        _decided(state, plan)


def _decided(state: RegionState, plan: Plan) -> None:
    assert plan.race is not None
    numpy, compiled = plan.race.seconds
    plan.race = None
    plan.timings["numpy_us"], plan.timings["compiled_us"] = numpy * 1e6, compiled * 1e6
    counters.decisions += 1
    judge(plan)
    leave_if_slower(state, plan)


def _do_the_same(one: Recording, two: Recording) -> bool:
    """Whether two recordings ran the same operations."""
    return [node.op for node in one.graph.nodes] == [node.op for node in two.graph.nodes]
