"""Pauses: a statement that NumPy runs time and again is left alone for a while.

To look whether something compiled fits costs more than a small statement does
itself. In a loop in which nothing ever fits, one looks less and less often.
"""

from __future__ import annotations

from dataclasses import dataclass

PATIENCE = 16
"""So often in a row one looks in vain before the first pause."""

LONGEST = 4096
"""Executions without a look, at the most."""

WAITING = 64
"""The same while something is being compiled."""


@dataclass(slots=True)
class Pause:
    """What is known about one statement.

    Parameters
    ----------
    vain : int
        How often in a row one has looked in vain.
    left : int
        Executions without a look that are left.
    stop : int
        The statement up to which NumPy runs then.
    """

    vain: int = 0
    left: int = 0
    stop: int = 0


class Pauses:
    """The pauses of a region.

    Examples
    --------
    >>> pauses = Pauses()
    >>> looks = 0
    >>> for _ in range(100_000):
    ...     if pauses.stop(0) is None:
    ...         looks += 1
    ...         pauses.vain(0, 1, waiting=False)
    >>> looks < 60
    True
    """

    def __init__(self) -> None:
        self._known: dict[int, Pause] = {}

    def stop(self, start: int) -> int | None:
        """Where NumPy may stop when a statement is not to be looked at; None when it is."""
        pause = self._known.get(start)
        if pause is None or pause.left <= 0:
            return None
        pause.left -= 1
        return pause.stop

    def vain(self, start: int, stop: int, *, waiting: bool) -> None:
        """NumPy had to run from a statement on, up to another."""
        pause = self._known.setdefault(start, Pause())
        pause.vain += 1
        if pause.vain >= PATIENCE:
            longest = WAITING if waiting else LONGEST
            pause.left = min(2 ** min(pause.vain - PATIENCE + 1, 20), longest)
            pause.stop = stop

    def end(self, start: int) -> None:
        """Something fits, or might by now."""
        self._known.pop(start, None)

    def clear(self) -> None:
        """Begin anew."""
        self._known.clear()
