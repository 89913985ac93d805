"""When a process that ends again and again is started no more, why, and how it goes on."""

from __future__ import annotations

import math
from collections import deque
from time import monotonic

MOST = 3
"""How often a process may end by itself `WITHIN` so many seconds."""

WITHIN = 300.0
"""Seconds. What ended longer ago counts no more: a kernel may live for weeks."""


class Deaths:
    """The ends of a process that nobody wanted, and the pause that follows when they are many.

    Parameters
    ----------
    name : str
        What it is.

    Examples
    --------
    >>> deaths = Deaths("the worker")
    >>> for _ in range(3):
    ...     deaths.note("it was killed by signal 9 (Killed)")
    >>> print(deaths.trouble())
    the worker ended 3 times within 5 minutes, the last time because it was killed by signal 9 \
(Killed); it starts again in 5 minutes, or at once after `%npcompile clear`
    >>> deaths.forgive()
    >>> deaths.trouble()
    ''
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._cause = ""
        self._when: deque[float] = deque(maxlen=MOST)

    def note(self, cause: str) -> None:
        """It has ended.

        Parameters
        ----------
        cause : str
            Why, as a sentence.
        """
        self._cause = cause
        self._when.append(monotonic())

    def forgive(self) -> None:
        """Begin to count anew."""
        self._when.clear()

    def trouble(self) -> str:
        """Why it is not started now, and when it will be; empty when it may be."""
        left = self._left()
        if left <= 0:
            return ""
        minutes = math.ceil(left / 60)
        return (
            f"{self.name} ended {MOST} times within {WITHIN / 60:.0f} minutes, the last time "
            f"because {self._cause}; it starts again in {minutes} minute{'s' * (minutes > 1)}, "
            "or at once after `%npcompile clear`"
        )

    def _left(self) -> float:
        """Seconds until the first of so many ends counts no more."""
        if len(self._when) < MOST:
            return 0.0
        return self._when[0] + WITHIN - monotonic()
