"""The allowance: how long our own work may hold up a run of the user's code.

To record takes time: inputs are looked at, what is written is copied. To check a
result takes more, for NumPy computes it once more. While the allowance of a run
is used up, NumPy goes on alone; what was left out is done when the code runs
again, or later in the same run, for the allowance grows with its length.
"""

from __future__ import annotations

from time import perf_counter

AT_ONCE = 0.02
"""Seconds that the first run may lose."""

SHARE = 0.04
"""Part of its length that it may lose besides."""

GRACE = 0.01
"""Seconds besides for a recording that has begun: what it has done would be lost."""

LATER = 8
"""How many times as much the second and the third run may lose."""

PATIENT = 3
"""Runs with an allowance: what runs more often than that is worth any time."""

COPIED = 5e8
"""Bytes that are copied in a second, into memory that is used for the first time."""


class Allowance:
    """What is left of the allowance of a run.

    Attributes
    ----------
    spent : float
        Seconds that were used up in this run.

    Examples
    --------
    >>> allowance = Allowance()
    >>> allowance.begin(1)
    >>> allowance.is_enough_for_copying(1000), allowance.is_enough_for_copying(10**9)
    (True, False)
    >>> allowance.spent += 1.0
    >>> allowance.left < 0
    True
    >>> allowance.begin(PATIENT + 1)
    >>> allowance.left
    inf
    >>> allowance.meets_news()
    >>> allowance.left < 1
    True
    """

    __slots__ = ("_began", "_factor", "spent")

    def __init__(self) -> None:
        self._began = self.spent = 0.0
        self._factor = float("inf")

    def begin(self, run: int) -> None:
        """A run begins: the first, the second, ..."""
        self._began = perf_counter()
        self.spent = 0.0
        self._factor = 1 if run <= 1 else LATER if run <= PATIENT else float("inf")

    def meets_news(self) -> None:
        """Something begins that no run has seen, of another size perhaps: as in a first run."""
        self._factor = min(self._factor, 1.0)

    @property
    def left(self) -> float:
        """Seconds."""
        elapsed = max(perf_counter() - self._began - self.spent, 0.0)
        return self._factor * (AT_ONCE + SHARE * elapsed) - self.spent

    def is_enough_for_copying(self, nbytes: int) -> bool:
        """Whether something as large may be copied."""
        return nbytes / COPIED <= self.left

    def is_used_up(self, seconds: float) -> bool:
        """Whether a recording that has taken so many seconds must come to its end."""
        return seconds > self.left + GRACE
