"""The compile of a loop: given up when what it is for is gone."""

from __future__ import annotations

import contextlib
import time
import weakref
from ast import unparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any, Protocol

from jupyter_npcompile.cell import Loop
from jupyter_npcompile.cell.names import loaded
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.given import Constant, is_fixed, table_of, type_of, with_lengths
from jupyter_npcompile.loops.kinds import ArrayType, Declined
from jupyter_npcompile.loops.loop_code import LoopCode
from jupyter_npcompile.loops.records import DEEPEST, Record
from jupyter_npcompile.loops.sequences import Sequence
from jupyter_npcompile.loops.translation import translate
from jupyter_npcompile.runtime import loop_store, recollections, translations
from jupyter_npcompile.runtime.compile_errors import CancelledError
from jupyter_npcompile.runtime.errors import first_line
from jupyter_npcompile.runtime.iterators import is_own, remaining
from jupyter_npcompile.runtime.loop_form import Form, size_of_run
from jupyter_npcompile.runtime.recollections import Note, Recollection
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.runtime.ticket import Ticket
from jupyter_npcompile.runtime.worker import compiler

WORTH = 0.003
"""Seconds that a loop must have run before anything is compiled for it."""


def no_constants(name: str) -> bool:
    """No name is part of the code because it is written in capitals."""
    return False


@dataclass(frozen=True, slots=True)
class Job:
    """What there is to translate.

    Parameters
    ----------
    loop : Loop
        The loop.
    kind : Numbers, Rows, Together or None
        What a ``for`` goes through.
    known : mapping of str to object
        Types of names, and values of those that are part of the code.
    in_module : bool
        Whether names that it binds are global, and may stay unbound.
    whole : bool
        Whether it is a whole function, which Python will call.
    size : tuple of int
        How large what it begins with is, in powers of two: iterations, and arrays.
    """

    loop: Loop
    kind: Sequence | None
    known: Mapping[str, Any]
    in_module: bool
    whole: bool = False
    size: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        loop: Loop,
        namespace: Mapping[str, Any],
        iterator: Iterator[Any] | None,
        *,
        in_module: bool,
        constants: Callable[[str], bool] = no_constants,
        lengths: bool = False,
    ) -> Job:
        """What is known about a loop that begins, or goes on.

        Parameters
        ----------
        loop : Loop
            The loop.
        namespace : mapping of str to object
            What its names are bound to.
        iterator : iterator or None
            What a ``for`` goes through.
        in_module : bool
            Whether names that it binds are global.
        constants : callable
            Whether a name in capitals is part of the code, if it is a number's.
        lengths : bool
            Whether lengths of arrays are part of the code, if they are probably always the same.

        Raises
        ------
        Declined
            When it goes through what nobody can look into.
        """
        left = None if iterator is None else remaining(iterator)
        if left is not None and not is_own(loop.node.iter, namespace):  # type: ignore[union-attr]
            raise Declined("what it goes through may be an iterator that is used elsewhere")
        job = cls.of_names(
            loop,
            None if left is None else left.kind,
            namespace,
            in_module=in_module,
            constants=constants,
            lengths=lengths,
        )
        return replace(job, size=size_of_run(left, [namespace[name] for name in job.known]))

    @classmethod
    def of_names(
        cls,
        loop: Loop,
        kind: Sequence | None,
        namespace: Mapping[str, Any],
        *,
        in_module: bool = False,
        whole: bool = False,
        constants: Callable[[str], bool] = no_constants,
        lengths: bool = False,
    ) -> Job:
        """What is known about a loop that goes through something of a certain kind."""
        known: dict[str, Any] = {}
        for name in sorted((loaded([loop.node]) | loop.assigned) - loop.rebound):
            if name in namespace:
                value = namespace[name]
                may_be = constants(name) and name not in loop.assigned
                constant = Constant.of(name, value) if may_be else None
                found = constant or known_of(value)
                known[name] = with_lengths(found, value) if lengths else found
        return cls(loop, kind, known, in_module, whole)

    @property
    def kinds(self) -> dict[str, Any]:
        """Types of names, and of what lies in records: without what they are bound to."""
        return _kinds(self.known)

    @property
    def exact(self) -> str | None:
        """Names all that its translation is made from, but for values; None if it is too deep.

        Python writes syntax trees down by functions that call themselves.
        """
        loop, asked = self.loop, (repr(self.kind), self.in_module, self.whole)
        try:
            text = unparse(loop.node)
        except RecursionError:
            return None
        types = {name: _type(found) for name, found in self.known.items()}
        return recollections.key(text, types, sorted(loop.assigned), loop.names, *asked)

    def noted_as(self, exact: str) -> str:
        """Names what earlier kernels have noted about it, see `recollections`."""
        return recollections.key(exact, self.size)

    def translate(self) -> LoopCode:
        """Translate the loop.

        Raises
        ------
        Declined
            When it cannot be translated.
        """
        return translate(
            self.loop.node,
            self.known.__getitem__,
            self.loop.assigned,
            self.loop.names,
            self.kind,
            may_lack=self.in_module,
        )

    def found(self, code: LoopCode) -> Form | None:
        """The form of what was translated, if it lies in the cache.

        Raises
        ------
        OSError
            When it cannot be loaded.
        """
        store = loop_store.store
        run = store.find(code.source)
        calls = store.calls() if self.whole and run is not None else None
        return None if run is None else Form(code, run, self.kind, calls)

    def made(self, code: LoopCode, ticket: Ticket) -> Form:
        """Have what was translated compiled, or find it in the cache.

        Raises
        ------
        CompileFailedError, WorkerError, CancelledError, OSError
            When it cannot be compiled.
        """
        store = loop_store.store
        run = store.make(code.source, ticket)
        return Form(code, run, self.kind, store.calls() if self.whole else None)


