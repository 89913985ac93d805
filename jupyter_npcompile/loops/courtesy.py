"""Courtesy: work in the background lets the user's code go first.

Of two threads that run Python, each has half of the time; and one that calls NumPy
time and again, which lets go of Python's lock, waits after each call until the other
has worked for 5 ms. So whoever is not urgent lets go of it sooner, and takes a break
in which the user's code goes on, if it is seen to run. Turns add up: what they have
taken from a run of the user's code is paid back, by breaks, from the time for which it
has run.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, sleep

TURN = 0.0005
"""Seconds of work between two breaks."""

BREAK = 0.00005
"""Seconds of a break, so that somebody who wants the lock wakes and has it."""

LONG = 6
"""How many times as long as its turn a break is where the user's code runs."""

IDLE = 0.02
"""Part of the time that a thread may run which has nothing to do."""

AT_ONCE = 0.006
"""Seconds that turns may take from the user's code before they are paid back."""

SHARE = 0.03
"""Part of the time for which the user's code runs that turns may take besides."""

LOOK = 0.005
"""Seconds of a break between two looks whether the user's code still runs."""


class _Turn(threading.local):
    """The turn of a thread.

    Attributes
    ----------
    began : float or None
        When; None where somebody waits for what the thread does.
    shares : bool
        Whether the user's code ran in the break before.
    owed : float
        Seconds that turns have taken from it and not paid back.
    """

    began: float | None = None
    shares = False
    owed = 0.0


_turn = _Turn()


@contextmanager
def courteous() -> Iterator[None]:
    """What this thread does now is not urgent.

    Examples
    --------
    >>> with courteous():
    ...     for _ in range(1000):
    ...         give_way()
    """
    before, _turn.began = _turn.began, perf_counter()
    _turn.shares = False
    try:
        yield
    finally:
        _turn.began = before


def give_way() -> None:
    """Let others have Python's lock, if this thread is courteous and has worked for a turn."""
    began = _turn.began
    if began is not None:
        worked = perf_counter() - began
        if worked > TURN:
            _turn.owed += worked
            _pause(LONG * worked if _turn.shares else BREAK)
            while _turn.owed > AT_ONCE:
                _pause(LOOK)
            _turn.began = perf_counter()


def _pause(seconds: float) -> None:
    """Take a break, and see whether the user's code runs in it."""
    began, used = perf_counter(), _user_time()
    sleep(seconds)
    ran = _user_time() - used
    _turn.shares = ran > IDLE * (perf_counter() - began)
    # Where nothing of the user's runs, nobody has lost anything.
    _turn.owed = max(0.0, _turn.owed - SHARE * ran) if _turn.shares else 0.0


def _user_time() -> float:
    """Processor time of the thread that runs the user's code, in seconds."""
    if sys.platform != "linux":
        return 0.0
    ident = threading.main_thread().ident
    return time.clock_gettime(time.pthread_getcpuclockid(ident)) if ident else 0.0
