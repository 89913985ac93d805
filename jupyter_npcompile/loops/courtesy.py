"""Courtesy: work in the background lets the user's code go first.

Of two threads that run Python, each has half of the time; and one that calls NumPy
time and again, which lets go of Python's lock, waits after each call until the other
has worked for 5 ms. So whoever is not urgent lets go of it sooner, and takes a break
in which the user's code goes on, if it is seen to run.
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


class _Turn(threading.local):
    """The turn of a thread.

    Attributes
    ----------
    began : float or None
        When; None where somebody waits for what the thread does.
    looked, used : float
        When one has looked last whether the user's code runs, and its processor time then.
    """

    began: float | None = None
    looked = used = 0.0


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
    _turn.looked, _turn.used = _turn.began, _user_time()
    try:
        yield
    finally:
        _turn.began = before


def give_way() -> None:
    """Let others have Python's lock, if this thread is courteous and has worked for a turn."""
    began = _turn.began
    if began is not None:
        now = perf_counter()
        if now - began > TURN:
            used = _user_time()
            runs = used - _turn.used > IDLE * (now - _turn.looked)
            _turn.looked, _turn.used = now, used
            sleep(LONG * (now - began) if runs else BREAK)
            _turn.began = perf_counter()


def _user_time() -> float:
    """Processor time of the thread that runs the user's code, in seconds."""
    if sys.platform != "linux":
        return 0.0
    ident = threading.main_thread().ident
    return time.clock_gettime(time.pthread_getcpuclockid(ident)) if ident else 0.0
