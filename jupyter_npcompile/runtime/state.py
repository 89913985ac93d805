"""What is known about a region: its plans, its breaks, and the next step."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import field
from time import perf_counter
from types import FrameType
from typing import TYPE_CHECKING, Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.forks import after_fork
from jupyter_npcompile.loops.courtesy import charge
from jupyter_npcompile.runtime.changes import change
from jupyter_npcompile.runtime.check import DifferenceError
from jupyter_npcompile.runtime.device.late import LostResultError
from jupyter_npcompile.runtime.device.residency import Residency
from jupyter_npcompile.runtime.fast import Fast, specialise
from jupyter_npcompile.runtime.mishaps import described
from jupyter_npcompile.runtime.namespace import FrameNamespace, forget_locals
from jupyter_npcompile.runtime.plan import AWAITED, Plan
from jupyter_npcompile.runtime.planning import leave_if_worth, record, resume
from jupyter_npcompile.runtime.policy import Options, choose
from jupyter_npcompile.runtime.prospects import is_curved
from jupyter_npcompile.runtime.relatives import MAX_SIZES
from jupyter_npcompile.runtime.segment_run import run
from jupyter_npcompile.runtime.selector.back_off import Pauses
from jupyter_npcompile.runtime.selector.rest import Rest
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.runtime.traceable import Traceable
from jupyter_npcompile.tracer.recording import Stop
from jupyter_npcompile.tracer.sources import Namespace, Source

if TYPE_CHECKING:
    from jupyter_npcompile.runtime.loop_state import LoopState

MAX_PLANS = 8
"""Signatures with code of their own, per starting statement; more are left to NumPy."""

FEW = 2
"""Plans whose order does not matter."""

WORTH = 16
"""Runs of each of them, on average, that make it worth while to record further ones."""

LITTLE = 1e-3
"""Seconds of a step that nobody has to pay back: it has recorded nothing."""

MAX_FILENAMES = 50
"""Names of the same code that are remembered, besides those that recordings mention."""

_states: weakref.WeakSet[RegionState] = weakref.WeakSet()


def _forked() -> None:
    """A thread that another process has may have held a lock."""
    for state in list(_states):
        state.lock = threading.RLock()


after_fork(_forked)


@dataclass(eq=False)
class RegionState:
    """The plans of a region, by first statement, and where it breaks.

    Parameters
    ----------
    code : Traceable
        What is recorded.
    options : Options
        Device, and whether to wait for compiles.
    plans : dict of int to list of Plan
        Newest last.
    stops : dict of int to Stop
        The latest break at each statement.
    closed : dict of int to str
        Statements from which nothing is recorded any more, and why.
    postponed : set of int
        Statements for which this run had no time.
    put_off : set of int
        Statements of which the last recording came to nothing.
    used : dict of int to Plan
        The plan that last ran from each statement.
    earlier : dict of int to Plan
        The same of the last run of the cell in which any ran.
    fast : dict of int to tuple of (Plan, callable)
        Plans that have a short way into their code, by first statement.
    pauses : Pauses
        Statements that are left alone for a while.
    rest : Rest
        Of the function, or the run of a cell, that the region is a part of.
    loops : list of weak references
        The loops that it is in.
    recompiled : dict of int to str
        What had changed when something was compiled again, by first statement.
    changing : dict of int to dict
        Integers that bound slices and differ from run to run, and an earlier
        value of each, by first statement.
    fixed : set of int
        Statements for which such integers must be fixed all the same.
    began, useful : float
        When the step at hand began, and seconds of it that NumPy would have needed, too.
    """

    code: Traceable
    options: Options
    plans: dict[int, list[Plan]] = field(default_factory=dict)
    stops: dict[int, Stop] = field(default_factory=dict)
    closed: dict[int, str] = field(default_factory=dict)
    postponed: set[int] = field(default_factory=set)
    put_off: set[int] = field(default_factory=set)
    used: dict[int, Plan] = field(default_factory=dict)
    earlier: dict[int, Plan] = field(default_factory=dict)
    fast: dict[int, tuple[tuple[Plan, Fast], ...]] = field(default_factory=dict)
    pauses: Pauses = field(default_factory=Pauses)
    rest: Rest = field(default_factory=lambda: Rest(()))
    loops: list[weakref.ref[LoopState]] = field(default_factory=list)
    recompiled: dict[int, str] = field(default_factory=dict)
    changing: dict[int, dict[Source, int]] = field(default_factory=dict)
    fixed: set[int] = field(default_factory=set)
    lock: threading.RLock = field(default_factory=threading.RLock)
    began: float = field(default=0.0, init=False)
    useful: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        _states.add(self)

    def around(self) -> list[LoopState]:
        """The loops that it is in, as far as there is still anybody who runs them."""
        return [loop for it in self.loops if (loop := it()) is not None]

    def spares(self, plan: Plan) -> bool:
        """Whether nothing is compiled for a plan: all of the function is far ahead of NumPy."""
        return self.rest.spares_segments and not is_curved(plan.recording.graph)

    def step(
        self, start: int, namespace: Namespace, copies: Residency | None = None
    ) -> tuple[int, dict[str, Any] | None]:
        """Run the segment that starts at a statement, if one may.

        Parameters
        ----------
        start : int
            The statement that is about to run.
        namespace : mapping
            What it sees.
        copies : Residency, optional
            What lies on the device.

        Returns
        -------
        stop : int
            The statement up to which the answer holds.
        values : dict of str to object or None
            What the segment bound, or None when NumPy must run.
        """
        if settings.tier == "native-loop" and self.options.trial is None:
            return self.code.count, None
        self.began, self.useful = perf_counter(), 0.0
        stop, values = start + 1, None
        try:
            with self.lock:
                plan = self._plan(start, namespace, copies)
                if plan is None:
                    late = start in self.postponed
                    stop = self._unknown_from(start) if late else start + 1
                    # What waits for all of the function changes nothing in later runs.
                    self._in_vain(start, stop, waiting=late, late=late and not self.rest.puts_off)
                    return stop, None
                self._note(start, plan)
                stop = max(plan.stop, start + 1)
                if copies is not None and plan.first is not None:
                    copies.drop()  # NumPy has computed it, and what it wrote is written now
                values = plan.take_first()
                if values is not None:
                    return stop, values
                takes_any = plan.state == "ready" and plan.recording.free
                take_back = plan.admit(namespace) if takes_any else None
                late = plan.state == "ready" and not plan.checked and self._is_out_of_time()
                ready = plan.state == "ready" and not late
                values = run(self, plan, namespace, copies) if ready else None
                if values is None:
                    if take_back is not None:
                        take_back()
                    self._in_vain(start, stop, waiting=plan.state in AWAITED, late=late)
                else:
                    self.pauses.end(start)
                return stop, values
        except (DifferenceError, LostResultError):
            raise
        except Exception as error:
            # Ours, not the user's: NumPy runs the statement, unless it has happened.
            self.fail(start, error)
            return (start + 1, None) if values is None else (stop, values)
        finally:
            spent = self._spent
            self.rest.allowance.spent += spent
            if spent > LITTLE:
                charge(spent)

    def fail(self, start: int, error: Exception) -> None:
        """Something of ours has failed at a statement: it is left to NumPy."""
        self.closed[start] = described(error)
        self.fast.pop(start, None)

    @property
    def _spent(self) -> float:
        """Seconds of the present step in which nothing was computed that the user's code needs."""
        return perf_counter() - self.began - self.useful

    @property
    def left(self) -> float:
        """Seconds that the present step may go on with our own work."""
        is_free = choose(self.options)[1] != "later"
        return float("inf") if is_free else self.rest.allowance.left - self._spent

    def _in_vain(self, start: int, stop: int, *, waiting: bool = False, late: bool = False) -> None:
        """NumPy runs: look again later, unless the tier is forced.

        Parameters
        ----------
        start, stop : int
            From which statement on, and up to which.
        waiting : bool
            Whether something is being compiled for it.
        late : bool
            Whether there was no time left in this run: later runs are different.
        """
        if choose(self.options)[1] == "later":
            self.pauses.vain(start, stop, waiting=waiting or late)
            self.rest.in_vain = True
            self.rest.waiting |= waiting or late
            self.rest.changes += late

    def quick(self, start: int, frame: FrameType) -> tuple[int, dict[str, Any]] | None:
        """Run a segment by its short way, if one starts at a statement and its conditions hold.

        Returns
        -------
        tuple of (int, dict) or None
            As `step`, or None when `step` must look.
        """
        for plan, fast in self.fast.get(start, ()):
            if plan.state != "ready":
                continue
            values = fast(frame.f_locals, frame.f_globals)
            if values is not None:
                plan.runs += 1
                counters.dispatches += 1
                try:
                    self._ran(start, plan, frame)
                except Exception as error:  # it must not happen again
                    self.fail(start, error)
                return max(plan.stop, start + 1), values
        return None

    def _ran(self, start: int, plan: Plan, frame: FrameType) -> None:
        """A segment has run by its short way."""
        if plan.is_large:
            forget_locals(frame)
        if self.pauses.in_vain:
            self.pauses.end(start)
        if self.used.get(start) is not plan:
            with self.lock:
                self._note(start, plan)
                self._prefer(start, plan)

    def _prefer(self, start: int, plan: Plan) -> None:
        """Try a plan first: the sizes of the last call are often those of the next."""
        known = self.fast[start]
        if len(known) > FEW and known[0][0] is not plan:
            first = tuple(entry for entry in known if entry[0] is plan)
            self.fast[start] = (*first, *(entry for entry in known if entry[0] is not plan))

    def _hasten(self, plan: Plan, namespace: Namespace) -> None:
        """Give a plan that is settled a short way."""
        plan.hastened = True
        if isinstance(namespace, FrameNamespace):
            fast = specialise(plan, namespace.own)
            if fast is not None:
                self.fast[plan.start] = ((plan, fast), *self.fast.get(plan.start, ()))

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line."""
        return self.code.lines

    @property
    def is_numpy(self) -> bool:
        """Whether NumPy was found to be faster than all that was compiled of it."""
        plans = self.every_plan()
        return bool(plans) and all(plan.state == "numpy" and not plan.stale for plan in plans)

    @property
    def is_awaited(self) -> bool:
        """Whether something of it is being compiled, or waits for that."""
        return any(plan.state in AWAITED and not plan.was_given_up for plan in self.every_plan())

    @property
    def numpy_seconds_there(self) -> float:
        """Seconds that NumPy would need for what has run last on the device that was asked for."""
        plans = [plan for plan in list(self.used.values()) if plan.hopes_for_device]
        return sum(plan.timings.get("numpy_us", 0.0) for plan in plans) * 1e-6

    def leave_device(self, reason: str) -> None:
        """Have the CPU run what has just run on the device that was asked for.

        Parameters
        ----------
        reason : str
            Why, for the report.
        """
        with self.lock:
            for plan in self.used.values():
                if plan.state == "ready" and plan.hopes_for_device:
                    leave_if_worth(self, plan, reason)

    def taken(self, index: int) -> tuple[str, ...] | None:
        """Names that the skeleton takes for a statement; None for ``return``."""
        return self.code.taken(index)

    def begin(self) -> None:
        """A new run of the cell begins: forget what the last one used, keep the plans."""
        with self.lock:
            self.earlier = self.used or self.earlier
            self.used = {}
            self.stops.clear()
            self.postponed.clear()
            self.pauses.wake()

    def remember(self) -> None:
        """Native code has run it, of which there is no graph: show what was captured before."""
        if not self.used:
            self.used = dict(self.earlier)

    def _note(self, start: int, plan: Plan) -> None:
        """Remember what ran, for the report."""
        for known in [k for k in self.used if start <= k < plan.stop]:
            del self.used[known]
        for known in [k for k in self.stops if start <= k < plan.stop]:
            del self.stops[known]
        self.used[start] = plan
        end = plan.recording.end
        if plan.recording.is_late and end is not None:
            self.postponed.add(end.statement)
        elif end is not None:
            self.stops[end.statement] = end

    # -- finding and making plans

    def _plan(self, start: int, namespace: Namespace, copies: Residency | None) -> Plan | None:
        plans = self.plans.setdefault(start, [])
        if copies is not None and not all(plan.looks_at_layouts for plan in plans):
            copies.settle()
        waits = bool(plans) and plans[-1].state in AWAITED
        if waits and self._is_out_of_time() and not any(plan.is_tried for plan in plans):
            self.postponed.add(start)
            return None
        for plan in reversed(plans):
            if plan.matches(namespace):
                plan.first = None  # an interrupted run may have left it, with values of its own
                again = plan.is_worth_another_try()
                if plan.limit is None and not (again or plan.stale or plan.was_given_up):
                    if plan.state == "held" and not self.spares(plan):
                        resume(self, plan)
                    return plan
                plans.remove(plan)
                if copies is not None:
                    copies.settle()  # NumPy runs
                made = record(self, start, namespace, plan.limit)
                if made is not None:
                    made.met = plan.met
                return made
        if start in self.closed:
            return None
        if sum(not plan.shared for plan in plans) >= MAX_PLANS:
            self.closed[start] = (
                f"{MAX_PLANS} signatures were compiled already; the latest: {plans[-1].signature}"
            )
            return None
        sharing = [plan.runs for plan in plans if plan.shared]
        if len(sharing) >= MAX_SIZES and sum(sharing) < WORTH * len(sharing):
            self.closed[start] = (
                f"{len(sharing)} sizes were recorded already, most of which came once or twice"
            )
            return None
        if self._is_out_of_time() or self.rest.puts_off:
            self.postponed.add(start)
            return None
        if copies is not None:
            copies.settle()  # NumPy runs
        return record(self, start, namespace)

    def _is_out_of_time(self) -> bool:
        """Whether NumPy goes on alone, lest this run is held up."""
        return choose(self.options)[1] == "later" and self.rest.allowance.left <= 0

    def _unknown_from(self, start: int) -> int:
        """Up to where nothing is known, where there is no time to record a statement."""
        stop = start + 1
        while stop < self.code.count and not (self.plans.get(stop) or stop in self.closed):
            self.postponed.add(stop)
            stop += 1
        return stop

    def prepared(self, plan: Plan, relatives: Sequence[Plan]) -> None:
        """A plan has got its artifact, or the reason why it has none.

        Parameters
        ----------
        plan : Plan
        relatives : sequence of Plan
            What differed from it in sizes only, when it was compiled.
        """
        known = any(other.artifact for other in self.plans[plan.start] if other is not plan)
        plan.shared = plan.artifact is not None and plan.artifact.form is not None
        if plan.recording.free and not plan.shared and not plan.was_given_up:
            # It is recorded anew, with the bounds of slices as conditions.
            self.fixed.add(plan.start)
            plan.state, plan.stale = "numpy", True
        self.pauses.end(plan.start)
        self.rest.end()
        if known and plan.artifact is not None and plan.artifact.is_new:
            counters.recompiles += 1
            earlier = next((other for other in self.plans[plan.start] if other is not plan), plan)
            self.recompiled[plan.start] = change(
                (relatives or [earlier])[0].recording, plan.recording, plan.artifact
            )

    def every_plan(self) -> list[Plan]:
        """All plans, as they are now: other threads may make more."""
        return [plan for plans in list(self.plans.values()) for plan in list(plans)]

    def abandon(self) -> None:
        """Have nothing more compiled for it: it will hardly run again."""
        for plan in self.every_plan():
            if plan.state == "pending" and plan.ticket is not None:
                plan.ticket.cancel()


def add_filename(name: str, known: set[str], states: Iterable[RegionState]) -> None:
    """Add a file name of code that gets a new one whenever its cell runs.

    Of many, those that no recording mentions are forgotten.
    """
    if len(known) >= MAX_FILENAMES:
        plans = [plan for state in states for plan in state.every_plan()]
        known &= {mentioned for plan in plans for mentioned, _ in plan.recording.inlined}
    known.add(name)