def known_of(value: Any, depth: int = DEEPEST) -> Any:
    """What there is to know of a value: itself where it may be part of the code, or its type."""
    if is_fixed(value) or type(value) in (bool, int):
        return value
    return (
        table_of(value)
        or type_of(value)
        or Record.of(value, known_of, depth)
        or _Foreign(type(value))
    )


class _Foreign:
    """Stands for a value of a type that loops do not have."""

    def __init__(self, type: type) -> None:
        self.type = type


def _kinds(known: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _kind(found) for name, found in known.items()}


def _kind(found: Any) -> Any:
    if isinstance(found, Record):
        return found.type, _kinds(found.entries)
    if isinstance(found, _Foreign):
        return found.type
    return found if isinstance(found, ArrayType) else type(found)


def _type(found: Any) -> Any:
    """All that a translation is made from but the value, in words."""
    if isinstance(found, Record):
        return repr(found.type), {name: _type(entry) for name, entry in found.entries.items()}
    if isinstance(found, _Foreign):
        return repr(found.type)
    if isinstance(found, Constant):
        return f"constant {type_of(found.value)!r}"
    return repr(type_of(found) or type(found))


class Compiles(Protocol):
    """What a loop is compiled for."""

    @property
    def busy(self) -> float:
        """Seconds that it has run."""

    @property
    def open(self) -> int:
        """Runs that are not over."""

    @property
    def gives_way(self) -> bool:
        """Whether what it is a part of is compiled first."""

    @property
    def is_remembered(self) -> bool:
        """Whether later kernels are told about it."""

    @property
    def mark(self) -> str:
        """By which they see that there is something to be told, see `translations`."""

    def compiled(self, outcome: Form | str | None, seconds: float) -> None:
        """The compile is over."""


