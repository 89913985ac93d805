"""Rest: whether a whole function, or a loop of it, runs as it was written for a while."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from jupyter_npcompile.runtime.selector.allowance import Allowance
from jupyter_npcompile.runtime.selector.back_off import BackOff
from jupyter_npcompile.runtime.selector.selector import Selector
from jupyter_npcompile.runtime.selector.thresholds import LONGEST, PATIENCE, SOON, WAITING

if TYPE_CHECKING:
    from jupyter_npcompile.runtime.loop_form import Form

Hope = Literal["", "sought", "ready", "clear"]
"""Whether all of a function may run natively: nobody knows how fast it is, it is no slower than
NumPy, or clearly ahead."""


class Rest(BackOff):
    """Whether a whole function, or a loop, runs as it was written for a while.

    Parameters
    ----------
    loops : sequence of range
        The regions in each loop that has a twin; outer loops come before those in them.
    selector : Selector, optional
        Of a cell: in contrast to a function, only its loops have a twin.
    comes_back : sequence of bool, optional
        Whether the twin of a loop looks from time to time what has been compiled.

    Attributes
    ----------
    plain : list of bool
        The loops that ask at the end of an iteration how to go on.
    hopeless : list of bool
        Those that go on without guards.
    left : int
        Calls without guards that are left, see `BackOff`.
    ran : bool
        Whether something compiled has run since the last call.
    saved : float
        Seconds that native loops have saved so far, by what they have seen Python take.
    in_vain : bool
        Whether NumPy has had to run since then, in automatic mode.
    waiting : bool
        Whether something is being compiled.
    whole : Form or None
        What runs all of the function, where it is one piece of native code.
    changes : int
        How often something was recorded, compiled or judged.
    beginnings : int
        How often something was compiled that may run from then on.
    selector : Selector
        Of the function or cell.
    allowance : Allowance
        Of this run.
    callers : set of Rest
        Of what has called the compiled form of this function; see `helpers`.
    hope : callable
        Whether all of the function runs natively, or may soon: then nothing in it is recorded.
    asks : callable
        Has the next call ask how it runs, though calls were spared that: see `FunctionHandle`.

    Examples
    --------
    >>> rest = Rest(())
    >>> guarded = 0
    >>> for _ in range(100_000):
    ...     if rest.left:
    ...         rest.left -= 1
    ...     else:
    ...         guarded += 1
    ...         rest.in_vain = True
    ...         looks = rest.begins()
    >>> guarded < 60
    True
    """

    __slots__ = (
        *(
            "__weakref__",
            "_calls",
            "_comes_back",
            "_is_cell",
            "_loops",
            "_offered",
            "allowance",
            "beginnings",
            "callers",
            "changes",
            "selector",
        ),
        *(
            "asks",
            "hope",
            "hopeless",
            "in_vain",
            "plain",
            "ran",
            "saved",
            "waiting",
            "whole",
        ),
    )

    def __init__(
        self,
        loops: Sequence[range],
        selector: Selector | None = None,
        comes_back: Sequence[bool] = (),
    ) -> None:
        super().__init__()
        self._loops = tuple(loops)
        self._comes_back = tuple(comes_back) or (False,) * len(self._loops)
        self._is_cell = selector is not None
        self.plain = [False] * len(self._loops)
        self.hopeless = [False] * len(self._loops)
        self._offered = [False] * len(self._loops)
        self.ran = self.in_vain = self.waiting = False
        self.whole: Form | None = None
        self._calls = self.changes = self.beginnings = 0
        self.saved = 0.0
        self.selector = Selector() if selector is None else selector
        self.allowance = Allowance()
        self.callers: weakref.WeakSet[Rest] = weakref.WeakSet()
        self.hope: Callable[[], Hope] = lambda: ""
        self.asks: Callable[[], object] = lambda: None

    def begins(self) -> bool:
        """A call begins, with guards; whether it should look at everything again."""
        self._calls += 1
        self.allowance.begin(self._calls)
        if self.ran:
            self.vain = 0
        elif self.in_vain:
            self.vain += 1
        patience, longest = (SOON, WAITING) if self.waiting else (PATIENCE, LONGEST)
        again = self.vain >= patience and self.pause(patience, longest)
        self.ran = self.in_vain = self.waiting = False
        if again or self._calls % LONGEST == 0:
            self._hope()
            return True
        return False

    @property
    def puts_off(self) -> bool:
        """Whether recordings wait: they may never be needed, and calls have not earned them yet.

        Not in a cell, under which its report shows what was captured.
        """
        return bool(self.hope()) and not (Allowance.is_shared() or self.allowance.is_earned)

    @property
    def spares_segments(self) -> bool:
        """Whether segments are compiled only where they have special prospects."""
        return self.hope() == "clear"

    def spare(self, most: int) -> int:
        """Calls that need not even ask whether they are left: some of those that are."""
        spared = min(self.left, most)
        self.left -= spared
        return spared

    def tries(self) -> None:
        """A call begins that tries native loops: it has an allowance of its own."""
        self._calls += 1
        self.allowance.begin(self._calls)

    def end(self, ends: Sequence[Rest] = ()) -> None:
        """Something fits, or might by now; what calls it may gain, too.

        Parameters
        ----------
        ends : sequence of Rest
            What this has come from: functions may call each other.
        """
        self.changes += 1
        self.beginnings += 1
        self.selector.end()
        self.asks()
        self.clear()
        self._hope()
        if self not in ends:
            for caller in list(self.callers):
                caller.end((*ends, self))

    def offer(self, loop: int, offered: bool) -> None:
        """Native code for a loop wants to be asked at the end of its iterations, or not."""
        self._offered[loop] = offered
        self.plain[loop] = offered or self.hopeless[loop]

    def give_up(self) -> None:
        """All loops go on as they were written."""
        self.hopeless[:] = self.plain[:] = [True] * len(self.plain)

    def _hope(self) -> None:
        """No loop is without hope any more."""
        self.hopeless[:] = [False] * len(self.plain)
        self.plain[:] = self._offered

    def is_judged(self, region: int) -> bool:
        """Whether the selector is about a region: of a cell only loops take part."""
        return not self._is_cell or any(region in inside for inside in self._loops)

    def verdict(self, region: int) -> str:
        """What the selector has found, if a region runs as it was written because of that."""
        return self.selector.note if self.whole is None and self.is_judged(region) else ""

    def consider(self, region: int, hopeless: Callable[[int, bool, bool], bool]) -> None:
        """NumPy had to run in a region: loops around it without hope go on without guards.

        A loop in another loop begins again soon, with guards if something has been
        compiled meanwhile, and the twins of most others come back to look; so they
        need not wait for that.

        Parameters
        ----------
        region : int
            Which.
        hopeless : callable
            Of a region, whether it may be so while something is compiled, and
            whether it may be so after a single look.
        """
        for number, inside in enumerate(self._loops):
            if region in inside and not self.hopeless[number]:
                nested = any(set(inside) <= set(outer) for outer in self._loops[:number])
                returns = self._comes_back[number]
                found = all(
                    hopeless(other, nested or returns, returns and other != region)
                    for other in inside
                )
                self.hopeless[number] = found
                self.plain[number] = found or self._offered[number]
