"""What is known about a region: its plans, its breaks, and the next step."""

from __future__ import annotations

import functools
import threading
from dataclasses import dataclass, field
from time import perf_counter
from types import FrameType
from typing import Any

from jupyter_npcompile.cell import NotTraceable
from jupyter_npcompile.runtime import artifacts
from jupyter_npcompile.runtime.artifacts import Artifact
from jupyter_npcompile.runtime.check import DifferenceError
from jupyter_npcompile.runtime.contest import Times, contest, is_decided
from jupyter_npcompile.runtime.errors import CheckFailedError
from jupyter_npcompile.runtime.fast import Fast, specialise
from jupyter_npcompile.runtime.namespace import FrameNamespace
from jupyter_npcompile.runtime.outcome import Outcome, PythonRaisesError
from jupyter_npcompile.runtime.pauses import Pauses, Rest
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.policy import Options, When, choose
from jupyter_npcompile.runtime.preparing import judge, prepare, take_verdict
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.runtime.ticket import Ticket
from jupyter_npcompile.runtime.traceable import Traceable
from jupyter_npcompile.runtime.worker import compiler
from jupyter_npcompile.tracer.breaks import Break, Postponed
from jupyter_npcompile.tracer.recording import Recording, Stop, record
from jupyter_npcompile.tracer.sources import Namespace

MAX_PLANS = 8
"""Signatures per starting statement; beyond that the region stays in NumPy."""

MAX_FAILURES = 8
"""Runs in a row for which a compiled segment does not hold, before NumPy is left alone."""


