"""Courtesy: work in the background lets the user's code go first.

Of two threads that run Python, each has half of the time; and one that calls NumPy
time and again, which lets go of Python's lock, waits after each call until the other
has worked for 5 ms. So whoever is not urgent waits as long as the user's code is seen
to run, then works for some milliseconds at a time, and takes no more of its time than
it has earned by running. Each turn costs it more than the turn is long: a thread that
has lost the lock must be woken to have it back. Where the user's code rests time and again,
the gaps are used: a turn costs it something only if it is seen to run before or after.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, sleep

from jupyter_npcompile.forks import after_fork

TURN = 0.004
"""Seconds of work between two breaks."""

BREAK = 0.0005
"""Seconds of a break: somebody who wants the lock wakes, has it, and is seen to run."""

WAKE = 0.001
"""Seconds that the user's code loses besides a turn, until it has the lock again: measured on a
virtual machine, as the least of turns of 0.5 and of 2 ms."""

AT_ONCE = 0.045
"""Seconds that all threads together may take from the user's code before it has earned any, with
what it has lost to our work in its own thread just before: most functions are translated then."""

RECENT = 1.0
"""Seconds for which that counts."""

IN_GAPS = 0.09
"""The same where its code rests most of the time, and turns begin while it does."""

SHARE = 0.03
"""Part of the time for which it runs that it earns."""

IDLE = 0.02
"""Part of the time that a thread may run which has nothing to do."""

LOOK = 0.05
"""Seconds of a break between two looks whether the user's code still runs."""


class _Turn(threading.local):
    """The turn of a thread.

    Attributes
    ----------
    began : float or None
        When; None where somebody waits for what the thread does.
    used : float
        What the user's code had used of its processor then, in seconds.
    """

    began: float | None = None
    used = 0.0

    def begin(self) -> None:
        """A turn begins."""
        self.began, self.used = perf_counter(), _user_time()


_turn = _Turn()


class Account:
    """What threads have taken from the user's code since it began to run.

    Attributes
    ----------
    taken : float
        Seconds that it has lost to them.
    runs : bool
        Whether it ran in the break before.
    rests : bool
        Whether it did so for less than half of the time.
    """

    def __init__(self) -> None:
        self.taken = 0.0
        self.runs = False
        self.rests = True
        self._since = 0.0
        self._owed = self._charged = 0.0
        self._threads = 0
        self._lock = threading.Lock()

    def open(self) -> None:
        """A thread begins to wait or to work."""
        with self._lock:
            if not self._threads:
                self._begin(_user_time())
            self._threads += 1

    def close(self) -> None:
        """A thread has ended that."""
        with self._lock:
            self._threads -= 1

    def take(self, worked: float, ran: float) -> None:
        """A thread has worked for so many seconds, in so many of which the user's code ran, too."""
        self.taken += max(0.0, worked - ran) * (1 + WAKE / TURN)

    def charge(self, seconds: float) -> None:
        """The user's code has lost so many seconds in its own thread."""
        now = perf_counter()
        if now - self._charged > RECENT:
            self._owed = 0.0
        self._owed += seconds
        self._charged = now
        self.taken += seconds

    def _may_take(self, at_once: float) -> bool:
        return self.taken <= at_once + SHARE * (_user_time() - self._since)

    def wait(self) -> None:
        """Wait until somebody may take more: until the user's code has run, or rests."""
        while self.runs and not self._may_take(AT_ONCE):
            self.pause(LOOK)
            if self.rests and self._may_take(IN_GAPS):
                self.pause(BREAK)  # does it rest just now?

    def pause(self, seconds: float) -> None:
        """Take a break, and see whether the user's code runs in it."""
        began, used = perf_counter(), _user_time()
        sleep(seconds)
        now, long = _user_time(), perf_counter() - began
        self.runs = now - used > IDLE * long
        self.rests = now - used < long / 2
        if not self.runs and seconds == LOOK:
            self._begin(now)  # nobody has lost anything

    def _begin(self, now: float) -> None:
        is_recent = perf_counter() - self._charged <= RECENT
        self.taken, self._since = self._owed if is_recent else 0.0, now


_account = Account()


def _forked() -> None:
    """Threads that another process has do not work in this one."""
    global _account
    _account = Account()


after_fork(_forked)


@contextmanager
def courteous() -> Iterator[None]:
    """What this thread does now is not urgent.

    Examples
    --------
    >>> with courteous():
    ...     for _ in range(1000):
    ...         give_way()
    """
    before = _turn.began, _turn.used
    _account.open()
    try:
        _turn.begin()
        yield
    finally:
        _turn.began, _turn.used = before
        _account.close()


def charge(seconds: float) -> None:
    """The user's code has lost so many seconds to our work in its own thread."""
    _account.charge(seconds)


def rests(seconds: float) -> bool:
    """Take a break, of `LOOK` at the most; whether the user's code rests meanwhile."""
    _account.pause(min(seconds, LOOK))
    _turn.begin()
    return not _account.runs


def give_way() -> None:
    """Let others have Python's lock, if this thread is courteous and has worked for a turn."""
    began = _turn.began
    if began is not None:
        worked = perf_counter() - began
        if worked > TURN:
            ran, ran_before = _user_time() - _turn.used, _account.runs
            _account.pause(BREAK)
            if ran_before or _account.runs:
                _account.take(worked, ran)
            _account.wait()
            _turn.begin()


def _user_time() -> float:
    """Processor time of the thread that runs the user's code, in seconds.

    Where one thread cannot read the clock of another, it is taken to run all the time.
    """
    if sys.platform != "linux":
        return perf_counter()
    ident = threading.main_thread().ident
    return time.clock_gettime(time.pthread_getcpuclockid(ident)) if ident else 0.0
