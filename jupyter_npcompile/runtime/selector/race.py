"""A race: samples of two sides, until it is clear which is faster."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jupyter_npcompile.runtime.selector import thresholds
from jupyter_npcompile.runtime.selector.thresholds import Rule


def typical(samples: Iterable[float]) -> float:
    """What something takes while nothing disturbs it, in seconds: the lower quartile.

    Examples
    --------
    >>> typical([3.0, 1.0, 2.0]), typical([5.0, 1.0, 3.0, 4.0, 2.0])
    (1.0, 2.0)
    """
    found = sorted(samples)
    return found[len(found) // 4]


def slower_side(rule: Rule, plain: Sequence[float], compiled: Sequence[float]) -> bool | None:
    """Which side has lost, if both have had as many turns, and those are enough.

    Parameters
    ----------
    rule : Rule
        What is enough.
    plain, compiled : sequence of float
        Seconds that samples have taken as the code was written, and compiled.

    Returns
    -------
    bool or None
        Whether it is compiled code; None while nobody knows.

    Examples
    --------
    >>> slower_side(thresholds.CALLS, [5.1e-3], [1e-3])
    False
    >>> slower_side(thresholds.CALLS, [2e-3], [1.9e-3]) is None
    True
    >>> slower_side(thresholds.LOOPS, [1.0] * 3, [1.1] * 3)
    True
    """
    rounds = len(plain)
    if not rounds or rounds != len(compiled):
        return None
    ours, theirs = typical(compiled), typical(plain)
    has_lost, least, most = theirs < ours, min(ours, theirs), max(ours, theirs)
    if rounds < rule.fewest and most < thresholds.SHORT:
        return None
    if has_lost and rounds < rule.chances and ours - theirs < rule.dear:
        return None
    if sum(plain) + sum(compiled) > (rule.budget if rounds > 1 else rule.limit):
        return has_lost
    margins = thresholds.LONG_MARGINS if least > thresholds.LONG else rule.margins
    if rounds > len(margins):
        return has_lost
    apart = max(compiled) < min(plain) or max(plain) < min(compiled)
    is_clear = most >= margins[rounds - 1] * least and (apart or rounds > thresholds.APART)
    return has_lost if is_clear else None


class Race:
    """The samples of two sides.

    Parameters
    ----------
    rule : Rule
        When they are enough.
    first : tuple of float, optional
        What both sides are known to have taken, the first time. Such a race goes on while the
        user's code waits: where there is no time for a turn of NumPy this is its time.

    Attributes
    ----------
    plain, compiled : list of float
        Seconds that samples have taken as the code was written, and compiled.

    Examples
    --------
    >>> race = Race(thresholds.CALLS)
    >>> while race.slower is None:
    ...     side = race.next()
    ...     race.add(side, 1.0 if side else 2.0)
    >>> race.slower, len(race.plain)
    (True, 1)
    """

    __slots__ = ("_order", "compiled", "first", "plain", "rule")

    def __init__(self, rule: Rule, first: tuple[float, float] | None = None) -> None:
        self.rule = rule
        self.first = first
        self.plain: list[float] = []
        self.compiled: list[float] = []
        self._order = 1

    def next(self) -> bool:
        """Whether the next sample is one of the code as it was written.

        The order of turns is one that keeps step with no rhythm in the arguments.
        """
        if len(self.compiled) != len(self.plain):
            return len(self.plain) < len(self.compiled)
        self._order = (self._order * 1103515245 + 12345) & 0x7FFFFFFF
        return bool(self._order >> 20 & 1)

    def add(self, plain: bool, seconds: float) -> None:
        """A sample of one side has taken some time."""
        (self.plain if plain else self.compiled).append(seconds)

    @property
    def slower(self) -> bool | None:
        """Whether compiled code has lost; None while nobody knows."""
        if self.first is None or len(self.plain) >= len(self.compiled):
            return slower_side(self.rule, self.plain, self.compiled)
        plain, compiled = self.seconds
        return plain < compiled if len(self.compiled) >= self.rule.chances else None

    @property
    def seconds(self) -> tuple[float, float]:
        """What the code takes as it was written, and compiled."""
        first = self.first or (float("inf"), float("inf"))
        sides = zip((self.plain, self.compiled), first, strict=True)
        plain, compiled = (typical(samples) if samples else known for samples, known in sides)
        return plain, compiled

    @property
    def next_seconds(self) -> float:
        """How long another round would take, in which both sides have had as many turns."""
        plain, compiled = self.seconds
        return plain + (compiled if len(self.compiled) <= len(self.plain) else 0.0)

    def clear(self) -> None:
        """Begin anew."""
        self.plain.clear()
        self.compiled.clear()
