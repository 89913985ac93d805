"""Back-off: where looking has been in vain, one looks again less and less often.

To look whether something compiled fits costs more than a small statement does itself.
"""

from __future__ import annotations

from time import perf_counter

from jupyter_npcompile.runtime.selector.thresholds import (
    AMPLE,
    BRIEF,
    HOPELESS,
    LONGEST,
    PATIENCE,
    WAITING,
)


def growth(vain: int, patience: int) -> int:
    """How long a pause is after so many looks in vain: twice as long as the one before.

    Examples
    --------
    >>> [growth(vain, 3) for vain in (2, 3, 4, 5)]
    [1, 2, 4, 8]
    """
    return 1 << min(max(vain - patience + 1, 0), 20)


class BackOff:
    """Looks that were in vain, and the pause that follows them.

    Attributes
    ----------
    vain : int
        How often in a row one has looked in vain.
    left : int
        Times that are left in which one does not look.

    Examples
    --------
    >>> back_off = BackOff()
    >>> looks = 0
    >>> for _ in range(1000):
    ...     if not back_off.rests():
    ...         looks += 1
    ...         back_off.vain += 1
    ...         begun = back_off.pause(patience=3, longest=64)
    >>> looks
    22
    """

    __slots__ = ("left", "vain")

    def __init__(self) -> None:
        self.vain = self.left = 0

    def rests(self) -> bool:
        """Whether one does not look this time."""
        if self.left <= 0:
            return False
        self.left -= 1
        return True

    def pause(self, patience: int, longest: int) -> bool:
        """Begin a pause if one has looked in vain often enough; whether it has begun."""
        if self.vain < patience:
            return False
        self.left = min(growth(self.vain, patience), longest)
        return True

    def clear(self) -> None:
        """Something fits, or might by now."""
        self.vain = self.left = 0


class Pause(BackOff):
    """The back-off of one statement.

    Attributes
    ----------
    stop : int
        The statement up to which NumPy runs meanwhile.
    waiting : bool
        Whether something is being compiled for it.
    length : int
        Executions in the pause that was begun last.
    began : float
        When that was.
    interval : float
        Seconds from one execution to the next, in the pause before.
    """

    __slots__ = ("began", "interval", "length", "stop", "waiting")

    def __init__(self) -> None:
        super().__init__()
        self.stop = self.length = 0
        self.waiting = False
        self.began, self.interval = 0.0, float("inf")


class Pauses:
    """The back-off of the statements of a region.

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

    __slots__ = ("_known", "in_vain")

    def __init__(self) -> None:
        self._known: dict[int, Pause] = {}
        self.in_vain = False
        """Whether any look has been in vain since something fitted."""

    def stop(self, start: int) -> int | None:
        """Where NumPy may stop when a statement is not to be looked at; None when it is."""
        pause = self._known.get(start)
        return pause.stop if pause is not None and pause.left and pause.rests() else None

    def vain(self, start: int, stop: int, *, waiting: bool) -> None:
        """NumPy had to run from a statement on, up to another."""
        self.in_vain = True
        pause = self._known.setdefault(start, Pause())
        pause.vain += 1
        pause.waiting = waiting
        if pause.pause(PATIENCE, WAITING if waiting else LONGEST):
            now = perf_counter()
            if pause.length:
                pause.interval = (now - pause.began) / pause.length
            pause.length, pause.stop, pause.began = pause.left, stop, now

    def hopeless(self, *, waiting: bool = False, seldom: bool = False) -> bool:
        """Whether NumPy always runs here, and so briefly that guards matter.

        Parameters
        ----------
        waiting : bool
            Whether what is being compiled is no hope, for the loop comes back to look.
        seldom : bool
            Whether it is enough that nothing fitted the last time, however long ago.
        """
        return all(
            (waiting or not pause.waiting)
            and pause.vain >= (1 if seldom else HOPELESS)
            and (seldom or pause.interval < (AMPLE if waiting else BRIEF))
            for pause in self._known.values()
        )

    def wake(self) -> None:
        """Look again, now; pauses get no shorter by that."""
        for pause in self._known.values():
            pause.left = pause.length = 0

    def end(self, start: int) -> None:
        """Something fits, or might by now."""
        pause = self._known.get(start)
        if pause is None or pause.vain or pause.length:
            self._known[start] = Pause()
        self.in_vain = any(pause.vain for pause in self._known.values())

    @property
    def waiting(self) -> bool:
        """Whether something is being compiled for a statement."""
        return any(pause.waiting for pause in self._known.values())

    def clear(self) -> None:
        """Begin anew."""
        self._known.clear()
