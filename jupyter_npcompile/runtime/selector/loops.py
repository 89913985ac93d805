"""The selector of a native loop: native code, Python, or segments of it, by size of a run.

What an iteration takes in Python is seen in the first ones, which are compared with native code;
what it takes natively, in runs.
"""

from __future__ import annotations

from dataclasses import field

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.selector.race import slower_side
from jupyter_npcompile.runtime.selector.thresholds import (
    ALWAYS,
    BRIEF_ITERATION,
    ENOUGH,
    FAIR,
    FAR,
    FEW,
    FEWEST_TRIED,
    LASTING,
    LONG_ITERATION,
    LOOPS,
    SAMPLES,
    TRIAL,
    TURNS,
    WORTH,
)

ANY = -1
"""Stands for any number of iterations in the size of a run."""


@dataclass
class Times:
    """How long iterations take for arrays of some sizes.

    Parameters
    ----------
    samples : int
        Iterations that have run in Python to be timed.
    clean : int
        Those in which nothing got in the way.
    python : float
        Seconds of an iteration in Python.
    native : float
        And here.
    predicted : float
        The same of those that have run here to be compared.
    """

    samples: int = 0
    clean: int = 0
    python: float = float("inf")
    native: float = float("inf")
    predicted: float = float("inf")

    @property
    def is_enough(self) -> bool:
        """Whether it is clear how long Python takes; something may get in the way."""
        enough = (
            ENOUGH if self.python < BRIEF_ITERATION else 1 + (FAR * self.predicted > self.python)
        )
        return self.clean >= enough or self.samples >= SAMPLES


@dataclass
class Turns:
    """Who runs loops of one size, segments or native code.

    Iterations need not be alike, as where arrays shrink: what one of them took here
    says little of a run. So native code has some, when segments have had theirs. Where
    it gains something over Python it has as many runs before, which save at least what
    the first runs in segments lose: those are Python's, while segments are compiled.

    Parameters
    ----------
    native, python : float
        Seconds that the same iteration has taken here, and in Python.
    is_run : bool
        Whether the first of them is the mean of a run.
    first : int
        Runs that native code has before segments have theirs.
    runs : list of float
        What an iteration took in segments, a run at a time.
    spent : float
        Seconds of these runs.
    tries : int
        Runs that native code has had after them.
    is_over : bool
        Whether it is decided.
    is_there : bool
        Whether segments run on a device: what that does many times as fast is not tried here.

    Examples
    --------
    >>> turns = Turns(1.0, 2.0)
    >>> [turns.segments(1.5, 1.5) for _ in range(FEW)]
    [False, False, True]
    >>> turns.loses(0.7), turns.is_over
    (False, True)
    """

    native: float
    python: float
    is_run: bool = False
    first: int = 0
    runs: list[float] = field(default_factory=list)
    spent: float = 0.0
    tries: int = 0
    is_over: bool = False
    is_there: bool = False

    def begin(self, seconds: float) -> bool:
        """Note what an iteration of a run took here; whether segments have the next one."""
        if not self.first:
            return False
        self._ran(seconds)
        self.first -= 1
        return not self.first

    def segments(self, seconds: float, spent: float) -> bool:
        """Note what an iteration took in segments; whether native code has the next run.

        Python's own iterations count as theirs, where nothing of them is compiled.

        Parameters
        ----------
        seconds : float
            The mean of a run.
        spent : float
            All of it.
        """
        if self.is_over:
            return False
        self.runs.append(seconds)
        self.spent += spent
        if seconds > FAR * self.native and len(self.runs) > 1:
            self.is_over = True
            return True
        if self.is_there and self.native > FAR * seconds and len(self.runs) > 1:
            self.is_over = True
            return False
        if len(self.runs) < TURNS and (len(self.runs) < FEW or self.spent < LASTING):
            return False
        if not self.is_run:
            self.is_over = self.native > FAIR * self.python
            return not self.is_over
        self.is_over = True
        return WORTH * self.native <= min(self.runs)

    def loses(self, seconds: float) -> bool:
        """Note what an iteration of a run took here; whether segments are faster, for good."""
        if self.is_over or not self.runs:
            return False
        self._ran(seconds)
        self.tries += 1
        loses = WORTH * self.native > min(self.runs)
        self.is_over = not loses or self.tries == FEW
        return loses and self.is_over

    def _ran(self, seconds: float) -> None:
        # The least counts, as of the runs in segments: the first has to get its memory.
        self.native = min(self.native, seconds) if self.is_run else seconds
        self.is_run = True


