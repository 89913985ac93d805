"""One native form of a loop, and when it fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.loop_code import LoopCode
from jupyter_npcompile.loops.records import reached
from jupyter_npcompile.loops.redefined import Redefined, is_one_to_one, is_redefined
from jupyter_npcompile.loops.sequences import Sequence
from jupyter_npcompile.runtime.iterators import Remaining
from jupyter_npcompile.runtime.loop_store import Run
from jupyter_npcompile.runtime.recollections import Note
from jupyter_npcompile.runtime.selector.loops import LoopSelector
from jupyter_npcompile.runtime.selector.thresholds import COPIED, TICK
from jupyter_npcompile.runtime.stats import counters

LOOKS = 8
"""Loops that begin before a form that has never fitted is no news any more."""


class Settles(Protocol):
    """Counts calls by itself."""

    def settle(self) -> int:
        """How many have run since this was asked."""


@dataclass(eq=False)
class Form:
    """A native form of a loop.

    Parameters
    ----------
    code : LoopCode
        What was translated.
    run : callable
        What was compiled.
    kind : Numbers, Rows, Together or None
        What a ``for`` goes through.
    calls : callable or None
        Makes a shortcut to it, where it is a whole function; see `shortcut`.
    checked : bool
        Whether an iteration of it was compared with NumPy.
    refusals : int
        Runs in a row that it left to NumPy.
    looks : int
        How often a loop that it might run has begun.
    selector : LoopSelector
        How fast it is.
    counted : int
        Iterations that Python knows to have run here.
    shortcuts : list
        What counts others.
    note : Note or None
        What later kernels are told of it.
    credit : float
        Seconds that it may take to see whether it agrees with Python, besides what a run may lose:
        an earlier kernel knows that it saves more.
    """

    code: LoopCode
    run: Run
    kind: Sequence | None
    calls: Run | None = None
    checked: bool = False
    refusals: int = 0
    looks: int = 0
    selector: LoopSelector = field(default_factory=LoopSelector)
    counted: int = 0
    shortcuts: list[Settles] = field(default_factory=list)
    note: Note | None = None
    credit: float = 0.0

    @property
    def iterations(self) -> int:
        """How many have run here."""
        self.settle()
        return self.counted

    @iterations.setter
    def iterations(self, count: int) -> None:
        self.settle()
        self.counted = count

    def affords(self, nbytes: int) -> bool:
        """Whether its credit is enough to copy so much, once."""
        return not self.checked and nbytes / COPIED <= self.credit

    def settle(self) -> None:
        """Count the calls that have run without Python."""
        for native in self.shortcuts:
            ran = native.settle()
            self.counted += ran
            counters.dispatches += ran

    @property
    def is_untried(self) -> bool:
        """Whether nobody knows yet what it is good for: it is new, and has not run."""
        return not self.iterations and self.looks < LOOKS and self.refusals < LOOKS

    def ran(self, size: tuple[int, ...], count: int, seconds: float) -> None:
        """So many iterations have run here, and each took so long."""
        self.iterations += count
        self.selector.ran(size, count, seconds)
        if self.note is not None:
            self.note.tell(self.selector.latest.python / max(seconds, TICK))

    def fits(self, namespace: Mapping[str, Any]) -> Redefined | None:
        """Whether what was assumed when the loop was translated still holds.

        Returns
        -------
        mapping or None
            Functions that were defined anew, where it does.
        """
        code, now = self.code, dict[FunctionType, FunctionType]()
        try:
            for assumption in code.assumptions:
                value = reached(assumption.path, namespace, now)
                if type(assumption.value) is FunctionType and self._is_again(
                    value, assumption.value
                ):
                    if now.setdefault(assumption.value, value) is not value:
                        return None
                elif not is_same(value, assumption.value):
                    return None
            for one, other in code.apart:
                if reached(one, namespace, now) is reached(other, namespace, now):
                    return None
        except (LookupError, AttributeError):
            return None
        if not is_one_to_one(now):
            return None
        for function, compiled, defaults in code.codes:
            found = now.get(function, function)
            if found.__code__ is not compiled or not is_same(found.__defaults__, defaults):
                return None
        return now

    def _is_again(self, value: Any, expected: FunctionType) -> bool:
        """Whether a function is the same, or does the same and is nowhere but in the text."""
        if value is expected:
            return True
        held = [*self.code.fixed.values(), *(getattr(it, "function", it) for it in self.code.hosts)]
        return not any(it is expected for it in held) and is_redefined(value, expected, is_same)


def is_same(value: Any, expected: Any) -> bool:
    """Whether a value is what was expected: the same object, or a constant that is equal."""
    if value is expected:
        return True
    if type(value) is not type(expected):
        return False
    if type(value) in (tuple, list):  # a list that is expected is a copy that nobody else has
        return len(value) == len(expected) and all(map(is_same, value, expected))
    if isinstance(value, np.generic):
        return bool(value.tobytes() == expected.tobytes())
    # Zeros of either sign are equal, and NaN is not: their texts tell.
    return type(value) in _PLAIN and repr(value) == repr(expected)


_PLAIN = (bool, int, float, complex, str)


def size_of_run(left: Remaining | None, values: list[Any]) -> tuple[int, ...]:
    """How large a run is: verdicts hold for one size."""
    count = 0 if left is None else left.count.bit_length()
    return (count, *(v.size.bit_length() for v in values if type(v) is np.ndarray))
