"""How far a campaign is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
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
        self._efforts: list[float] = []
        self._done = 0
        self._began = self._until = clock()

    def begin(self, efforts: Sequence[float], seconds: float) -> None:
        """Jobs of such an effort are to be done, and nothing is begun after so many seconds."""
        self._efforts, self._done = list(efforts), 0
        self._began = self._clock()
        self._until = self._began + seconds

    @property
    def is_over(self) -> bool:
        """Whether no time is left to begin anything."""
        return self._clock() >= self._until

    def show(self, job: str) -> None:
        """A job begins."""
        spent = self._clock() - self._began
        done, total = sum(self._efforts[: self._done]), sum(self._efforts)
        about = f", about {duration(spent / done * (total - done))} left" if done else ""
        text = f"{bar(done / total)} {self._done}/{len(self._efforts)} {job}"
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
        left = len(self._efforts) - self._done
        rest = f"; run this again to measure the {left} that are left" if left else ""
        spent = duration(self._clock() - self._began)
        self.say(f"{self._done} rows measured in {spent}{rest}")
        return not left

    def _write(self, text: str) -> None:
        self._stream.write(f"\r\x1b[K{text}" if self._live else f"{text}\n")
        self._stream.flush()


def bar(share: float) -> str:
    """A bar that fills.

    Examples
    --------
    >>> bar(0.5)
    '[###############---------------]'
    """
    full = int(WIDTH * share)
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
