"""How far a campaign is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic
from typing import TextIO

WIDTH = 30


class Progress:
    """A bar on a terminal; elsewhere a line for every job.

    Parameters
    ----------
    stream : file, optional
        Where it is written.
    clock : callable, optional
        Seconds that only grow.
    """

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._live = self._stream.isatty()
        self._total = self._done = 0
        self._began = self._until = clock()

    def begin(self, total: int, seconds: float) -> None:
        """So many jobs are to be done, and nothing is begun after so many seconds."""
        self._total, self._done = total, 0
        self._began = self._clock()
        self._until = self._began + seconds

    @property
    def is_over(self) -> bool:
        """Whether no time is left to begin anything."""
        return self._clock() >= self._until

    def show(self, job: str) -> None:
        """A job begins."""
        spent = self._clock() - self._began
        left = spent / self._done * (self._total - self._done) if self._done else None
        about = f", about {duration(left)} left" if left is not None else ""
        text = f"{bar(self._done, self._total)} {self._done}/{self._total} {job}"
        self._write(f"{text} ({duration(spent)}{about})")

    def step(self) -> None:
        """The job is done."""
        self._done += 1

    def say(self, text: str) -> None:
        """Something worth a line of its own."""
        self._write(text)
        if self._live:
            self._stream.write("\n")

    def end(self) -> bool:
        """Nothing more is done; whether all jobs are."""
        complete = self._done == self._total
        rest = "" if complete else f"; the rest is measured when this is run again: {self._left}"
        spent = duration(self._clock() - self._began)
        self.say(f"{bar(self._done, self._total)} {self._done} measured in {spent}{rest}")
        return complete

    @property
    def _left(self) -> int:
        return self._total - self._done

    def _write(self, text: str) -> None:
        self._stream.write(f"\r\x1b[K{text}" if self._live else f"{text}\n")
        self._stream.flush()


def bar(done: int, total: int) -> str:
    """A bar that fills.

    Examples
    --------
    >>> bar(1, 2)
    '[###############---------------]'
    """
    full = WIDTH * done // total if total else WIDTH
    return "[" + "#" * full + "-" * (WIDTH - full) + "]"


def duration(seconds: float) -> str:
    """Minutes and seconds.

    Examples
    --------
    >>> duration(75.2)
    '1:15'
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"
