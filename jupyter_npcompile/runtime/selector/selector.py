"""The selector of a function: with its guards, or as it was written, by size of its arguments.

Each segment has won against NumPy on its own (`contest`). But a function is more
than its segments: guards, values that are handed over, results that are bound.
So whole calls are timed, in turns, and the faster side has a lease: it keeps the function
for a while that is long against what the race has cost. So it is with the runs of a
cell that has loops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from jupyter_npcompile.graph.amounts import duration
from jupyter_npcompile.runtime.selector import thresholds
from jupyter_npcompile.runtime.selector.back_off import growth
from jupyter_npcompile.runtime.selector.race import Race
from jupyter_npcompile.runtime.selector.thresholds import (
    ASSUMED,
    BLIND,
    BRIEF_CALL,
    CALLS,
    FEWEST_LONG,
    FREE,
    GLANCE,
    LEARNING,
    LEAST,
    LENT,
    MAX_SIZES,
    MOST,
    SHORT,
    STUBBORN,
    TICK,
    TIMING,
)
from jupyter_npcompile.runtime.stats import counters

T = TypeVar("T")


class Attempts:
    """Calls of one size, with guards, in which something was recorded, compiled or judged.

    They take longer than those that come later, and say nothing about these. Where each
    new shape is another recording, there is no end of them: so they come less and less
    often, unless they cost little, and calls in between run as they were written.

    Parameters
    ----------
    clock : callable
        The time, in seconds.

    Attributes
    ----------
    plain : float
        Seconds that a call takes as it was written; NaN while nobody knows.
    vain : int
        How many there were, since one has shown something.
    later : float
        When the next one may be.

    Examples
    --------
    >>> attempts = Attempts(lambda: 0.0)
    >>> attempts.plain = 1.0
    >>> for _ in range(6):
    ...     attempts.in_vain(3.0)
    ...     attempts.later
    0.0
    0.0
    2.0
    4.0
    8.0
    16.0
    """

    __slots__ = ("_clock", "later", "plain", "vain")

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self.plain = math.nan
        self.vain = 0
        self.later = 0.0

    def is_due(self) -> bool:
        """Whether there may be another one."""
        return self.vain <= FREE or self._clock() >= self.later

    def in_vain(self, seconds: float) -> None:
        """A call with guards has taken so long, and shown nothing."""
        self.vain += 1
        if self.vain > FREE and not math.isnan(self.plain):  # threads may call meanwhile
            part = LEARNING if self.vain <= STUBBORN else TIMING
            lost = max(0.0, seconds - self.plain) / part
            pause = min(self.plain * growth(self.vain, FREE + 1), lost)
            self.later = self._clock() + pause


class Turn:
    """One call that is timed.

    Parameters
    ----------
    bucket : Bucket
        Calls of this size.
    written : bool
        Whether the function runs as it was written.
    changes : int
        What had changed before it.
    saved : float
        Seconds that native loops had saved before it.
    """

    __slots__ = ("began", "bucket", "changes", "saved", "written")

    def __init__(self, bucket: Bucket, written: bool, changes: int, saved: float = 0.0) -> None:
        self.bucket = bucket
        self.written = written
        self.changes = changes
        self.saved = saved
        self.began = perf_counter()


class Bucket:
    """What is known about calls of one size.

    Attributes
    ----------
    race : Race
        Of calls with guards, and as they were written.
    left : int
        Calls until the next race.
    winner : bool or None
        Whether the function runs as it was written; None while nobody knows.
    seconds : float
        How long a call takes on the faster side.
    lead : float
        How many times as long as the other side it takes as it was written.
    note : str
        What was measured, when NumPy is faster.
    attempts : Attempts
        Calls that were not as later ones will be.
    """

    __slots__ = ("_last", "_rest", "attempts", "lead", "left", "note", "race", "seconds", "winner")

    def __init__(self, attempts: Attempts | None = None) -> None:
        self.attempts = Attempts() if attempts is None else attempts
        self.race = Race(CALLS)
        self.left = 0
        self.winner: bool | None = None
        self.seconds = float("inf")
        self.lead = 0.0
        self.note = ""
        self._last: bool | None = None
        self._rest = 0

    def next(self) -> bool:
        """Whether the next call runs as it was written."""
        if self.attempts.vain >= FREE and math.isnan(self.attempts.plain):
            return True
        return self.race.next()

    def add(self, written: bool, seconds: float) -> None:
        """A call has taken some time."""
        self.race.add(written, seconds)
        if written:
            self.attempts.plain = seconds
        slower = self.race.slower
        if slower is not None:
            self._decide(slower)

    def _decide(self, slower: bool) -> None:
        plain, ours = self.race.seconds
        if slower != self._last:
            self._last, self._rest = slower, 0
            counters.decisions += 1
        self.attempts.vain = 0
        self.winner = slower
        self.seconds, self.lead = min(plain, ours), plain / max(ours, TICK)
        self.note = (
            f"as a whole NumPy is faster: {duration(plain * 1e6)} a call, compiled "
            f"{duration(ours * 1e6)}"
            if self.winner
            else ""
        )
        lost = len(self.race.plain) * abs(plain - ours) / max(self.seconds, TICK)
        least = FEWEST_LONG if self.seconds > thresholds.LONG else LEAST
        self._rest = min(max(least, round(lost / TIMING), 4 * self._rest), MOST)
        self.left = self._rest

    def expect(self, ours: float, saved: float) -> None:
        """A call with guards has taken so long, and it is known what native code has saved.

        Where that is clear nobody waits for NumPy, to be told so: the first race is later.

        Examples
        --------
        >>> bucket = Bucket()
        >>> bucket.expect(0.1, saved=1.9)
        >>> bucket.winner, round(bucket.lead)
        (False, 20)
        """
        plain = ours + saved
        clear = 2.0 if saved > thresholds.LONG else CALLS.margins[0]
        if self._last is None and plain > SHORT and plain >= clear * ours:
            self.lead = self._trust(ours, plain, ASSUMED)

    def assume(self, ours: float, plain: float) -> None:
        """Compiled code takes so long, and one call of NumPy has taken so much longer.

        The first race is later, the more so the clearer that is.

        Examples
        --------
        >>> bucket = Bucket()
        >>> bucket.assume(1e-6, plain=1e-4)
        >>> bucket.winner, bucket.left
        (False, 1000)
        """
        lead = self._trust(ours, plain, LEAST if plain < SHORT else ASSUMED)
        if lead >= CALLS.margins[0]:  # one call of NumPy says little else
            self.lead = lead

    def _trust(self, ours: float, plain: float, least: int) -> float:
        """Some calls run compiled, before the first race; returns how far that is ahead.

        They are not as many as after a race: what is expected may be wrong.
        """
        self.winner = self._last = False
        self.seconds, lead = ours, plain / max(ours, TICK)
        self.left = self._rest = min(max(least, round(lead / LEARNING)), MOST)
        return lead

    @property
    def is_new(self) -> bool:
        """Whether no call was timed."""
        return self.winner is None and not self.race.compiled and not self.race.plain

    def begin(self) -> None:
        """The next race begins."""
        self.race.clear()
        self.winner = None

    def void(self, written: bool, seconds: float) -> None:
        """A call was not as later ones will be: so were those before it, if they had guards."""
        if not written:
            self.race.compiled.clear()
            self.attempts.in_vain(seconds)


class Selector:
    """Which side of a function runs, call by call.

    Parameters
    ----------
    brief : float
        Seconds; while a call takes less, not every one is looked at.
    clock : callable
        The time, in seconds.

    Attributes
    ----------
    written : bool
        Whether they run as it was written.
    note : str
        What the report says when the function runs as it was written.

    Examples
    --------
    >>> selector = Selector()
    >>> calls = 0
    >>> while (turn := selector.turn({}, 0)) is not None:
    ...     turn.bucket.add(turn.written, 1.0 if turn.written else 2.0)
    ...     calls += 1
    >>> calls, selector.written
    (2, True)
    """

    __slots__ = (
        *("_attempts", "_blind", "_brief", "_clock", "_last", "_buckets", "_until"),
        *("note", "written"),
    )

    def __init__(
        self, brief: float = BRIEF_CALL, clock: Callable[[], float] = perf_counter
    ) -> None:
        self._brief = brief
        self._clock = clock
        self._buckets: dict[tuple[int, ...], Bucket] = {}
        self._attempts: dict[tuple[int, ...], Attempts] = {}
        self._blind = 0
        self._until = 0.0
        self._last: Bucket | None = None
        self.written = False
        self.note = ""

    @property
    def lead(self) -> float:
        """How many times as fast compiled code is where that is least; 0 if nobody knows."""
        return min(
            (bucket.lead for bucket in list(self._buckets.values()) if bucket.lead), default=0.0
        )

    def is_blind(self) -> bool:
        """Whether nothing is looked at in this call: it runs as ``written`` says."""
        if self._blind <= 0:
            return False
        self._blind -= 1
        if self._blind % GLANCE == 0 and self._clock() > self._until:
            self._blind = 0  # calls of another size, which may be judged in another way
        return True

    def spare(self, most: int) -> int:
        """Calls that need not even ask whether anything is looked at: some of those left."""
        if self._blind > 0 and self._clock() > self._until:
            self._blind = 0
        spared = min(self._blind, most)
        self._blind -= spared
        return spared

    def lend(self) -> tuple[int, float]:
        """Hand over the calls that need no look: how many, and how long they may take in all.

        Who gets them looks at sizes itself, so there may be more of them. None are left here.
        """
        if self._blind <= 0 or self._last is None:
            return 0, 0.0
        bucket, self._last = self._last, None
        more = min(bucket.left, LENT)
        bucket.left -= more
        lent, self._blind = self._blind + more, 0
        return lent, self._until - self._clock()

    def turn(self, arguments: Mapping[str, Any], changes: int, saved: float = 0.0) -> Turn | None:
        """How a call runs.

        Parameters
        ----------
        arguments : mapping
            Its local variables.
        changes : int
            How often something was recorded, compiled or judged so far.
        saved : float
            Seconds that native loops have saved so far.

        Returns
        -------
        Turn or None
            A turn when the call is timed; else ``written`` says how it runs.
        """
        size = size_of(arguments.values())
        bucket = self._buckets.get(size)
        if bucket is None:
            attempts = _entry(self._attempts, size, lambda: Attempts(self._clock))
            bucket = _entry(self._buckets, size, lambda: Bucket(attempts))
        if bucket.left > 0:
            bucket.left -= 1
            self.settle(bucket)
            return None
        if bucket.winner is not None:
            bucket.begin()
        self.note = ""
        if not bucket.attempts.is_due():
            self.written = True
            self.note = "each call brings something new to compile: most of them run in NumPy"
            if bucket.attempts.plain < self._brief:
                self._look_away(BLIND)
                self._until = min(self._until, bucket.attempts.later)
            return None
        return Turn(bucket, bucket.next(), changes, saved)

    def settle(self, bucket: Bucket) -> None:
        """Calls of a size run as is known; while they are brief, nobody looks."""
        self.written = bool(bucket.winner)
        self.note = bucket.note
        if bucket.seconds < self._brief:
            self._look_away(min(bucket.left, BLIND))
            bucket.left -= self._blind
            self._last = bucket

    def _look_away(self, calls: int) -> None:
        """Look at nothing in so many calls, if they are as brief as this one."""
        self._blind, self._last = calls, None
        self._until = self._clock() + BLIND * self._brief

    def end(self) -> None:
        """Something fits, or might by now: whatever was found out is void."""
        self._buckets.clear()
        self._blind, self._last = 0, None
        self.written = False
        self.note = ""


def _entry(known: dict[tuple[int, ...], T], size: tuple[int, ...], make: Callable[[], T]) -> T:
    found = known.get(size)
    if found is None:
        while len(known) >= MAX_SIZES:
            known.pop(next(iter(known)))
        found = known[size] = make()
    return found


def size_of(values: Iterable[Any]) -> tuple[int, ...]:
    """The sizes of arguments, each up to a factor of two.

    Examples
    --------
    >>> size_of([np.zeros((3, 5)), 7, [1, 2], "abc", None])
    (4, 3, 2, 0, 0)
    """
    return tuple(
        value.size.bit_length()
        if type(value) is np.ndarray
        else value.bit_length()
        if type(value) is int
        else len(value).bit_length()
        if type(value) in (list, tuple, dict)
        else 0
        for value in values
    )
