"""The duel: a function with its guards against the same function as it was written.

Each segment has won against NumPy on its own (`contest`). But a function is more
than its segments: guards, values that are handed over, results that are bound.
So whole calls are timed, in turns, and the faster side keeps the function for a
while that is long against what the duel has cost. So it is with the runs of a
cell that has loops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from jupyter_npcompile.graph.amounts import duration
from jupyter_npcompile.runtime.stats import counters

T = TypeVar("T")

MARGINS = (5.0, 2.0, 1.12, 1.08, 1.06, 1.05, 1.04, 1.03)
"""How far ahead one side must be after so many rounds; then the better side wins."""

APART = 4
"""Up to so many rounds, each call of the winner must have been faster than all of the other."""

LONG = 0.05
"""Seconds; calls that take longer show after a few rounds who is faster, and rounds cost more."""

LONG_MARGINS = (1.3, 1.02)
"""The same margins for long calls."""

DEAR = 1.0
"""Seconds that another round may cost before one is enough for NumPy to win: the first calls of
native code may have waited for memory that they keep."""

FEWEST = 3
"""Rounds at the least, of short calls."""

TICK = 1e-9
"""Seconds: nothing takes less."""

SHORT = 1e-3
"""Seconds; a single call that takes less says little."""

BRIEF = 500e-6
"""Seconds; to look at the arguments of each call that takes less would show."""

BLIND = 64
"""So many calls are made without a look then."""

LENT = 4096
"""So many more are where the sizes of arguments are looked at in another way."""

GLANCE = 8
"""After so many of them the clock is asked whether they take as little as they did."""

SHARE = 0.01
"""Part of the time that duels may cost."""

LEAST, MOST = 64, 1 << 20
"""Calls between two duels."""

SOON = 16
"""The least number of them after a duel of long calls, which was short."""

ASSUMED = 8
"""Calls until the first duel where a single call of NumPy has said who is faster: it may have
waited for memory."""

MAX_SIZES = 64
"""Sizes of arguments that are told apart."""


FREE = 2
"""Calls with guards, one after the other, that may show nothing, for something was recorded."""

LEARNING = 0.1
"""Part of the time that more of them may cost."""

STUBBORN = 16
"""After so many, only that `SHARE` of it that duels may cost."""


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
            part = LEARNING if self.vain <= STUBBORN else SHARE
            lost = max(0.0, seconds - self.plain) / part
            pause = min(self.plain * (1 << min(self.vain - FREE, 20)), lost)
            self.later = self._clock() + pause


class Turn:
    """One call that is timed.

    Parameters
    ----------
    ring : Ring
        Calls of this size.
    written : bool
        Whether the function runs as it was written.
    changes : int
        What had changed before it.
    saved : float
        Seconds that native loops had saved before it.
    """

    __slots__ = ("began", "changes", "ring", "saved", "written")

    def __init__(self, ring: Ring, written: bool, changes: int, saved: float = 0.0) -> None:
        self.ring = ring
        self.written = written
        self.changes = changes
        self.saved = saved
        self.began = perf_counter()


class Ring:
    """What is known about calls of one size.

    Attributes
    ----------
    guarded, written : list of float
        Seconds that calls have taken, in this duel.
    left : int
        Calls until the next duel.
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

    __slots__ = (
        *("_last", "_order", "_rest", "attempts", "guarded", "lead", "left", "note"),
        *("seconds", "winner", "written"),
    )

    def __init__(self, attempts: Attempts | None = None) -> None:
        self.attempts = Attempts() if attempts is None else attempts
        self.guarded: list[float] = []
        self.written: list[float] = []
        self.left = 0
        self.winner: bool | None = None
        self.seconds = float("inf")
        self.lead = 0.0
        self.note = ""
        self._last: bool | None = None
        self._rest = 0
        self._order = 1

    def next(self) -> bool:
        """Whether the next call runs as it was written.

        The order of turns is one that keeps step with no rhythm in the arguments.
        """
        if self.attempts.vain >= FREE and math.isnan(self.attempts.plain):
            return True
        if len(self.guarded) != len(self.written):
            return len(self.written) < len(self.guarded)
        self._order = (self._order * 1103515245 + 12345) & 0x7FFFFFFF
        return bool(self._order >> 20 & 1)

    def add(self, written: bool, seconds: float) -> None:
        """A call has taken some time."""
        (self.written if written else self.guarded).append(seconds)
        if written:
            self.attempts.plain = seconds
        guarded, as_written = sorted(self.guarded), sorted(self.written)
        rounds = len(guarded)
        if not rounds or rounds != len(as_written):
            return
        ours, plain = guarded[rounds // 4], as_written[rounds // 4]
        if rounds < FEWEST and max(ours, plain) < SHORT:
            return
        if rounds == 1 and 0 < ours - plain < DEAR:
            return
        apart = guarded[-1] < as_written[0] or as_written[-1] < guarded[0]
        margins = LONG_MARGINS if min(ours, plain) > LONG else MARGINS
        margin = margins[rounds - 1] if rounds <= len(margins) else 1.0
        apart |= rounds > len(margins)
        if max(ours, plain) >= margin * min(ours, plain) and (apart or rounds > APART):
            self._decide(ours, plain, rounds)

    def _decide(self, ours: float, plain: float, rounds: int) -> None:
        winner = plain < ours
        if winner != self._last:
            self._last, self._rest = winner, 0
            counters.decisions += 1
        self.attempts.vain = 0
        self.winner = winner
        self.seconds, self.lead = min(plain, ours), plain / max(ours, TICK)
        self.note = (
            f"as a whole NumPy is faster: {duration(plain * 1e6)} a call, compiled "
            f"{duration(ours * 1e6)}"
            if self.winner
            else ""
        )
        lost = rounds * abs(plain - ours) / min(plain, ours)
        least = SOON if self.seconds > LONG else LEAST
        self._rest = min(max(least, round(lost / SHARE), 4 * self._rest), MOST)
        self.left = self._rest

    def expect(self, ours: float, saved: float) -> None:
        """A call with guards has taken so long, and it is known what native code has saved.

        Where that is clear nobody waits for NumPy, to be told so: the first duel is later.

        Examples
        --------
        >>> ring = Ring()
        >>> ring.expect(0.1, saved=1.9)
        >>> ring.winner, round(ring.lead)
        (False, 20)
        """
        plain = ours + saved
        is_clear = plain >= 2 * ours if saved > LONG else plain >= MARGINS[0] * ours
        if self._last is None and plain > SHORT and is_clear:
            self.lead = self._trust(ours, plain, ASSUMED)

    def assume(self, ours: float, plain: float) -> None:
        """Compiled code takes so long, and one call of NumPy has taken so much longer.

        The first duel is later, the more so the clearer that is.

        Examples
        --------
        >>> ring = Ring()
        >>> ring.assume(1e-6, plain=1e-4)
        >>> ring.winner, ring.left
        (False, 1000)
        """
        lead = self._trust(ours, plain, LEAST if plain < SHORT else ASSUMED)
        if lead >= MARGINS[0]:  # one call of NumPy says little else
            self.lead = lead

    def _trust(self, ours: float, plain: float, least: int) -> float:
        """Some calls run compiled, before the first duel; returns how far that is ahead.

        They are not as many as after a duel: what is expected may be wrong.
        """
        self.winner = self._last = False
        self.seconds, lead = ours, plain / max(ours, TICK)
        self.left = self._rest = min(max(least, round(lead / LEARNING)), MOST)
        return lead

    @property
    def is_new(self) -> bool:
        """Whether no call was timed."""
        return self.winner is None and not self.guarded and not self.written

    def begin(self) -> None:
        """The next duel begins."""
        self.guarded.clear()
        self.written.clear()
        self.winner = None

    def void(self, written: bool, seconds: float) -> None:
        """A call was not as later ones will be: so were those before it, if they had guards."""
        if not written:
            self.guarded.clear()
            self.attempts.in_vain(seconds)


class Duel:
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
    >>> duel = Duel()
    >>> calls = 0
    >>> while (turn := duel.turn({}, 0)) is not None:
    ...     turn.ring.add(turn.written, 1.0 if turn.written else 2.0)
    ...     calls += 1
    >>> calls, duel.written
    (2, True)
    """

    __slots__ = (
        *("_attempts", "_blind", "_brief", "_clock", "_last", "_rings", "_until"),
        *("note", "written"),
    )

    def __init__(self, brief: float = BRIEF, clock: Callable[[], float] = perf_counter) -> None:
        self._brief = brief
        self._clock = clock
        self._rings: dict[tuple[int, ...], Ring] = {}
        self._attempts: dict[tuple[int, ...], Attempts] = {}
        self._blind = 0
        self._until = 0.0
        self._last: Ring | None = None
        self.written = False
        self.note = ""

    @property
    def lead(self) -> float:
        """How many times as fast compiled code is where that is least; 0 if nobody knows."""
        return min((ring.lead for ring in list(self._rings.values()) if ring.lead), default=0.0)

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
        ring, self._last = self._last, None
        more = min(ring.left, LENT)
        ring.left -= more
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
        ring = self._rings.get(size)
        if ring is None:
            attempts = _entry(self._attempts, size, lambda: Attempts(self._clock))
            ring = _entry(self._rings, size, lambda: Ring(attempts))
        if ring.left > 0:
            ring.left -= 1
            self.settle(ring)
            return None
        if ring.winner is not None:
            ring.begin()
        self.note = ""
        if not ring.attempts.is_due():
            self.written = True
            self.note = "each call brings something new to compile: most of them run in NumPy"
            if ring.attempts.plain < self._brief:
                self._look_away(BLIND)
                self._until = min(self._until, ring.attempts.later)
            return None
        return Turn(ring, ring.next(), changes, saved)

    def settle(self, ring: Ring) -> None:
        """Calls of a size run as is known; while they are brief, nobody looks."""
        self.written = bool(ring.winner)
        self.note = ring.note
        if ring.seconds < self._brief:
            self._look_away(min(ring.left, BLIND))
            ring.left -= self._blind
            self._last = ring

    def _look_away(self, calls: int) -> None:
        """Look at nothing in so many calls, if they are as brief as this one."""
        self._blind, self._last = calls, None
        self._until = self._clock() + BLIND * self._brief

    def end(self) -> None:
        """Something fits, or might by now: whatever was found out is void."""
        self._rings.clear()
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
