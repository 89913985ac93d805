"""The rounds of a contest: when they have shown who is faster."""

from __future__ import annotations

from dataclasses import field

from jupyter_npcompile.dataclass import dataclass

BUDGET = 0.02
"""Seconds after which two rounds are enough."""

LIMIT = 0.01
"""Seconds after which one round is."""

CHANCES = 3
"""Rounds after which compiled code that is slower has lost, however long they take."""

LATEST = 0.25
"""Seconds after which it gets no other round."""

LONG = 0.2
"""Seconds; of what takes longer in NumPy, a first run that wins tells enough."""

DECISIVE = 3.0
"""How many times as fast compiled code, which runs for the first time, must be to win at once."""

WORTH = 1e-3
"""Seconds in NumPy, below which a contest costs nothing."""

ROUNDS = 25
"""Rounds at the most."""


@dataclass(frozen=True)
class Times:
    """The best of some rounds.

    Parameters
    ----------
    numpy_us, compiled_us : float
        Microseconds.
    """

    numpy_us: float
    compiled_us: float


def is_decided(first: Times) -> bool:
    """Whether the first runs have shown enough.

    Memory that is used for the first time costs both sides time, NumPy more. But
    who loses now has lost for good: a machine that was busy must not decide that.

    Examples
    --------
    >>> is_decided(Times(5000.0, 1000.0)), is_decided(Times(5000.0, 4000.0))
    (True, False)
    >>> is_decided(Times(5e5, 4e5)), is_decided(Times(5e5, 6e5))
    (True, False)
    """
    seconds = first.numpy_us * 1e-6
    factor = 1.0 if seconds > LONG else DECISIVE
    return seconds > WORTH and first.numpy_us >= factor * first.compiled_us


@dataclass
class Rounds:
    """A contest that may last over several runs of the user's code.

    Parameters
    ----------
    first : Times
        What the first runs have taken.
    numpy, compiled : list of float
        Seconds of each round.
    """

    first: Times
    numpy: list[float] = field(default_factory=list)
    compiled: list[float] = field(default_factory=list)

    @property
    def times(self) -> Times:
        """The best of each side, or its first run."""
        numpy = min(self.numpy) * 1e6 if self.numpy else self.first.numpy_us
        compiled = min(self.compiled) * 1e6 if self.compiled else self.first.compiled_us
        return Times(numpy, compiled)

    @property
    def next_seconds(self) -> float:
        """How long another round would take."""
        known = self.times
        is_asked = len(self.compiled) <= len(self.numpy)
        return (known.numpy_us + (known.compiled_us if is_asked else 0.0)) * 1e-6

    @property
    def is_over(self) -> bool:
        """Whether they have shown enough."""
        if len(self.numpy) < len(self.compiled) < CHANCES:
            return False
        if not self.numpy:  # there never was time for one
            return len(self.compiled) >= CHANCES
        return len(self.numpy) >= ROUNDS or is_enough(self.numpy, self.compiled)


def is_enough(numpy: list[float], compiled: list[float]) -> bool:
    """Whether some rounds have shown enough.

    Fresh memory, or another program, may have spoilt a single one: who is slower has
    three.

    Examples
    --------
    >>> is_enough([0.03], [0.02]), is_enough([0.03], [0.04])
    (True, False)
    """
    spent = sum(numpy) + sum(compiled)
    if spent <= (BUDGET if len(numpy) > 1 else LIMIT):
        return False
    return min(compiled) < min(numpy) or len(numpy) >= CHANCES or spent > LATEST