@dataclass
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
    used : dict of int to Plan
        The plan that last ran from each statement.
    fast : dict of int to tuple of (Plan, callable)
        Plans that have a short way into their code, by first statement.
    pauses : Pauses
        Statements that are left alone for a while.
    rest : Rest
        Of the function, or the run of a cell, that the region is a part of.
    """

    code: Traceable
    options: Options
    plans: dict[int, list[Plan]] = field(default_factory=dict)
    stops: dict[int, Stop] = field(default_factory=dict)
    closed: dict[int, str] = field(default_factory=dict)
    postponed: set[int] = field(default_factory=set)
    used: dict[int, Plan] = field(default_factory=dict)
    fast: dict[int, tuple[tuple[Plan, Fast], ...]] = field(default_factory=dict)
    pauses: Pauses = field(default_factory=Pauses)
    rest: Rest = field(default_factory=lambda: Rest(()))
    lock: threading.RLock = field(default_factory=threading.RLock)

    def step(self, start: int, namespace: Namespace) -> tuple[int, dict[str, Any] | None]:
        """Run the segment that starts at a statement, if one may.

        Parameters
        ----------
        start : int
            The statement that is about to run.
        namespace : mapping
            What it sees.

        Returns
        -------
        stop : int
            The statement up to which the answer holds.
        values : dict of str to object or None
            What the segment bound, or None when NumPy must run.
        """
        try:
            with self.lock:
                plan = self._plan(start, namespace)
                if plan is None:
                    self._in_vain(start, start + 1, waiting=start in self.postponed)
                    return start + 1, None
                self._note(start, plan)
                stop = max(plan.stop, start + 1)
                values = plan.take_first()
                if values is not None:
                    return stop, values
                late = plan.state == "ready" and not plan.checked and self._is_out_of_time()
                ready = plan.state == "ready" and not late
                values = self._run(plan, namespace) if ready else None
                if values is None:
                    self._in_vain(start, stop, waiting=late or plan.state == "pending")
                else:
                    self.pauses.end(start)
                return stop, values
        except DifferenceError:
            raise
        except Exception as error:
            # Ours, not the user's: whatever it is, NumPy runs the statement.
            counters.fallbacks += 1
            self.closed[start] = f"internal error: {type(error).__name__}: {_first_line(error)}"
            return start + 1, None

    def _in_vain(self, start: int, stop: int, *, waiting: bool = False) -> None:
        """NumPy runs: look again later, unless the tier is forced."""
        if choose(self.options)[1] == "later":
            self.pauses.vain(start, stop, waiting=waiting)
            self.rest.in_vain = True
            self.rest.waiting |= waiting

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
                if self.pauses.in_vain:
                    self.pauses.end(start)
                if self.used.get(start) is not plan:
                    with self.lock:
                        self._note(start, plan)
                return max(plan.stop, start + 1), values
        return None

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

    def taken(self, index: int) -> tuple[str, ...] | None:
        """Names that the skeleton takes for a statement; None for ``return``."""
        return self.code.taken(index)

    def begin(self) -> None:
        """A new run of the cell begins: forget what the last one used, keep the plans."""
        with self.lock:
            self.used.clear()
            self.stops.clear()
            self.postponed.clear()
            self.pauses.clear()

    def _note(self, start: int, plan: Plan) -> None:
        """Remember what ran, for the report."""
        for known in [k for k in self.used if start <= k < plan.stop]:
            del self.used[known]
        for known in [k for k in self.stops if start <= k < plan.stop]:
            del self.stops[known]
        self.used[start] = plan
        if plan.recording.end is not None:
            self.stops[plan.recording.end.statement] = plan.recording.end

    # -- finding and making plans

    def _plan(self, start: int, namespace: Namespace) -> Plan | None:
        plans = self.plans.setdefault(start, [])
        for plan in reversed(plans):
            if plan.matches(namespace):
                again = plan.is_worth_another_try()
                if plan.limit is None and not again:
                    return plan
                plans.remove(plan)
                made = self._record(start, namespace, plan.limit)
                if made is not None:
                    made.met = plan.met
                return made
        if start in self.closed:
            return None
        if len(plans) >= MAX_PLANS:
            self.closed[start] = (
                f"{MAX_PLANS} signatures were compiled already; the latest: {plans[-1].signature}"
            )
            return None
        if self._is_out_of_time():
            self.postponed.add(start)
            return None
        return self._record(start, namespace)

    def _is_out_of_time(self) -> bool:
        """Whether NumPy goes on alone, lest this run is held up."""
        return choose(self.options)[1] == "later" and self.rest.allowance.left <= 0

    def _record(self, start: int, namespace: Namespace, limit: Stop | None = None) -> Plan | None:
        """Record from a statement on, and have the recording compiled."""
        tier, when = choose(self.options)
        while True:
            began = perf_counter()
            recording = self._dry_run(start, namespace, limit, hurry=when == "later")
            useful = 0.0 if recording is None else recording.numpy_seconds
            self.rest.allowance.spend(perf_counter() - began - useful)
            if recording is None:
                return None
            self.postponed.discard(start)
            plan = Plan(recording)
            plan.timings["trace_ms"] = recording.seconds * 1e3
            plan.timings["numpy_us"] = recording.numpy_seconds * 1e6
            self.plans[start].append(plan)
            if not recording.graph.nodes:
                recording.forget()
            if recording.stop == start:
                plan.state = "numpy"
                plan.note = recording.end.cause.reason if recording.end else ""
                return plan
            if not recording.graph.nodes:
                plan.state, plan.note = "numpy", "plain Python"
                return plan
            if when == "never":
                plan.state, plan.note = "numpy", "the tier is set to numpy"
                return plan
            try:
                self._begin(plan, tier, when, namespace)
            except BaseException:
                # Interrupted: nobody knows the plan yet, and next time is another try.
                self.plans[start].remove(plan)
                raise
            if plan.limit is None:
                return plan
            self.plans[start].remove(plan)
            limit = plan.limit

    def _dry_run(
        self,
        start: int,
        namespace: Namespace,
        limit: Stop | None = None,
        *,
        hurry: bool = False,
    ) -> Recording | None:
        counters.recordings += 1
        self.rest.changes += 1
        try:
            function, parameters = self.code.code(start)
            return record(
                function,
                parameters,
                namespace,
                start,
                self.code.count if limit is None else limit.statement,
                self.code.live,
                limit,
                namespace.module if isinstance(namespace, FrameNamespace) else None,
                self.code.written(start),
                self.rest.allowance.is_enough_for_copying if hurry else lambda nbytes: True,
            )
        except Postponed:
            self.postponed.add(start)
        except NotTraceable as reason:
            self.closed[start] = f"cannot be traced: {reason}"
        except Break as reason:
            self.closed[start] = reason.reason
        except Exception as error:
            counters.fallbacks += 1
            self.closed[start] = f"tracing failed: {type(error).__name__}: {error}"
        return None

    def _begin(self, plan: Plan, tier: str, when: When, namespace: Namespace) -> None:
        """Take what is known about a plan, or have it compiled, now or later."""
        graph = plan.recording.graph
        if self.options.trial is None and prepare(
            plan, lambda: artifacts.recall(graph, tier), self.code
        ):
            take_verdict(plan)
        elif when == "later":
            plan.keep_first(namespace)
            plan.recording.forget()
            compiler.submit(functools.partial(self._compile, plan, tier))
        else:
            ticket = Ticket(waited=True)
            compiler.run(functools.partial(self._compile, plan, tier, ticket, alone=True), ticket)

    def _compile(
        self, plan: Plan, tier: str, ticket: Ticket | None = None, *, alone: bool = False
    ) -> None:
        """Lower and compile a plan; whatever goes wrong is kept in it.

        Parameters
        ----------
        plan : Plan
            What was recorded.
        tier : str
            What to compile it for.
        ticket : Ticket, optional
            Of somebody who waits.
        alone : bool
            Whether the user's code waits meanwhile.
        """

        def make() -> Artifact:
            graph, trial = plan.recording.graph, self.options.trial
            if trial is not None:
                return trial.make(graph, tier, ticket)
            return artifacts.make(graph, tier, alone=alone, ticket=ticket)

        known = any(other.artifact for other in self.plans[plan.start])
        prepare(plan, make, self.code)
        self.pauses.end(plan.start)
        self.rest.end()
        if known and plan.artifact is not None:
            counters.recompiles += 1

    # -- running

    def _run(self, plan: Plan, namespace: Namespace) -> dict[str, Any] | None:
        """Run a ready plan; None when NumPy must run instead."""
        began = perf_counter()
        values: dict[str, Any] | None = None
        outcome: Outcome | None = None
        try:
            outcome = plan.compute(namespace)
            seconds = perf_counter() - began
            if self.options.trial is not None:
                self.options.trial.observe(plan, outcome)
            elif not plan.checked:
                outcome = self._checked(plan, outcome, namespace)
                numpy_us = outcome.recording.numpy_seconds * 1e6
                self._judge(plan, namespace, Times(numpy_us, seconds * 1e6))
                self.rest.allowance.spend(perf_counter() - began - seconds)
                if plan.state != "ready":
                    return None
            values = outcome.commit()
        except PythonRaisesError:
            plan.recording.forget()
            return None
        except CheckFailedError:
            self._give_way(plan, namespace)
            return None
        except DifferenceError:
            raise
        except Exception as error:
            counters.fallbacks += 1
            plan.state = "numpy"
            plan.note = f"running failed: {type(error).__name__}: {_first_line(error)}"
            return None
        finally:
            if values is None and outcome is not None:
                outcome.undo()
        plan.runs += 1
        plan.failures = 0
        if not plan.hastened and plan.state == "ready":
            self._hasten(plan, namespace)
        counters.dispatches += 1
        best = plan.timings.get("compiled_us", float("inf"))
        plan.timings["compiled_us"] = min(best, seconds * 1e6)
        return values

    def _give_way(self, plan: Plan, namespace: Namespace) -> None:
        """NumPy must run for these values: it warns, raises, or gives what the graph cannot."""
        plan.recording.forget()
        counters.fallbacks += 1
        plan.failures += 1
        plan.note = "NumPy ran once: what was compiled does not hold for these values"
        if plan.meets_new_values(namespace):
            # Recorded again, with NaN and infinity among its inputs, it will hold.
            plan.state = "numpy"
            self.plans[plan.start].remove(plan)
        elif plan.failures >= MAX_FAILURES:
            plan.state = "numpy"
            plan.note = f"NumPy warns or raises here: so it did {plan.failures} times in a row"

    def _checked(self, plan: Plan, outcome: Outcome, namespace: Namespace) -> Outcome:
        """Compare the first outcome with NumPy's, as the setting asks."""
        plan.checked = True
        if settings.first_run_check == "off":
            plan.recording.forget()
            return outcome
        if not plan.recording.remembers:
            with outcome.streams.rewound():
                again = self._dry_run(plan.start, namespace, plan.recording.end)
            if again is None or again.stop != plan.stop:
                plan.state, plan.note = "numpy", "a second recording took another path"
                return outcome
            outcome.recording = again
        differences = outcome.differences()
        outcome.recording.forget()
        if differences:
            if settings.first_run_check == "raise":
                raise DifferenceError("; ".join(differences))
            counters.replaced += 1
            plan.state = "numpy"
            plan.note = f"NumPy's result was kept: {differences[0]}"
        return outcome

    def _judge(self, plan: Plan, namespace: Namespace, cold: Times) -> None:
        """In automatic mode, keep NumPy where it is faster.

        Both sides are warm then, unless they take so long that it does not matter.
        """
        if settings.tier != "auto" or plan.state != "ready":
            return
        times = cold if is_decided(cold) else contest(plan, namespace)
        plan.timings["numpy_us"] = times.numpy_us
        plan.timings["compiled_us"] = times.compiled_us
        self.rest.changes += 1
        judge(plan)


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else "no message"
