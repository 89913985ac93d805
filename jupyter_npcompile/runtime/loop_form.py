"""One native form of a loop: when it fits, and how fast it is."""

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
from jupyter_npcompile.runtime.selector.loop_turns import Turns
from jupyter_npcompile.runtime.selector.race import slower_side
from jupyter_npcompile.runtime.selector.thresholds import ALWAYS, COPIED, FAIR, FAR, LOOPS, TURNS
from jupyter_npcompile.runtime.stats import counters

LOOKS = 8
"""Loops that begin before a form that has never fitted is no news any more."""

SAMPLES = 6
"""Attempts at timing iterations in Python in which nothing else happens."""

ENOUGH = 3
"""Iterations of Python's that are timed: the first are slow."""

BRIEF = 1e-3
"""Seconds of an iteration beyond which one is enough, or two where native code gains little."""

LONG = 1e-4
"""Seconds of an iteration in which arrays are so large that segments may be faster."""

TRIAL = 0.02
"""Seconds in Python of the iterations that run here to see what they take."""

FEWEST = 4
"""Such iterations, at the least."""

ANY = -1
"""Stands for any number of iterations in the size of a run."""

NARROW = 1.5
"""The same where loops are in it: then it is hardly arrays that take the time."""


class Settles(Protocol):
    """Counts calls by itself."""

    def settle(self) -> int:
        """How many have run since this was asked."""


