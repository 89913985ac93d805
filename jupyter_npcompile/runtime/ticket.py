"""One compile as those see it who wait for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter


class Ticket:
    """Shows how far a compile is, and can cancel it.

    Parameters
    ----------
    waited : bool
        Whether somebody waits.

    Examples
    --------
    >>> ticket = Ticket()
    >>> ticket.enter("C++")
    >>> ticket.phase
    'C++'
    >>> ticket.when_cancelled(lambda: print("stop"))
    >>> ticket.cancel()
    stop
    """

    def __init__(self, *, waited: bool = False) -> None:
        self.waited = waited
        self.began = perf_counter()
        self.phase = ""
        self.since = self.began
        self.cancelled = False
        self._lock = threading.RLock()  # the garbage collector may cancel, anywhere
        self._then: Callable[[], None] | None = None

    def enter(self, phase: str) -> None:
        """A phase begins."""
        self.phase, self.since = phase, perf_counter()

    def cancel(self) -> None:
        """Give it up: returns at once, whoever does the work stops soon."""
        with self._lock:
            self.cancelled = True
            then = self._then
        if then is not None:
            then()

    def when_cancelled(self, then: Callable[[], None]) -> None:
        """Have something done on cancelling, at once if that has happened."""
        with self._lock:
            self._then = then
            cancelled = self.cancelled
        if cancelled:
            then()
