"""The allowance: how long our own work may hold up a run of the user's code.

To record takes time: inputs are looked at, what is written is copied. To check a
result takes more, for NumPy computes it once more. While the allowance of a run
is used up, NumPy goes on alone; what was left out is done when the code runs
again, or later in the same run, for the allowance grows with its length. Functions
that a cell calls share what the cell has.
"""

from __future__ import annotations

import threading
from time import perf_counter

from jupyter_npcompile.runtime.selector import thresholds


class _Running(threading.local):
    """The allowance of the cell that runs in a thread."""

    allowance: Allowance | None = None


_running = _Running()


def share(allowance: Allowance | None) -> Allowance | None:
    """Have functions that are called take no more than this one has; returns the one before."""
    before, _running.allowance = _running.allowance, allowance
    return before


class Allowance:
    """What is left of the allowance of a run.

    Attributes
    ----------
    spent : float
        Seconds that were used up in this run, without those of functions that it calls.
    caller : Allowance or None
        Of the compiled function that calls this one, where no cell has said what there is.
    is_free : bool
        Whether there is no limit, for the caller waits for compiles, too.

    Examples
    --------
    >>> allowance = Allowance()
    >>> allowance.begin(1)
    >>> allowance.is_enough_for_copying(1000), allowance.is_enough_for_copying(10**9)
    (True, False)
    >>> allowance.spent += 1.0
    >>> allowance.left < 0
    True
    >>> allowance.begin(thresholds.PATIENT + 1)
    >>> allowance.left < 0  # what it has cost so far
    True
    """

    __slots__ = (
        *("_before", "_began", "_first", "_given", "_is_frequent", "_is_later", "_outer"),
        *("_within", "caller", "is_free", "spent"),
    )

    def __init__(self) -> None:
        self._first: float | None = None
        self._began = self._before = self._given = self.spent = 0.0
        self._is_later = self._is_frequent = self.is_free = False
        self._outer: Allowance | None = None
        self._within: set[Allowance] = set()
        self.caller: Allowance | None = None

    def begin(self, run: int) -> None:
        """A run begins: the first, the second, ..."""
        self._began = perf_counter()
        if self._first is None:
            self._first = self._began
        self._before += self.spent + self._given
        for inner in self._within:
            self._before += inner.spent
            inner._outer = None
        self._within.clear()
        if self._outer is not None:
            self._outer._given += self.spent
            self._outer._within.discard(self)
        around = _running.allowance or self.caller
        self._outer = around if around is not self else None
        if self._outer is not None:
            self._outer._within.add(self)
        self._given = self.spent = 0.0
        self._is_later = run > 1
        self._is_frequent = run > thresholds.PATIENT

    def meets_news(self) -> None:
        """Something begins that no run has seen, of another size perhaps: as in a first run."""
        self._is_later = self._is_frequent = False

    @property
    def lost(self) -> float:
        """Seconds that all runs together have lost so far."""
        return self._before + self._spent

    @property
    def left(self) -> float:
        """Seconds."""
        return self._shared(thresholds.LATER)

    @property
    def left_to_record(self) -> float:
        """Seconds that a recording may go on, once it has begun: while there is time ``left``."""
        return self._shared(thresholds.RECORDING)

    @property
    def left_in_all(self) -> float:
        """Seconds that all runs together may still lose to what is done once, and then pays."""
        if self._first is None or self.is_free:
            return float("inf")
        factor = thresholds.RECORDING if self._is_later else 1.0
        left = self._left_since(self._first, self._before + self._spent, factor)
        return left if self._outer is None else min(left, self._outer._left(thresholds.RECORDING))

    @staticmethod
    def is_shared() -> bool:
        """Whether a cell runs that shows what was captured: all functions in it share its own."""
        return _running.allowance is not None

    @property
    def is_earned(self) -> bool:
        """Whether all runs together have earned a recording, by the time that has passed."""
        first = perf_counter() if self._first is None else self._first
        return (
            thresholds.SHARE * (perf_counter() - first) - self._before - self._spent
            >= thresholds.EARNED
        )

    def _shared(self, later: float) -> float:
        if self.is_free:
            return float("inf")
        left = self._left(later)
        return left if self._outer is None else min(left, self._outer._left(later))

    @property
    def _spent(self) -> float:
        """Seconds in this run, with those of functions that it calls."""
        return self.spent + self._given + sum(inner.spent for inner in self._within)

    def _left(self, later: float) -> float:
        if self._first is None:
            return float("inf")
        factor, spent = later if self._is_later else 1.0, self._spent
        left = self._left_since(self._began, spent, factor)
        if self._is_frequent:
            left = min(left, self._left_since(self._first, self._before + spent, factor))
        return left

    @staticmethod
    def _left_since(began: float, spent: float, factor: float) -> float:
        elapsed = max(perf_counter() - began - spent, 0.0)
        return factor * (thresholds.AT_ONCE + thresholds.SHARE * elapsed) - spent

    def is_enough_for_copying(self, nbytes: int) -> bool:
        """Whether something as large may be copied."""
        return nbytes / thresholds.COPIED <= self.left_to_record

    def is_enough_for_copying_once(self, nbytes: int) -> bool:
        """Whether something as large may be copied that is not copied again.

        Where each run is too short for it, they save for it together.
        """
        saved = min(self.left_in_all, thresholds.ONCE)
        return self.is_enough_for_copying(nbytes) or nbytes / thresholds.COPIED <= saved

    def is_used_up(self, seconds: float) -> bool:
        """Whether a recording that has taken so many seconds must come to its end."""
        return seconds > self.left_to_record + thresholds.GRACE