@dataclass(eq=False)
class LoopSelector:
    """How fast a native form of a loop is, and where Python or segments are faster.

    A size is that of a run: the number of iterations, and sizes of arrays. What an iteration
    takes depends on the arrays only.

    Parameters
    ----------
    times : dict of tuple to Times
        By the sizes of arrays.
    latest : Times
        Those of the last run.
    lost : set
        Sizes of runs for which Python is faster; see `has_lost`.
    runs : dict
        The first runs of each size: seconds for an iteration.
    turns : dict of tuple to Turns
        Where segments have a turn.
    counts : dict of tuple to int
        Iterations of the last run of each size.

    Examples
    --------
    >>> selector, size = LoopSelector(), (10, 7)
    >>> selector.time(size, 1e-5, 1e-6)
    >>> [selector.loses(size, 1.1e-5) for _ in range(3)]
    [False, False, True]
    """

    times: dict[tuple[int, ...], Times] = field(default_factory=dict)
    latest: Times = field(default_factory=Times)
    lost: set[tuple[int, ...]] = field(default_factory=set)
    runs: dict[tuple[int, ...], list[float]] = field(default_factory=dict)
    turns: dict[tuple[int, ...], Turns] = field(default_factory=dict)
    counts: dict[tuple[int, ...], int] = field(default_factory=dict)

    def ran(self, size: tuple[int, ...], count: int, seconds: float) -> None:
        """So many iterations have run here, and each took so long."""
        self.counts[size] = count
        self.latest = self.times.setdefault(size[1:], Times())
        self.latest.native = min(self.latest.native, seconds)

    @property
    def segments_may_gain(self) -> bool:
        """Whether segments may be faster: arrays are large, or native code has lost for some."""
        return bool(self.lost) or LONG_ITERATION < self.latest.python < float("inf")

    def is_measured(self, size: tuple[int, ...]) -> bool:
        """Whether it is known how long Python takes for arrays of such sizes."""
        known = self.times.get(size[1:])
        return known is not None and known.is_enough

    def time(self, size: tuple[int, ...], seconds: float | None, native: float) -> None:
        """An iteration has run in Python, and here; None where nobody knows how long that took."""
        known = self.times.setdefault(size[1:], Times())
        known.samples += 1
        known.predicted = min(known.predicted, native)
        if seconds is not None:
            known.clean += 1
            known.python = min(known.python, seconds)

    def trial(self, size: tuple[int, ...], count: int) -> int:
        """How many of a run's iterations tell what one takes here; `count` if that is known.

        A single one, which was compared, says little: it is the first to touch its memory.
        """
        known = self.times.get(size[1:])
        if known is None or known.native < float("inf") or known.python == float("inf"):
            return count
        tried = max(FEWEST_TRIED, int(TRIAL / max(known.python, 1e-9)))
        return tried if 2 * tried <= count else count

    def falls_short(self, size: tuple[int, ...], seconds: float, factor: float) -> bool:
        """Whether Python goes on after a trial, in which an iteration took so long."""
        python = self.times[size[1:]].python
        if self.gains_too_little(size, seconds, python, factor):
            return True
        if not slower_side(LOOPS, [python], [seconds]):
            return False
        self.lost.add(size)
        return True

    def loses(self, size: tuple[int, ...], seconds: float, factor: float = FAR) -> bool:
        """Note what an iteration has taken; whether Python is faster for such sizes.

        One run may have been disturbed: it takes three, or a clear one.
        """
        python = self.times.setdefault(size[1:], Times()).python
        turns = self.turns.get(size[1:])
        if turns is not None and (turns.begin(seconds) or turns.loses(seconds)):
            self.lost.add((ANY, *size[1:]))
            return True
        if self.gains_too_little(size, seconds, python, factor, is_run=True):
            return True
        known = self.runs.setdefault(size, [])
        if len(known) > len(LOOPS.margins):
            return False
        known.append(seconds)
        if not slower_side(LOOPS, [python] * len(known), known):
            return False
        self.lost.add(size)
        return True

    def gains_too_little(
        self,
        size: tuple[int, ...],
        seconds: float,
        python: float,
        factor: float,
        *,
        is_run: bool = False,
    ) -> bool:
        """Whether segments have a turn: an iteration that is long gains little here.

        Where it takes long, arrays are large, and what surrounds their operations
        costs nothing: then segments, in which operations are fused, may be faster.
        They have no turn while the loop runs here; where it gains something all the same,
        that is for some runs, unless a device is worth a try at once.

        Parameters
        ----------
        size : tuple of int
            Of the run.
        seconds, python : float
            What an iteration has taken here, and in Python.
        factor : float
            How many times as fast it must be here.
        is_run : bool
            Whether a whole run has told what it takes here.
        """
        known = LONG_ITERATION < python < float("inf")
        if not known or python >= factor * seconds or size[1:] in self.turns:
            return False
        if factor < ALWAYS and python >= FAIR * seconds:
            self.turns[size[1:]] = Turns(seconds, python, is_run, first=TURNS)
            return False
        self.lost.add((ANY, *size[1:]))
        self.turns[size[1:]] = Turns(seconds, python, is_run, is_there=factor == ALWAYS)
        return True

    def gains(self, size: tuple[int, ...], seconds: float, count: int) -> bool:
        """Note what so many iterations took in segments; whether the next ones run here."""
        turns = self.turns.get(size[1:])
        if turns is None or not turns.segments(seconds / count, seconds):
            return False
        self.lost.discard((ANY, *size[1:]))
        return True

    def has_turns(self, size: tuple[int, ...]) -> bool:
        """Whether segments have their turn, for runs of some size."""
        turns = self.turns.get(size[1:])
        return turns is not None and not turns.is_over

    def leads(self, size: tuple[int, ...]) -> bool:
        """Whether such runs are faster here than in Python, as far as that is known."""
        turns = self.turns[size[1:]]
        return turns.native < turns.python

    def end_turns(self, size: tuple[int, ...]) -> bool:
        """There are no segments to have one; whether such runs are faster here than in Python."""
        self.turns[size[1:]].is_over = True
        if not self.leads(size):
            return False
        self.lost.discard((ANY, *size[1:]))
        return True

    def has_lost(self, size: tuple[int, ...]) -> bool:
        """Whether Python is faster for a run of some size."""
        return size in self.lost or (ANY, *size[1:]) in self.lost
