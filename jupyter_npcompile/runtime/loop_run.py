"""A run of a loop in native code, which stops between pieces to let Python look around."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import perf_counter
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.loop_code import FINISHED, LEFT, NOTHING, PAUSED, REFUSED, RETURNED
from jupyter_npcompile.loops.records import reached
from jupyter_npcompile.loops.redefined import Redefined
from jupyter_npcompile.runtime.iterators import Remaining, advance, later, remaining
from jupyter_npcompile.runtime.loop_form import Form
from jupyter_npcompile.tracer import interrupts

UNLIMITED = 1 << 39
"""Iterations of a ``while``."""


@dataclass
class NativeRun:
    """What is left of a loop, run by one of its forms.

    Parameters
    ----------
    form : Form
        The form.
    size : tuple of int
        How large the run is.
    far : float
        How many times as fast as Python the form must be.
    namespace : mapping
        The names around the loop.
    redefined : mapping
        Functions that were defined anew since it was translated.
    iterator : iterator or None
        The one that Python's loop holds; None for a ``while``.
    total : int
        Iterations that have run.
    seconds : float
        What they have taken.
    results : tuple
        Of the last piece.
    status : int
        How that has ended.
    rest : iterator or None
        What Python goes on with.
    stopped : BaseException or None
        What somebody who has interrupted it wants to be raised when names are bound.
    falls_short : bool
        Whether a trial has shown that Python is faster.
    """

    form: Form
    size: tuple[int, ...]
    far: float
    namespace: Mapping[str, Any]
    redefined: Redefined
    iterator: Iterator[Any] | None
    total: int = 0
    seconds: float = 0.0
    results: tuple[Any, ...] = ()
    status: int = PAUSED
    rest: Iterator[Any] | None = None
    stopped: BaseException | None = None
    falls_short: bool = False

    @property
    def goes_on(self) -> bool:
        """Whether there are iterations left, for Python."""
        return self.status == PAUSED

    def go(self, values: list[Any], left: Remaining | None, *, tries: bool) -> bool:
        """Run, while signals are held; whether anything has run.

        Parameters
        ----------
        values : list
            Of the form's inputs.
        left : Remaining or None
            What the iterator has left.
        tries : bool
            Whether it begins with a trial, where it is not known how fast the form is.

        Raises
        ------
        BaseException
            What the handler of a signal raises, when nothing has run before it.
        """
        began = perf_counter()
        self.rest = self.iterator
        count = UNLIMITED if left is None else left.count
        trial = self.form.selector.trial(self.size, count) if tries else count
        while self.status == PAUSED and self._piece(min(trial, count - self.total), values, left):
            if self.status == FINISHED and left is not None and self.total < count:
                self.status = PAUSED  # that was the trial
            if self.status != PAUSED or self.stopped is not None:
                break
            if trial < count:
                trial = count
                taken = (perf_counter() - began) / self.total
                if self.form.selector.falls_short(self.size, taken, self.far):
                    self.falls_short = True
                    break
            values = self._following(values)
            left = None if self.rest is None else remaining(self.rest)
            count = self.total + (UNLIMITED if left is None else left.count)
        if not self.total:
            if self.stopped is not None:
                raise self.stopped
            return False
        if self.goes_on and self.iterator is not None:
            # Python goes on with the iterator that its loop holds.
            advance(self.iterator, self.total)
            self.rest = self.iterator
        self.seconds = perf_counter() - began
        return True

    def _piece(self, count: int, values: list[Any], left: Remaining | None) -> bool:
        """Run so many iterations at most; False where none has run."""
        form = self.form
        arguments = () if left is None else left.arguments
        found, self.stopped = interrupts.run(form.run, count, *arguments, *values, *form.code.hosts)
        if not found:
            return False
        (answer,) = found
        if answer is None or answer[0] in (REFUSED, NOTHING):
            if answer is not None and answer[0] == REFUSED:
                form.refusals += 1
            return False
        self.status, done, self.results = answer[0], answer[1], answer[2:]
        form.code.show()
        self.total += done
        if self.rest is not None and self.status not in (LEFT, RETURNED):
            self.rest = later(self.rest, done)
        return True

    def _following(self, values: list[Any]) -> list[Any]:
        """The inputs of the next piece."""
        code = self.form.code
        known = dict(zip(code.outputs, self.results, strict=True))
        return [
            reached(code.paths[name], self.namespace, self.redefined)
            if name in code.paths
            else known.get(name, value)
            for name, value in zip(code.inputs, values, strict=True)
        ]
