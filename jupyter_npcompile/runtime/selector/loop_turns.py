"""Turns of segments, where native code gains little over Python."""

from __future__ import annotations

from dataclasses import field

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.selector.thresholds import FAIR, FAR, FEW, LASTING, TURNS, WORTH


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