class LoopCompile:
    """The compile of one form of a loop, queued or running.

    It keeps nothing alive: with the last function or cell that could use the
    result, it is cancelled.

    Parameters
    ----------
    state : Compiles
        What is known about the loop.
    job : Job
        What there is to translate.
    waited : bool
        Whether the user's code waits for it.
    code : LoopCode, optional
        Its translation, if an earlier kernel has kept that.
    note : Note, optional
        What earlier kernels have noted.
    """

    def __init__(
        self,
        state: Compiles,
        job: Job,
        *,
        waited: bool = False,
        code: LoopCode | None = None,
        note: Note | None = None,
    ) -> None:
        ticket = self.ticket = Ticket(waited=waited)
        self._state = weakref.ref(state, lambda _: ticket.cancel())
        self._job = job
        self._code = code
        self._note = note
        self._began = perf_counter()

    def submit(self) -> None:
        """Have it done by and by."""
        compiler.submit(self, self.ticket, "loops")

    def run(self) -> None:
        """Have it done, and wait."""
        compiler.run(self, self.ticket)

    def recall(self) -> None:
        """Have what an earlier kernel has compiled, at once; what is not there comes later."""
        try:
            self._outcome(self._found)
        except BaseException:  # the user interrupts it
            self.ticket.cancel()
            raise

    def __call__(self) -> None:
        """Compile; whatever goes wrong is told to the state."""
        if not self.ticket.waited and (self._gives_way() or not self._is_worth_it()):
            self._tell(None)
            return
        form = self._outcome(self._made)
        if self._job.whole and form is not None and form.calls is None:
            # The first on a machine: it runs meanwhile, with Python around it.
            with contextlib.suppress(CancelledError):  # nobody has the function any more
                form.calls = loop_store.store.make_calls(self.ticket)

    def _found(self) -> Form | None:
        assert self._note is not None
        assert self._code is not None
        form = self._job.found(self._code)
        if form is None:
            self.submit()
            return None
        counters.recalled += 1
        form.note, form.credit = self._note, self._note.found.credit
        return form

    def _made(self) -> Form:
        code = self._code or self._translated()
        form = self._job.made(code, self.ticket)
        counters.artifacts += 1
        form.note = self._note
        return form

    def _translated(self) -> LoopCode:
        exact = self._job.exact
        try:
            code = self._job.translate()
        except Declined:
            self._remember(exact, is_declined=True)
            raise
        self._remember(exact, is_declined=False)
        if exact is not None:
            translations.keep(exact, code)
        return code

    def _remember(self, exact: str | None, *, is_declined: bool) -> None:
        """Note for later kernels what became of the loop, and that there is something to read."""
        state = self._state()
        if exact is None or state is None:
            return
        python = max(state.busy, perf_counter() - self._began if state.open else 0.0)
        mark, is_noted = state.mark, state.is_remembered and not self.ticket.waited
        del state
        translations.leave(mark, python)
        if is_noted:
            name = self._job.noted_as(exact)
            self._note = Note(name, Recollection(python, is_declined))
            recollections.remember(name, self._note.found)

    def _outcome(self, get: Callable[[], Form | None]) -> Form | None:
        """Tell the state what comes of it, unless that comes later; the form, if there is one."""
        began, form = perf_counter(), None
        try:
            form = get()
        except CancelledError:
            self._tell(None)
        except Declined as reason:
            where = f"line {reason.line}: " if reason.line else ""
            self._tell(f"{where}{reason.reason}")
        except Exception as error:
            counters.fallbacks += 1
            self._tell(f"{type(error).__name__}: {first_line(error)}")
        else:
            if form is not None:
                self._tell(form, perf_counter() - began)
        return form

    def _gives_way(self) -> bool:
        """Whether all of the function is about to be compiled, with the loop in it."""
        state = self._state()
        return state is not None and not state.open and state.gives_way

    def _is_worth_it(self) -> bool:
        """Whether the loop has run for some time, or goes on."""
        state = self._state()
        if state is not None and state.busy < WORTH:
            del state
            time.sleep(max(0.0, self._began + WORTH - perf_counter()))
            state = self._state()
        if state is None or self.ticket.cancelled:
            return False
        return state.busy >= WORTH or bool(state.open)

    def _tell(self, outcome: Form | str | None, seconds: float = 0.0) -> None:
        state = self._state()
        if state is not None:
            state.compiled(outcome, seconds)
