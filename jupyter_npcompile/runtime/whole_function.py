"""A whole function as one piece of native code: loops, and what is around them.

A function whose loops run natively still asks a guard before each of its other
statements, and binds what each loop has computed. For small arrays that takes
longer than the work. So a function that holds nothing but what native loops may
hold is translated, first of all, as a loop that runs once, with its ``return`` in
it. A function without loops is, too, when it has been called a few times: its
arrays need not be handed from operation to operation. Calls are timed, in turns
with those with guards, and the faster way is kept.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from types import FrameType
from typing import Any

from jupyter_npcompile.cell import FunctionProgram, Loop
from jupyter_npcompile.cell.names import bound_names, local_names
from jupyter_npcompile.cell.syntax import every_argument, extent, load, point, store
from jupyter_npcompile.cell.twins import is_plain
from jupyter_npcompile.loops.loop_code import FINISHED, REFUSED, RETURNED
from jupyter_npcompile.loops.sequences import Numbers
from jupyter_npcompile.runtime import loop_store, translations
from jupyter_npcompile.runtime.alignment import Aligned
from jupyter_npcompile.runtime.check import DifferenceError
from jupyter_npcompile.runtime.compile_worker import start_soon
from jupyter_npcompile.runtime.earlier import Earlier
from jupyter_npcompile.runtime.loop_check import Prediction, Written, taken_back
from jupyter_npcompile.runtime.loop_compile import Job, LoopCompile, no_constants
from jupyter_npcompile.runtime.loop_form import Form
from jupyter_npcompile.runtime.loop_inputs import Take, taker
from jupyter_npcompile.runtime.loop_state import MAX_FORMS, MAX_REFUSALS, LoopState
from jupyter_npcompile.runtime.mishaps import described, is_ours
from jupyter_npcompile.runtime.namespace import FrameNamespace, forget_locals
from jupyter_npcompile.runtime.selector.back_off import BackOff
from jupyter_npcompile.runtime.selector.rest import Hope, Rest
from jupyter_npcompile.runtime.selector.selector import Bucket, Selector, Turn, size_of
from jupyter_npcompile.runtime.selector.thresholds import SHORT, TICK
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.sharing import are_new, arrays_in, shares
from jupyter_npcompile.runtime.shortcut import Handle, Native, reaches, shortcut
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.runtime.ticket import Ticket

LONGEST = 0.2
"""Seconds that its loops may take in a call, for all of it to be tried."""

FEWEST = 3
"""Calls of a function without loops, before anything is compiled for it."""

FEWEST_AHEAD = 1
"""The same where calls wait for it."""

MOMENT = 0.025
"""Seconds that the first call of a function with loops waits for a compile worker to begin."""

LONGEST_PAUSE = 64
"""Calls between two of the other side, or of native code, that say nothing, at the most."""

MISSES = 8
"""Calls in a row for which no form is made, before not every call is looked at."""

LARGE = 1 << 20
"""Bytes of a result that is compared by samples: both sides would need memory."""

CLEAR = 2.0
"""How many times as long as native code NumPy must take, for nothing else to be compiled."""

TIMES, PATIENCE = 5, 0.05
"""How often it runs to show how long it takes, and seconds after which that will do."""

ONCE = (0, 1)
"""What a loop goes through that runs once: its first number, and the step."""

RESULT = "<return>"

_FAILED = object()


class WholeFunction:
    """The native forms of a function as a whole.

    Parameters
    ----------
    loop : Loop
        Its body, as a loop that runs once.
    own : frozenset of str
        Its local names.
    parameters : sequence of str
        Those of them that it is called with.
    loops : sequence of LoopState
        The loops in it.
    rest : Rest
        Of the function.
    ahead : bool
        Whether calls wait for compiles.

    Attributes
    ----------
    closed : str
        Why it has no native form; empty while it may have one.
    is_ready : bool
        Whether anything was compiled.
    is_sought : bool
        Whether there is no native form yet, and may be one.
    refused : bool
        Whether the shortcut has left the call to NumPy that is about to begin.
    fits : bool
        Whether a form was for the latest call, as far as one has come here.
    """

    def __init__(
        self,
        loop: Loop,
        own: frozenset[str],
        parameters: Sequence[str],
        loops: Sequence[LoopState],
        rest: Rest,
        *,
        ahead: bool = False,
    ) -> None:
        self.loop = loop
        self.ahead = ahead
        self.closed = ""
        self.is_ready, self.is_sought, self.refused = False, True, False
        self.fits = True
        self._shortcuts: dict[int, Native | None] = {}
        self._taken: tuple[tuple[Form, Take], ...] = ()
        self._own = own
        self._parameters = tuple(parameters)
        self._loops = [state for state in loops if state.loop.outer is None]
        self._rest = rest
        self._selector = Selector()
        self._sizes: tuple[int, ...] = ()
        self._beginnings = 0
        self._told: tuple[Bucket | None, int] = (None, 0)
        self._unheard, self._misses = BackOff(), BackOff()
        self._has_waited = False
        self._ticket: Ticket | None = None
        self._job: Job | None = None
        self.mark = ""
        self._marked: float | None = None
        self._declined: list[dict[str, Any]] = []
        self._kinds: dict[str, Any] = {}
        self._next_look = 1 if self._loops else FEWEST_AHEAD if ahead else FEWEST
        self._looks = 0
        self._began = 0.0

    @classmethod
    def of(
        cls,
        program: FunctionProgram,
        loops: Sequence[LoopState],
        rest: Rest,
        *,
        ahead: bool = False,
    ) -> WholeFunction | None:
        """The one of a function, if it holds array work, and only what native loops may hold."""
        outer = [state for state in loops if state.loop.outer is None]
        if not (outer or program.regions) or not all(state.loop.native for state in outer):
            return None
        node = program.node
        place, point_ = extent(node), point(node)
        once = ast.For(
            target=store("0once", point_),
            iter=load("range", point_),
            body=node.body,
            orelse=[],
            type_comment=None,
            **place,
        )
        if not is_plain(once, in_function=True):
            return None
        body = Loop(-1, once, range(0), None, True, bound_names(node.body), ())
        parameters = [arg.arg for arg in every_argument(node.args)]
        own = local_names(node) | set(program.free_names)
        return cls(body, own, parameters, loops, rest, ahead=ahead)

    @property
    def forms(self) -> list[Form]:
        """What was compiled."""
        return [form for form, _ in self._taken]

    @property
    def busy(self) -> float:
        """Seconds that its loops have run; without loops, since it was worth a look."""
        if not self._loops:
            return perf_counter() - self._began
        return sum(state.busy for state in self._loops)

    @property
    def open(self) -> int:
        """How many of its loops are running."""
        return sum(state.open for state in self._loops)

    # -- running

    def is_asked(self) -> bool:
        """Whether native code, which is there, may run this call: it has not lost."""
        if self.refused:
            self.refused = False
            return False
        if self._misses.rests():
            return False
        selector = self._selector
        return not (selector.written and selector.is_blind())

    @property
    def gives_way(self) -> bool:
        """It is part of nothing."""
        return False

    @property
    def is_remembered(self) -> bool:
        """Whether it is known how long its loops take in Python."""
        return bool(self._loops)

    @property
    def hope(self) -> Hope:
        """Whether all of it runs natively, or may do so yet."""
        if self.has_lost or not self.fits:
            return ""
        if self.is_ready and self._selector.lead:
            return "clear" if self._selector.lead >= CLEAR else "ready"
        return "sought" if self.is_ready or (self.is_sought and not self.closed) else ""

    @property
    def has_lost(self) -> bool:
        """Whether native code has lost."""
        return self._selector.written

    def shortcut(self, handle: Handle, names: dict[str, Any]) -> Native | None:
        """What the next calls may take, after one that native code has run.

        Parameters
        ----------
        handle : Handle
            Who offers it.
        names : dict of str to object
            Global names of the function.
        """
        form = self._rest.whole
        if form is not None and form.note is not None and self._selector.lead:
            form.note.tell(self._selector.lead)
        if form is None or self._selector.written or not form.checked or form.calls is None:
            return None
        if id(form) not in self._shortcuts:
            made = None
            if reaches(form, self._own, self._parameters):
                made = shortcut(form, self._parameters, names, handle, self)
            self._shortcuts[id(form)] = made
        native = self._shortcuts[id(form)]
        if native is not None and len(self._sizes) == len(self._parameters):
            native.grant(*self._selector.lend(), self._sizes)
        return native

    def call(self, frame: FrameType, again: Callable[[], Any]) -> tuple[bool, Any, Turn | None]:
        """A call begins.

        Parameters
        ----------
        frame : types.FrameType
            Of the call.
        again : callable
            Makes the same call without this.

        Returns
        -------
        done : bool
            Whether it is over.
        result : object
            What it has returned.
        turn : Turn or None
            To be told how long it takes, when it is not over.
        """
        selector, turn = self._selector, None
        if selector.written or not selector.is_blind():
            if self._beginnings != self._rest.beginnings:
                self._beginnings = self._rest.beginnings
                self._begin_anew()  # it has another opponent now
            turn = selector.turn(frame.f_locals, self._rest.changes)
        gives_way = selector.written if turn is None else turn.written
        if turn is not None and turn.written and self.ahead and self._is_new(turn.bucket):
            gives_way = False  # both sides are timed in this call
        elif turn is not None and turn.written and (self._is_unheard(turn) or self._is_long()):
            gives_way, turn = False, None
        if gives_way:
            self._rest.whole = None
            forget_locals(frame)
            return False, None, turn
        try:
            result = self._run(frame, again, turn)
        finally:
            forget_locals(frame)
        return (False, None, None) if result is _FAILED else (True, result, None)

    def _is_unheard(self, turn: Turn) -> bool:
        """Whether the other side need not run: it records, which takes long and says nothing.

        Its last turn was not timed, as something changed in it: the next one comes later.
        """
        if self._unheard.rests():
            return True
        told = turn.bucket, len(turn.bucket.race.plain)
        if told == self._told and not self._has_waited:
            self._has_waited = True
            self._unheard.vain += 1
            return self._unheard.pause(1, LONGEST_PAUSE)
        if told != self._told:
            self._unheard.vain = 0
        self._told, self._has_waited = told, False
        return False

    def _is_new(self, bucket: Bucket) -> bool:
        """Whether a form was made, has not been checked, and nothing is known of calls like it."""
        return bucket.is_new and not all(form.checked for form, _ in self._taken)

    def _is_long(self) -> bool:
        """Whether no form runs yet, for a call takes too long to be checked: nothing is timed."""
        return not any(form.checked for form, _ in self._taken) and not self._is_brief()

    def _run(self, frame: FrameType, again: Callable[[], Any], turn: Turn | None) -> Any:
        own, names = frame.f_locals, frame.f_globals
        for form, take in reversed(self._taken):
            values = take(own, names) if form.refusals < MAX_REFUSALS else None
            if values is None:
                continue
            if settings.first_run_check == "off":
                form.checked = True
            if not form.checked:
                self._looks += 1
                bucket = None if turn is None else turn.bucket
                self._note_sizes(own)
                return self._check(form, values, again, bucket) if self._is_brief() else _FAILED
            try:
                answer = _answer(form, values)
            except BaseException:
                form.code.show()  # whoever interrupts it when it has run has heard what it prints
                raise
            if answer is None:
                continue  # other types
            if answer[0] in (RETURNED, FINISHED):
                form.refusals = 0
                self._misses.vain = 0
                self.fits = True
                form.iterations += 1
                form.code.show()
                counters.dispatches += 1
                self._rest.whole = form
                if form.calls is not None and turn is None:
                    self._note_sizes(own)
                if turn is not None:
                    turn.bucket.add(False, perf_counter() - turn.began)
                return answer[2] if answer[0] == RETURNED else None
            form.refusals += answer[0] == REFUSED
            self.fits = False
            return _FAILED
        known = len(self._taken)
        self._missed(frame)
        return self._run(frame, again, turn) if len(self._taken) > known else _FAILED

    def _note_sizes(self, own: Mapping[str, Any]) -> None:
        self._sizes = size_of(own[name] for name in self._parameters if name in own)

    def _missed(self, frame: FrameType) -> None:
        """No form is for this call: what is asked in vain costs as much as a small array."""
        self.fits = False
        hopeless = [form.refusals >= MAX_REFUSALS for form in self.forms]
        if all(hopeless):
            self.is_ready = False
        elif not any(hopeless):
            self.consider(frame)
        self._misses.vain += 1
        if not self._is_compiling:
            self._misses.pause(MISSES, min(self._misses.vain, LONGEST_PAUSE))

    def _is_brief(self) -> bool:
        """Whether a call takes so little time that guards matter, and that two are no pain."""
        if all(state.closed for state in self._loops):  # nothing else makes its loops faster
            # Without loops, what passes between two calls is all that is known.
            length = self._length if self._loops else min(self._length, LONGEST)
            return self._rest.allowance.left_in_all > length
        return self._length <= LONGEST

    @property
    def _length(self) -> float:
        """Seconds that its loops take in a call; without loops, from one call to the next."""
        calls = max((state.entries for state in self._loops), default=self._looks)
        return self.busy / max(calls, 1)

    # -- checking

    def _check(
        self, form: Form, values: list[Any], again: Callable[[], Any], bucket: Bucket | None
    ) -> Any:
        """Have native code say what a call does, and compare with what it then does.

        Both are timed, and native code is taken if it is clearly faster. Who has waited for it
        gets it at once, so it is timed well: what runs for the first time is slow.
        """
        written = Written(form, values, ONCE)
        if not written.fits:
            self._drop(form)
            self._close("what it writes is too large to be checked")
            return _FAILED
        answer, contents = taken_back(form, values, ONCE, written)
        given, aligned = values, None
        if answer is None:
            aligned = Aligned.of(form.code, values)
            if aligned is None:
                return _FAILED
            given = aligned.values
            answer, contents = taken_back(form, given, ONCE, written)
        if answer is None:
            return _FAILED
        if answer[0] not in (RETURNED, FINISHED):
            # What it has not done once it will hardly do: two calls are enough.
            form.refusals += (answer[0] == REFUSED) * MAX_REFUSALS // 2
            return _FAILED
        predicted = answer[2] if answer[0] == RETURNED else None
        if aligned is not None:
            predicted = aligned.restored(predicted)
        del answer
        shared = shares(predicted, values)
        prediction = Prediction.of(form, {RESULT: predicted}, contents, values, 0, written)
        made = arrays_in(predicted)
        if sum(array.nbytes for array in made) > LARGE and are_new(made, values):
            prediction.sample(RESULT)
            predicted = None
        del made
        is_known = self.ahead and bucket is not None
        native = _timed(form, given) if is_known else written.seconds
        allowance = self._rest.allowance
        began = perf_counter() - allowance.lost
        result = again()
        seconds = perf_counter() - allowance.lost - began
        try:
            wrong = prediction.differences({RESULT: result})
            if not wrong and shared != shares(result, values):
                wrong = ["what it returns shares memory in another way"]
            if not wrong and seconds > CLEAR * native:
                self._is_ahead(form, bucket, native, seconds, is_known=is_known)
        except Exception as error:  # the call has happened: it must not happen again
            if not is_ours(error):
                raise
            self._drop(form)
            self._close(described(error))
            return result
        if wrong and settings.first_run_check == "raise":
            raise DifferenceError(f"lines {self.loop.lines}: {wrong[0]}")
        if wrong:
            self._drop(form)
            self._close(f"NumPy's result was kept: {wrong[0]}")
            counters.replaced += 1
        form.checked = True
        return result

    def _is_ahead(
        self, form: Form, bucket: Bucket | None, native: float, seconds: float, *, is_known: bool
    ) -> None:
        """The check has shown that native code is clearly ahead."""
        if form.note is not None and seconds > SHORT:
            form.note.tell(seconds / max(native, TICK))
        if bucket is None:
            return
        if is_known:
            bucket.assume(native, seconds)
            self._selector.settle(bucket)
            self._rest.whole = form
        else:
            bucket.expect(native, seconds - native)

    def _begin_anew(self) -> None:
        self._selector.end()
        self._unheard.left = 0  # a new opponent is heard at once
        for native in list(self._shortcuts.values()):
            if native is not None:
                native.left = 0

    def _drop(self, form: Form) -> None:
        self._taken = tuple(pair for pair in self._taken if pair[0] is not form)
        self.is_ready = bool(self._taken)

    def _close(self, reason: str) -> None:
        self.closed, self.is_sought = reason, False
        self._declined.clear()

    # -- compiling

    @property
    def _is_compiling(self) -> bool:
        return self._ticket is not None and not self._ticket.cancelled

    def abandon(self) -> None:
        """Nobody will call it again: its compile is given up."""
        if self._ticket is not None:
            self._ticket.cancel()

    @property
    def is_new(self) -> bool:
        """Whether it is time to ask what an earlier kernel has found out about it.

        To ask takes as long as a short call: without loops, the second call does.
        """
        if self._looks < (0 if self._loops else 1):
            return False
        return not self.mark or translations.is_due(self._marked, self.busy)

    def recall(self, frame: FrameType) -> None:
        """One of the first calls begins: have what an earlier kernel has compiled, if that pays."""
        if not self.mark:
            self.mark = translations.mark_of(frame.f_code, self.loop.id)
            self._marked = translations.marked(self.mark)
            if self._marked is None and self._loops:
                # The worker is ready then, when there is something to compile.
                start_soon(loop_store.store.worker, MOMENT)
        if not translations.is_due(self._marked, self.busy):
            return
        self._marked = None  # it is asked once
        namespace = FrameNamespace(frame)
        job = self._job = self._job_of(namespace)
        earlier = Earlier.of(job, namespace)
        forget_locals(frame)
        if (compile := earlier.compile(self)) is not None:
            self.abandon()  # it would translate what is there
            self._kinds, self._ticket = job.kinds, compile.ticket
            compile.recall()

    def consider(self, frame: FrameType) -> None:
        """No form fits a call that begins: have one made, but not too often."""
        self._looks += 1
        if not self._loops and self._looks == 1:
            self._began = perf_counter()
        if self._is_compiling or len(self._taken) >= MAX_FORMS:
            return
        if self._looks >= self._next_look:
            self._next_look = 2 * self._looks
            self.mark = self.mark or translations.mark_of(frame.f_code, self.loop.id)
            self._compile(FrameNamespace(frame))
            forget_locals(frame)

    def _compile(self, namespace: FrameNamespace) -> None:
        job = self._job if self._looks == 1 and self._job is not None else self._job_of(namespace)
        if job.kinds in self._declined:
            return
        self._kinds, self._job = job.kinds, None  # it holds what was read
        compile = LoopCompile(self, job, waited=self.ahead)
        self._ticket = compile.ticket
        compile.run() if self.ahead else compile.submit()

    def _job_of(self, namespace: FrameNamespace) -> Job:
        # A constant or a length that has changed may change again.
        is_first = not self._taken
        constants = namespace.is_global if is_first else no_constants
        return Job.of_names(
            self.loop, Numbers(), namespace, whole=True, constants=constants, lengths=is_first
        )

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
            if not self.forms:
                declined = [*self._declined, self._kinds]
                self._close(outcome)
                self._declined = declined
                self.is_sought = len(declined) < MAX_FORMS  # for other types, now and then
        elif outcome is not None:
            self.closed = ""
            self._taken = (*self._taken, (outcome, taker(outcome, self._own)))
            self.is_ready, self.is_sought = True, False
            self._misses.clear()
            self.fits = True
            if self.ahead:
                self._next_look = self._looks + 1
            self._begin_anew()
            self._rest.asks()


def _answer(form: Form, values: list[Any]) -> Any:
    """What native code answers; None where the inputs are of other types."""
    answer = form.run(1, *ONCE, *values, *form.code.hosts)
    if answer is not None or (aligned := Aligned.of(form.code, values)) is None:
        return answer
    answer = form.run(1, *ONCE, *aligned.values, *form.code.hosts)
    if answer is None or answer[0] != RETURNED:
        return answer
    return (*answer[:2], aligned.restored(answer[2]))


def _timed(form: Form, values: list[Any]) -> float:
    """Seconds that native code takes when it has run before; what it does is taken back."""
    began, least = perf_counter(), float("inf")
    for _ in range(TIMES):
        written = Written(form, values, ONCE)
        taken_back(form, values, ONCE, written)
        least = min(least, written.seconds)
        if perf_counter() - began > PATIENCE:
            break
    return least
