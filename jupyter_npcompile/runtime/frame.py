"""The frame: what the guards of a running cell or function ask."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from time import perf_counter
from types import FrameType
from typing import Any

from jupyter_npcompile.runtime.duel import Turn
from jupyter_npcompile.runtime.namespace import FrameNamespace
from jupyter_npcompile.runtime.pauses import Rest
from jupyter_npcompile.runtime.state import RegionState


class Frame:
    """State of one activation of guarded code.

    Every guarded statement asks ``at(region, index)``. The answer is True when
    the statement must run natively, and False when a segment that covers it
    has already run.

    Parameters
    ----------
    states : sequence of RegionState
        The regions, by number.
    rest : Rest
        What is left to NumPy for a while.
    turn : Turn, optional
        When the call is timed.

    Attributes
    ----------
    written : bool
        Whether the function runs as it was written.
    plain : list of bool
        Whether a loop goes on in its twin, by number.
    iter : callable
        The builtin: that name may mean something else to the user.
    """

    __slots__ = (
        *("_covered", "_iterators", "_native", "_rest", "_states", "_turn", "_values", "plain"),
        *("result", "written"),
    )

    iter = iter

    def __init__(self, states: Sequence[RegionState], rest: Rest, turn: Turn | None = None) -> None:
        self._states = states
        self._rest = rest
        self._turn = turn
        self.written = turn is not None and turn.written
        self.plain = rest.plain
        self._iterators: dict[int, Iterator[Any]] = {}
        self._covered: dict[int, int] = {}
        self._native: dict[int, int] = {}
        self._values: dict[int, dict[str, Any]] = {}
        self.result: Any = None

    def at(self, region: int, index: int, frame: FrameType | None = None) -> bool:
        """Whether statement ``index`` of a region must run natively."""
        if index:
            if index < self._covered.get(region, 0):
                return False
            if index < self._native.get(region, 0):
                return True
        return self._start(region, index, frame or sys._getframe(1))

    def end(self) -> None:
        """The call is over, one way or the other."""
        turn, rest = self._turn, self._rest
        if turn is not None:
            seconds = perf_counter() - turn.began
            if rest.changes == turn.changes and not rest.waiting:
                turn.ring.add(turn.written, seconds)
            else:
                turn.ring.begin()

    def take(self, region: int, index: int) -> Any:
        """The live targets of a covered statement; for ``return``, the value."""
        state = self._states[region]
        values = self._values[region]
        names = state.taken(index)
        if names is None:
            return values["<return>"]
        return tuple(values.get(name) for name in names)

    def keep(self, loop: int, iterator: Iterator[Any]) -> Iterator[Any]:
        """Begin a loop over an iterator."""
        self._iterators[loop] = iterator
        return iterator

    def rest(self, loop: int) -> Iterator[Any]:
        """What a loop has not come to yet, for its twin."""
        return self._iterators[loop]

    def drop(self, loop: int) -> None:
        """The loop is over."""
        self._iterators.pop(loop, None)

    def _start(self, region: int, index: int, frame: FrameType) -> bool:
        state = self._states[region]
        paused = state.pauses.stop(index)
        if paused is not None:
            self._rest.in_vain = True
            self._native[region] = paused
            self._covered[region] = 0
            return True
        stop, values = state.quick(index, frame) or state.step(index, FrameNamespace(frame))
        if values is None:
            self._native[region] = stop
            self._covered[region] = 0
            if state.pauses.in_vain and state.pauses.hopeless(waiting=True):
                self._rest.consider(region, self._is_hopeless)
            return True
        self._rest.ran = True
        self._covered[region] = stop
        self._native[region] = 0
        self.bind(region, values, frame)
        return False

    def _is_hopeless(self, region: int, waiting: bool) -> bool:
        return self._states[region].pauses.hopeless(waiting=waiting)

    def bind(self, region: int, values: dict[str, Any], frame: FrameType) -> None:
        """Keep results until the function takes them."""
        self._values[region] = values


class ModuleFrame(Frame):
    """The frame of a cell: results go straight into the namespace."""

    __slots__ = ()

    def bind(self, region: int, values: dict[str, Any], frame: FrameType) -> None:
        """Write the results into the cell's globals."""
        if "<display>" in values:
            self.result = values.pop("<display>")
        frame.f_globals.update(values)
