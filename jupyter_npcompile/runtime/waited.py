"""What came of waiting for compiles."""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_npcompile.dataclass import dataclass


@dataclass(frozen=True, repr=False)
class Waited:
    """Why waiting is over; true when nothing is left to wait for.

    Parameters
    ----------
    done : bool
        Whether everything is done.
    pending : int
        How many compiles are not.
    troubles : sequence of str
        Why nothing more is compiled now, where that is so.

    Examples
    --------
    >>> Waited(True)
    True
    >>> Waited(True).reason
    'nothing is being compiled'
    >>> Waited(False, 2)
    False: the time was not enough, 2 compiles are in progress
    >>> bool(Waited(False, 2))
    False
    """

    done: bool
    pending: int = 0
    troubles: Sequence[str] = ()

    def __bool__(self) -> bool:
        return self.done

    @property
    def reason(self) -> str:
        """Why waiting is over."""
        if not self.done:
            many = f"{self.pending} compile{' is' if self.pending == 1 else 's are'}"
            return f"the time was not enough, {many} in progress"
        return "; ".join(self.troubles) or "nothing is being compiled"

    def __repr__(self) -> str:
        return f"{self.done}: {self.reason}" if self.troubles or not self.done else "True"
