"""Patience: for what a recording has time, and memory."""

from __future__ import annotations

from typing import Protocol


class Patience(Protocol):
    """What the user's code can wait for."""

    def may_copy(self, nbytes: int, *, kept: bool = True) -> bool:
        """Whether there is time, and memory, for so many bytes.

        Parameters
        ----------
        nbytes : int
            Bytes that would be copied in all.
        kept : bool
            Whether the copies are kept; what is not takes only time.
        """

    def is_over(self, useful: float, lost: float) -> bool:
        """Whether the recording must end here.

        Parameters
        ----------
        useful : float
            Seconds of it in which NumPy computed what the user's code needs.
        lost : float
            Those that NumPy would need once more if it ended.
        """


class Endless:
    """However long it takes."""

    def may_copy(self, nbytes: int, *, kept: bool = True) -> bool:
        """Any number of bytes."""
        return True

    def is_over(self, useful: float, lost: float) -> bool:
        """Never."""
        return False
