"""What is known about a loop: its native forms, and what becomes of the next run."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator, Sequence
from time import perf_counter
from types import FrameType
from typing import TYPE_CHECKING, Any

from jupyter_npcompile.cell import Loop
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.loop_code import FINISHED, LEFT, RETURNED
from jupyter_npcompile.runtime import translations
from jupyter_npcompile.runtime.check import DifferenceError
from jupyter_npcompile.runtime.devices import CPU
from jupyter_npcompile.runtime.earlier import Earlier
from jupyter_npcompile.runtime.iterators import Remaining, remaining
from jupyter_npcompile.runtime.loop_check import Prediction, Written, predict
from jupyter_npcompile.runtime.loop_compile import Job, LoopCompile, no_constants
from jupyter_npcompile.runtime.loop_form import Form, size_of_run
from jupyter_npcompile.runtime.loop_run import UNLIMITED, NativeRun
from jupyter_npcompile.runtime.mishaps import described
from jupyter_npcompile.runtime.namespace import FrameNamespace
from jupyter_npcompile.runtime.planning import resume
from jupyter_npcompile.runtime.policy import Options, is_open, loops_when
from jupyter_npcompile.runtime.selector.rest import Rest
from jupyter_npcompile.runtime.selector.thresholds import ALWAYS, FAR, LONG_ITERATION, NARROW
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.runtime.ticket import Ticket

if TYPE_CHECKING:
    from jupyter_npcompile.runtime.frame import Frame
    from jupyter_npcompile.runtime.plan import Plan
    from jupyter_npcompile.runtime.state import RegionState

MAX_FORMS = 4
"""Native forms of a loop, for different types of its names."""

MAX_REFUSALS = 8
"""Runs in a row that native code leaves to NumPy, before it is left alone."""


MOST_SPARED = 5
"""How often a segment in a loop is put off: what Python meets time and again is not native code's,
whatever that does for other runs of the loop."""


class LoopState:
    """The native forms of a loop.

    Parameters
    ----------
    loop : Loop
        The loop.
    options : Options
        How its cell is compiled.
    outer : LoopState or None
        Of the loop around it: this one is only looked at when that has no native form.
    in_module : bool
        Whether names that it binds are global, and may stay unbound.

    Attributes
    ----------
    active : bool
        Whether it is looked at.
    closed : str
        Why it has no native form; empty while it may have one.
    rest : Rest
        Of the function, or the run of a cell, that it is a part of.
    gave_way : bool
        Whether the last run was left to Python, and to segments.

    Notes
    -----
    What names are when a loop begins decides what is compiled. Where that is declined, it is asked
    once more when an iteration is over (`may_be_asked_again`), and such a form takes over from the
    second iteration on, in later runs, too. In later runs names may be of other types (`wake`).
    """

    def __init__(
        self, loop: Loop, options: Options, outer: LoopState | None, *, in_module: bool
    ) -> None:
        self.loop = loop
        self.options = options
        self.inner: list[LoopState] = []
        self.in_module = in_module
        self.closed = "" if loop.native else "it holds what native loops do not have"
        self.active = loop.native and outer is None
        if outer is not None:
            outer.inner.append(self)
            self.active = loop.native and bool(outer.closed)
        self.rest = Rest(())
        self.forms: list[Form] = []
        self.entries = 0
        self.busy = 0.0
        self.open = 0
        self.note = ""
        self.compile_seconds = 0.0
        self.gave_way = False
        self.mark = ""
        self._marked: float | None = None
        self._ticket: Ticket | None = None
        self._spared: list[tuple[weakref.ref[RegionState], Plan]] = []
        self._first: dict[str, Any] | None = None
        self._begins_late = False
        self._declined: list[dict[str, Any]] = []
        self._next_look = 1
        self._beside: tuple[Form, tuple[int, ...], int] | None = None
        self._watched: tuple[Form, tuple[int, ...], int] | None = None

    # -- what the skeleton asks

    def enter(self, frame: Frame, pyframe: FrameType, iterator: Iterator[Any] | None) -> bool:
        """The loop begins; whether native code has run."""
        self.entries += 1
        self.open += 1
        when = loops_when(self.options)
        if when == "never":
            return False
        namespace = FrameNamespace(pyframe)
        if self._declined and self.closed and not self._is_reopened(namespace, iterator):
            return False
        for form in self.forms:
            form.looks += 1
        if not self.forms and when == "now":
            self._consider(namespace, iterator, wait=True)
        job = None
        if self.entries == 1:
            self.mark = translations.mark_of(pyframe.f_code, self.loop.id)
            self._marked = translations.marked(self.mark) if when == "later" else None
        if not self.closed and translations.is_due(self._marked, self.busy):
            self._marked = None
            job = None if self.forms else self._recall(namespace, iterator)
        self._beside = None
        if self._is_to_be_captured:
            return False
        if self.forms and self._attempt(frame, namespace, iterator):
            return True
        self._watched = self._beside if self.open == 1 else None
        if self._begins_late or self.may_be_asked_again:
            self.rest.offer(self.loop.id, True)
        if when == "later" and self.loop.id not in frame.predictions and self._needs_form():
            self._consider(namespace, iterator, job)
        return False

    def leave(self, seconds: float) -> None:
        """The loop is over, one way or the other."""
        self.open -= 1
        self.busy += seconds
        if self._watched is not None:
            (form, size, count), self._watched = self._watched, None
            if form.selector.gains(size, seconds, count):
                self.gave_way = False
                self.rest.end()

    def goes_on(self, frame: Frame, pyframe: FrameType, iterator: Iterator[Any] | None) -> bool:
        """An iteration is over; whether native code has run the next ones."""
        number = self.loop.id
        namespace = FrameNamespace(pyframe)
        prediction = frame.predictions.pop(number, None)
        if prediction is not None:
            self.compare(prediction, namespace)
        if self.may_be_asked_again:
            self._ask_again(namespace, iterator)
        if self._attempt(frame, namespace, iterator):
            return True
        frame.leaves = self.rest.hopeless[number] and number not in frame.predictions
        if number not in frame.predictions:
            self.rest.offer(number, False)
        return False

    @property
    def _is_to_be_captured(self) -> bool:
        """Whether Python runs an iteration first, though a form may be known from earlier days.

        Who compiles ahead wants to look at the captured graph, too.
        """
        return self.options.ahead and self.entries == 1 and is_open(self.options)

    # -- running

    def _attempt(
        self, frame: Frame, namespace: FrameNamespace, iterator: Iterator[Any] | None
    ) -> bool:
        """Run what is left of the loop, if a form fits."""
        try:
            left = None if iterator is None else remaining(iterator)
        except Declined:
            return False
        count = UNLIMITED if left is None else left.count
        if count == 0:
            return False
        for form in reversed(self.forms):
            if form.refusals >= MAX_REFUSALS or form.kind != (left and left.kind):
                continue
            redefined = form.fits(namespace)
            if redefined is None:
                continue
            try:
                values = form.code.values(namespace, redefined)
            except LookupError:
                continue
            size = size_of_run(left, values)
            if form.selector.has_lost(size) and not self._goes_first(frame, form, size):
                self.gave_way = True
                # How often a ``while`` goes round shows afterwards: as often as last time, say.
                usual = form.selector.counts.get(size, 0) if count == UNLIMITED else count
                if usual:
                    self._beside = form, size, usual
                continue
            if settings.first_run_check == "off":
                form.checked = True
            unmeasured = is_open(self.options) and not form.selector.is_measured(size)
            if not form.checked or unmeasured:
                predicted = self._predict(frame, form, values, left, size)
                if predicted or not form.checked:
                    return False
            frame.drop_copies()
            run = NativeRun(form, size, self._far(frame), namespace, redefined, iterator)
            if self._run(frame, run, values, left, namespace):
                return True
        return False

    def _goes_first(self, frame: Frame, form: Form, size: tuple[int, ...]) -> bool:
        """Whether a form runs though segments have their turn: there are none, or none yet."""
        if not form.selector.has_turns(size):
            return False
        if frame.is_numpy(self.loop.id):
            return form.selector.end_turns(size)
        if not form.selector.leads(size) or frame.hopes_for_device(self.loop.id):
            return False
        return frame.is_awaited(self.loop.id)

    def _run(
        self,
        frame: Frame,
        run: NativeRun,
        values: list[Any],
        left: Remaining | None,
        namespace: FrameNamespace,
    ) -> bool:
        form = run.form
        frame.wait_for_names()
        if not run.go(values, left, tries=is_open(self.options)):
            frame.hear()
            return False
        frame.stop = run.stopped
        frame.leaves = run.stopped is not None or not run.goes_on
        if run.status == RETURNED:
            frame.give_back(run.results[0])
        else:
            found = dict(form.code.fixed)
            found.update(zip(form.code.outputs, run.results, strict=True))
            # Python runs an ``else`` itself, after no iteration.
            ended = run.status == FINISHED and not self.loop.node.orelse
            frame.over = run.status == LEFT or ended
            frame.finish(self.loop, found, run.rest, namespace)
        try:
            self._ran(run)
        except Exception as error:  # all has happened: it must not happen again
            self.fail(error)
        return True

    def _ran(self, run: NativeRun) -> None:
        """Native code has run, and its results are bound: see who is faster."""
        form = run.form
        form.refusals = 0
        if not form.iterations:
            self.rest.end()
        seconds = run.seconds / run.total
        form.ran(run.size, run.total, seconds)
        if form.selector.latest.python < float("inf"):
            self.rest.saved += run.total * (form.selector.latest.python - seconds)
        self.gave_way = run.falls_short
        if run.falls_short or (
            is_open(self.options) and form.selector.loses(run.size, seconds, run.far)
        ):
            self._give_way()
        counters.dispatches += 1
        self.rest.ran = True
        if self._spared and not self._spares_segments:
            self._spare_no_more()

    @property
    def gives_way(self) -> bool:
        """Whether all of the function, with the loop in it, comes first, or is clearly ahead."""
        return self.rest.hope() in ("sought", "clear")

    is_remembered = True

    # -- what is compiled of it besides

    @property
    def _spares_segments(self) -> bool:
        """Whether segments in it need no code, as far as is known.

        Where an iteration is short in Python, no segment is faster than native code.
        """
        forms = [form for form in self.forms if form.refusals < MAX_REFUSALS]
        if self.closed or not forms or self.options.device != CPU:
            return False
        return not any(form.selector.segments_may_gain for form in forms)

    def spare(self, state: RegionState, plan: Plan) -> bool:
        """Put the compile of a plan in it off, if it may never be needed; whether that was done.

        It goes on when the loop turns out to need it, or when Python meets the statements again.
        """
        is_long = plan.timings.get("numpy_us", 0.0) > LONG_ITERATION * 1e6
        if is_long or plan.spared >= MOST_SPARED or not self._spares_segments:
            return False
        plan.spared += 1
        plan.state = "held"
        if all(other is not plan for _, other in self._spared):
            self._spared.append((weakref.ref(state), plan))
        return True

    def _spare_no_more(self) -> None:
        spared, self._spared = self._spared, []
        for known, plan in spared:
            if (state := known()) is not None and plan.state == "held":
                resume(state, plan)
                if plan.state == "held":  # another one is being compiled: it comes later
                    self._spared.append((known, plan))

    # -- checking

    def _predict(
        self,
        frame: Frame,
        form: Form,
        values: list[Any],
        left: Remaining | None,
        size: tuple[int, ...],
    ) -> bool:
        """Have native code say what the next iteration will do; whether it has."""
        arguments = () if left is None else left.arguments
        written = Written(form, values, arguments)
        if not written.fits:
            if not form.checked:
                self.forms.remove(form)
                self._declined.clear()
                self.close("what it writes is too large to be checked")
            return False
        allowance = self.rest.allowance
        waits = loops_when(self.options) == "now"
        copied = 5 * written.nbytes
        if not (waits or form.affords(copied) or allowance.is_enough_for_copying_once(copied)):
            return False
        frame.drop_copies()
        began = perf_counter()
        prediction = predict(form, values, arguments, written, self.rest.changes)
        allowance.spent += perf_counter() - began
        if prediction is None:
            return False
        prediction.size = size
        self.rest.offer(self.loop.id, True)
        frame.predictions[self.loop.id] = prediction
        prediction.began = perf_counter()
        return True

    def compare(self, prediction: Prediction, namespace: FrameNamespace) -> None:
        """Compare an iteration that Python has run until now with what native code had said."""
        seconds = perf_counter() - prediction.began
        form = prediction.form
        wrong = prediction.differences(namespace)
        if wrong:
            if settings.first_run_check == "raise":
                raise DifferenceError(f"lines {self.loop.lines}: {wrong[0]}")
            counters.replaced += 1
            self.forms.remove(form)
            self._declined.clear()
            self.close(f"NumPy's result was kept: {wrong[0]}")
            return
        form.checked = True
        clean = self.rest.changes == prediction.changes
        form.selector.time(prediction.size, seconds if clean else None, prediction.seconds)

    # -- compiling

    def _recall(self, namespace: FrameNamespace, iterator: Iterator[Any] | None) -> Job | None:
        """Begin with what an earlier kernel has found out about the loop; what it was asked for."""
        try:
            job = self._job(namespace, iterator)
        except Declined:
            return None  # `_consider` meets it, too
        earlier = Earlier.of(job, namespace)
        if earlier.is_declined:
            self._let_inner()
        elif (compile := earlier.compile(self)) is not None:
            self.abandon()  # it would translate what is there
            self._first, self._ticket = job.kinds, compile.ticket
            compile.recall()
        return job

    def _consider(
        self,
        namespace: FrameNamespace,
        iterator: Iterator[Any] | None,
        job: Job | None = None,
        *,
        wait: bool = False,
    ) -> None:
        """Have a native form made, in the background unless the user's code waits."""
        try:
            job = job or self._job(namespace, iterator)
        except Declined as reason:
            self.close(reason.reason)
            return
        if not wait and not self.forms:
            self._first = job.kinds
        self._submit(job, wait=wait)

    def _job(self, namespace: FrameNamespace, iterator: Iterator[Any] | None) -> Job:
        # A constant that has changed may change again.
        is_first = not self.forms
        return Job.of(
            self.loop,
            namespace,
            iterator,
            in_module=self.in_module,
            constants=namespace.is_global if is_first else no_constants,
            lengths=is_first,
        )

    def _submit(self, job: Job, *, wait: bool = False) -> None:
        compile = LoopCompile(self, job, waited=wait)
        self._ticket = compile.ticket
        began = perf_counter()
        compile.run() if wait else compile.submit()
        if wait:
            self.rest.allowance.spent += perf_counter() - began

    @property
    def may_be_asked_again(self) -> bool:
        """Whether there is no native form for what names were when the loop began.

        They may be something else when an iteration is over: ``best = None``, and then a number.
        """
        return bool(self.closed) and self._first is not None and not self._begins_late

    def _ask_again(self, namespace: FrameNamespace, iterator: Iterator[Any] | None) -> None:
        with contextlib.suppress(Declined):
            job = self._job(namespace, iterator)
            if job.kinds != self._first:
                self._begins_late = True
                self._submit(job)
                return
        self._first, self.active = None, False

    @property
    def is_declined(self) -> bool:
        """Whether there is no native code for the types that it has met, and may be for others."""
        return bool(self.closed) and 0 < len(self._declined) < MAX_FORMS

    def wake(self) -> None:
        """A run begins that looks at everything again."""
        self.active = self.active or self.is_declined

    def _is_reopened(self, namespace: FrameNamespace, iterator: Iterator[Any] | None) -> bool:
        """Whether the loop, for which there is no native code, may be asked all the same.

        It may while `may_be_asked_again`, or where names are of types that nobody has declined.
        """
        if self.may_be_asked_again:
            return True
        self.active = False
        with contextlib.suppress(Declined):
            kinds = self._job(namespace, iterator).kinds
            if kinds not in self._declined:
                self.closed, self._first, self._begins_late = "", kinds, False
                self._next_look, self.active = self.entries, True
        return self.active

    def _needs_form(self) -> bool:
        """Whether another native form may help: none fits, and it is not looked for too often."""
        if self.closed or self.is_compiling or len(self.forms) >= MAX_FORMS:
            return False
        if self.entries < self._next_look:
            return False
        usable = [form for form in self.forms if form.refusals < MAX_REFUSALS]
        if usable and any(form.selector.lost or not form.checked for form in usable):
            return False
        self._next_look = 2 * self.entries
        return True

    @property
    def is_compiling(self) -> bool:
        """Whether a form is being compiled, or waits for that."""
        return self._ticket is not None and not self._ticket.cancelled

    @property
    def is_untried(self) -> bool:
        """Whether there is native code that has had no turn: no verdict was about it."""
        return any(form.is_untried for form in self.forms)

    def compiled(self, outcome: Form | str | None, seconds: float) -> None:
        """A compile is over.

        Parameters
        ----------
        outcome : Form, str or None
            The form, why there is none, or None when it was given up.
        seconds : float
            What it has taken.
        """
        self._ticket = None
        if isinstance(outcome, str):
            self.close(outcome)
            if self._first is not None and self._first not in self._declined:
                self._declined.append(self._first)
            if self.may_be_asked_again:
                self.active = True
                self.rest.offer(self.loop.id, True)
        elif outcome is None:
            self._begins_late &= not self.closed
        else:
            self.closed, self._first = "", None
            self.compile_seconds = seconds
            self.forms.append(outcome)
            self.rest.end()
            self.rest.offer(self.loop.id, True)

    def abandon(self) -> None:
        """Nobody will run this loop again: its compile is given up."""
        if self._ticket is not None:
            self._ticket.cancel()

    @property
    def best(self) -> Form | None:
        """The form that has run most; None when none has run."""
        ran = [form for form in self.forms if form.iterations]
        return max(ran, key=lambda form: form.iterations, default=None)

    def _give_way(self) -> None:
        """Python runs loops like this one from now on, and what is compiled of them."""
        self.rest.changes += 1
        self._let_inner()

    def _far(self, frame: Frame) -> float:
        """How far ahead of Python it must be."""
        if frame.hopes_for_device(self.loop.id):
            return ALWAYS
        return NARROW if self.inner else FAR

    def _let_inner(self) -> None:
        for state in self.inner:
            state.active = state.loop.native and not state.closed

    def fail(self, error: Exception) -> None:
        """Something of ours has failed: Python runs the loop from now on."""
        self._first, self._begins_late = None, False
        self._declined.clear()
        self.forms.clear()
        self.close(described(error))

    def close(self, reason: str) -> None:
        """It has no native form; perhaps the loops in it have."""
        self.note = reason
        if self.forms:
            return
        self.closed = reason
        self.active = False
        self._let_inner()


def loop_states(
    loops: Sequence[Loop], options: Options, regions: Sequence[RegionState], *, in_module: bool
) -> list[LoopState]:
    """A state for each loop of a cell or function; its regions know it."""
    made: list[LoopState] = []
    for loop in loops:
        outer = None if loop.outer is None else made[loop.outer]
        made.append(LoopState(loop, options, outer, in_module=in_module))
        for region in loop.regions:
            regions[region].loops.append(weakref.ref(made[-1]))
    return made