@dataclass
class Times:
    """How long iterations take for arrays of some sizes.

    Parameters
    ----------
    samples : int
        Iterations that have run in Python to be timed.
    clean : int
        Those in which nothing got in the way.
    python : float
        Seconds of an iteration in Python.
    native : float
        And here.
    predicted : float
        The same of those that have run here to be compared.
    """

    samples: int = 0
    clean: int = 0
    python: float = float("inf")
    native: float = float("inf")
    predicted: float = float("inf")

    @property
    def is_enough(self) -> bool:
        """Whether it is clear how long Python takes; something may get in the way."""
        enough = ENOUGH if self.python < BRIEF else 1 + (FAR * self.predicted > self.python)
        return self.clean >= enough or self.samples >= SAMPLES


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
    times : dict of tuple to Times
        By the sizes of arrays.
    latest : Times
        Those of the last run.
    counted : int
        Iterations that Python knows to have run here.
    shortcuts : list
        What counts others.
    lost : set
        Sizes of runs for which Python is faster; see `has_lost`.
    runs : dict
        The first runs of each size: seconds for an iteration.
    turns : dict of tuple to Turns
        Where segments have a turn.
    counts : dict of tuple to int
        Iterations of the last run of each size.
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
    times: dict[tuple[int, ...], Times] = field(default_factory=dict)
    latest: Times = field(default_factory=Times)
    counted: int = 0
    shortcuts: list[Settles] = field(default_factory=list)
    lost: set[tuple[int, ...]] = field(default_factory=set)
    runs: dict[tuple[int, ...], list[float]] = field(default_factory=dict)
    turns: dict[tuple[int, ...], Turns] = field(default_factory=dict)
    counts: dict[tuple[int, ...], int] = field(default_factory=dict)
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

    def is_measured(self, size: tuple[int, ...]) -> bool:
        """Whether it is known how long Python takes for arrays of such sizes."""
        known = self.times.get(size[1:])
        return known is not None and known.is_enough

    def time(self, size: tuple[int, ...], seconds: float | None, native: float) -> None:
        """An iteration has run in Python, and here; None where nobody knows how long that took."""
        known = self.times.setdefault(size[1:], Times())
        known.samples += 1
        known.predicted = min(known.predicted, native)
        if seconds is not None:
            known.clean += 1
            known.python = min(known.python, seconds)

    def trial(self, size: tuple[int, ...], count: int) -> int:
        """How many of a run's iterations tell what one takes here; `count` if that is known.

        A single one, which was compared, says little: it is the first to touch its memory.
        """
        known = self.times.get(size[1:])
        if known is None or known.native < float("inf") or known.python == float("inf"):
            return count
        tried = max(FEWEST, int(TRIAL / max(known.python, 1e-9)))
        return tried if 2 * tried <= count else count

    def falls_short(self, size: tuple[int, ...], seconds: float, factor: float) -> bool:
        """Whether Python goes on after a trial, in which an iteration took so long."""
        python = self.times[size[1:]].python
        if self.gains_too_little(size, seconds, python, factor):
            return True
        if not slower_side(LOOPS, [python], [seconds]):
            return False
        self.lost.add(size)
        return True

    def ran(self, size: tuple[int, ...], count: int, seconds: float) -> None:
        """So many iterations have run here, and each took so long."""
        self.iterations += count
        self.counts[size] = count
        self.latest = self.times.setdefault(size[1:], Times())
        self.latest.native = min(self.latest.native, seconds)
        if self.note is not None:
            self.note.tell(self.latest.python / max(seconds, 1e-9))

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

    def loses(self, size: tuple[int, ...], seconds: float, factor: float = FAR) -> bool:
        """Note what an iteration has taken; whether Python is faster for such sizes.

        One run may have been disturbed: it takes three, or a clear one.
        """
        python = self.times.setdefault(size[1:], Times()).python
        turns = self.turns.get(size[1:])
        if turns is not None and (turns.begin(seconds) or turns.loses(seconds)):
            self.lost.add((ANY, *size[1:]))
            return True
        if self.gains_too_little(size, seconds, python, factor, is_run=True):
            return True
        known = self.runs.setdefault(size, [])
        if len(known) > len(LOOPS.margins):
            return False
        known.append(seconds)
        if not slower_side(LOOPS, [python] * len(known), known):
            return False
        self.lost.add(size)
        return True

    def gains_too_little(
        self,
        size: tuple[int, ...],
        seconds: float,
        python: float,
        factor: float,
        *,
        is_run: bool = False,
    ) -> bool:
        """Whether segments have a turn: an iteration that is long gains little here.

        Where it takes long, arrays are large, and what surrounds their operations
        costs nothing: then segments, in which operations are fused, may be faster.
        They have no turn while the loop runs here; where it gains something all the same,
        that is for some runs, unless a device is worth a try at once.

        Parameters
        ----------
        size : tuple of int
            Of the run.
        seconds, python : float
            What an iteration has taken here, and in Python.
        factor : float
            How many times as fast it must be here.
        is_run : bool
            Whether a whole run has told what it takes here.
        """
        known = LONG < python < float("inf")
        if not known or python >= factor * seconds or size[1:] in self.turns:
            return False
        if factor < ALWAYS and python >= FAIR * seconds:
            self.turns[size[1:]] = Turns(seconds, python, is_run, first=TURNS)
            return False
        self.lost.add((ANY, *size[1:]))
        self.turns[size[1:]] = Turns(seconds, python, is_run, is_there=factor == ALWAYS)
        return True

    def gains(self, size: tuple[int, ...], seconds: float, count: int) -> bool:
        """Note what so many iterations took in segments; whether the next ones run here."""
        turns = self.turns.get(size[1:])
        if turns is None or not turns.segments(seconds / count, seconds):
            return False
        self.lost.discard((ANY, *size[1:]))
        return True

    def has_turns(self, size: tuple[int, ...]) -> bool:
        """Whether segments have their turn, for runs of some size."""
        turns = self.turns.get(size[1:])
        return turns is not None and not turns.is_over

    def leads(self, size: tuple[int, ...]) -> bool:
        """Whether such runs are faster here than in Python, as far as that is known."""
        turns = self.turns[size[1:]]
        return turns.native < turns.python

    def end_turns(self, size: tuple[int, ...]) -> bool:
        """There are no segments to have one; whether such runs are faster here than in Python."""
        self.turns[size[1:]].is_over = True
        if not self.leads(size):
            return False
        self.lost.discard((ANY, *size[1:]))
        return True

    def has_lost(self, size: tuple[int, ...]) -> bool:
        """Whether Python is faster for a run of some size."""
        return size in self.lost or (ANY, *size[1:]) in self.lost


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
