"""The frame: what the guards of a running cell or function ask."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from time import perf_counter
from types import FrameType
from typing import Any, ClassVar

from jupyter_npcompile.cell import Loop
from jupyter_npcompile.runtime.device.residency import Residency
from jupyter_npcompile.runtime.device.watch import Watch
from jupyter_npcompile.runtime.loop_check import Prediction
from jupyter_npcompile.runtime.loop_state import LoopState
from jupyter_npcompile.runtime.mishaps import is_ours
from jupyter_npcompile.runtime.namespace import DISPLAY, FrameNamespace, forget_locals
from jupyter_npcompile.runtime.selector.rest import Rest
from jupyter_npcompile.runtime.selector.selector import Turn
from jupyter_npcompile.runtime.state import RegionState
from jupyter_npcompile.runtime.traceable import RegionCode
from jupyter_npcompile.tracer import interrupts

CHUNK = 0.005
"""Seconds that a twin runs between two looks."""

SHORTEST = 16
"""Iterations of the first chunk."""

GROWTH = 8
"""How many times as long as one chunk the next may be."""

TICKS = itertools.repeat(None)
"""What the twin of a ``while`` goes through."""

END = 1 << 30
"""Behind every statement of a region."""


class Around(tuple["Frame", int]):
    """Is told that a loop of a frame is over, however that is left."""

    __slots__ = ()
    __enter__: ClassVar[Any] = staticmethod(tuple)  # nothing, for less than a call takes

    def __exit__(self, *_: object) -> None:
        frame, loop = self
        frame.hear()
        frame._chunks.pop(loop, None)
        frame._iterators.pop(loop, None)
        began = frame._began.pop(loop, None)
        if began is not None:
            frame.predictions.pop(loop, None)
            try:
                frame._loops[loop].leave(perf_counter() - began)
            except Exception as error:
                frame._gives_up(loop, error)


class Late:
    """In it results may be late: then they are there, whatever happens.

    Parameters
    ----------
    watch : Watch or None
        What they wait for.
    """

    __slots__ = ("_watch",)

    def __init__(self, watch: Watch | None) -> None:
        self._watch = watch

    def __enter__(self) -> None:
        if self._watch is not None:
            self._watch.holds = True

    def __exit__(self, *_: object) -> None:
        if self._watch is not None:
            self._watch.end()


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
    loops : sequence of LoopState
        The loops that native code may run, by number.
    timed : Turn, optional
        When the call is timed as the one that a native form of the whole function competes with.
    watch : Watch, optional
        Keeps what lies on a device.
    written : bool
        Whether the function runs as it was written, without being timed.

    Attributes
    ----------
    written : bool
        Whether the function runs as it was written.
    plain : list of bool
        Whether a loop asks how to go on at the end of an iteration, by number.
    stop : BaseException or None
        What somebody who has asked to stop wants to be raised when the names of a loop are bound.
    leaves : bool
        Whether it leaves its guards.
    predictions : dict of int to Prediction
        What native code has said about the present iteration of loops.
    done : bool
        Whether the whole call has run already: see `tensor_calls`.
    around : type
        What is told that a loop is over.
    tick : None
        What the twin of a ``while`` counts its iterations with.
    iter : callable
        The builtin: that name may mean something else to the user.
    """

    __slots__ = (
        *(
            "_began",
            "_chunks",
            "_covered",
            "_iterators",
            "_loops",
            "_native",
            "_rest",
            "_results",
            "_states",
        ),
        *(
            "_over",
            "_returns",
            "_leaves",
            "_timed",
            "_turn",
            "_values",
            "_waits",
            "plain",
            "predictions",
            "result",
            "tick",
        ),
        *("_watch", "returned", "stop", "written"),
    )

    iter = iter
    around = Around
    done = False
    __enter__: ClassVar[Any] = staticmethod(tuple)

    def __init__(
        self,
        states: Sequence[RegionState],
        rest: Rest,
        turn: Turn | None = None,
        loops: Sequence[LoopState] = (),
        timed: Turn | None = None,
        watch: Watch | None = None,
        *,
        written: bool = False,
    ) -> None:
        self._states = states
        self._watch = watch
        self._loops = loops
        self._began: dict[int, float] = {}
        self._results: dict[int, tuple[Any, ...]] = {}
        self.predictions: dict[int, Prediction] = {}
        self._over = False
        self.returned = False
        self._returns: Any = None
        self.stop: BaseException | None = None
        self._waits = False
        self._leaves = True
        self._rest = rest
        self._turn = turn
        self._timed = timed
        self.written = written or (turn is not None and turn.written)
        self.plain = rest.plain
        self._iterators: dict[int, Iterator[Any]] = {}
        self._chunks: dict[int, tuple[float, int]] = {}
        self._covered: dict[int, int] = {}
        self._native: dict[int, int] = {}
        self._values: dict[int, dict[str, Any]] = {}
        self.result: Any = None

    def wait_for_names(self) -> None:
        """Native code is about to run a loop: signals are held until the names of it are bound."""
        interrupts.held().__enter__()
        self._waits = True

    def hear(self) -> None:
        """The names of a loop are bound: what waited for that happens."""
        if self._waits:
            stop, self.stop, self._waits = self.stop, None, False
            try:
                interrupts.held().__exit__(None, None, None)
                if stop is not None:
                    raise stop
            except KeyboardInterrupt as interrupt:
                raise interrupt.with_traceback(None)  # noqa: B904 - it is the same one

    @property
    def leaves(self) -> bool:
        """Whether the loop that has asked last goes on without its guards.

        This and `over` are asked for after the names are bound that native code has computed.
        """
        self.hear()
        return self._leaves

    @leaves.setter
    def leaves(self, value: bool) -> None:
        self._leaves = value

    @property
    def over(self) -> bool:
        """Whether the loop that has asked last is over: native code has run it."""
        self.hear()
        return self._over

    @over.setter
    def over(self, value: bool) -> None:
        self._over = value

    def at(self, region: int, index: int, frame: FrameType | None = None) -> bool:
        """Whether statement ``index`` of a region must run natively."""
        if index:
            if index < self._covered.get(region, 0):
                return False
            if index < self._native.get(region, 0):
                return True
        try:
            return self._start(region, index, frame or sys._getframe(1))
        except KeyboardInterrupt as interrupt:
            # Where in our code it struck tells the user nothing, and takes long to show.
            raise interrupt.with_traceback(None)  # noqa: B904 - it is the same one
        except Exception as error:
            if not is_ours(error):
                raise
            self._states[region].fail(index, error)
            self._native[region], self._covered[region] = index + 1, 0
            return True

    def end(self, *_: object) -> None:
        """The call is over, one way or the other. Who is told twice has nothing more to do."""
        if self._watch is not None:
            self._watch.end()  # host memory must be up to date
        turn, timed, rest = self._turn, self._timed, self._rest
        self._turn = self._timed = None
        if timed is not None and rest.changes == timed.changes:
            timed.bucket.add(True, perf_counter() - timed.began)
        if turn is not None:
            seconds = perf_counter() - turn.began
            if rest.changes == turn.changes:
                turn.bucket.add(turn.written, seconds)
                if not turn.written and rest.saved > turn.saved:
                    turn.bucket.expect(seconds, rest.saved - turn.saved)
                if turn.bucket.winner and self._watch is not None:
                    for number, state in enumerate(self._states):
                        if rest.is_judged(number):
                            state.leave_device(turn.bucket.note)
            else:
                turn.bucket.void(turn.written, seconds)

    __exit__ = end

    def take(self, region: int, index: int) -> Any:
        """The live targets of a covered statement; for ``return``, the value."""
        state = self._states[region]
        values = self._values[region]
        if index + 1 == self._covered[region]:
            del self._values[region]  # what the function lets go of is kept nowhere else
        names = state.taken(index)
        if names is None:
            return values["<return>"]
        return tuple(values.get(name) for name in names)

    def keep(self, loop: int, iterator: Iterator[Any]) -> Iterator[Any]:
        """Begin a loop over an iterator."""
        self._iterators[loop] = iterator
        return iterator

    def begin(self, loop: int, iterator: Iterator[Any] | None = None) -> bool:
        """A loop begins; whether native code has run it, or some of it."""
        if iterator is not None:
            self._iterators[loop] = iterator
        self.over = self.returned = False
        state = self._loops[loop]
        if self.written or not state.active:
            return False
        self._began[loop] = perf_counter()
        try:
            if not state.enter(self, sys._getframe(1), iterator):
                return False
            for region in state.loop.regions:
                self._states[region].remember()
            return True
        except KeyboardInterrupt as interrupt:
            raise interrupt.with_traceback(None)  # noqa: B904 - it is the same one
        except Exception as error:
            return self._gives_up(loop, error)

    def native(self, loop: int) -> bool:
        """An iteration is over; whether native code has run the next ones."""
        self.over, self.returned, self.leaves = False, False, True
        state = self._loops[loop]
        if self.written or not state.active:
            return False
        try:
            return state.goes_on(self, sys._getframe(1), self._iterators.get(loop))
        except KeyboardInterrupt as interrupt:
            raise interrupt.with_traceback(None)  # noqa: B904 - it is the same one
        except Exception as error:
            return self._gives_up(loop, error)

    def _gives_up(self, loop: int, error: Exception) -> bool:
        """Native code will not run a loop, for something of ours has failed: Python goes on."""
        self.hear()
        if not is_ours(error):
            raise error
        self.predictions.pop(loop, None)
        self._loops[loop].fail(error)
        return False

    def skips(self, loop: int) -> bool:
        """An iteration is over at a ``continue``: what native code has said of it is compared."""
        prediction = self.predictions.pop(loop, None)
        if prediction is not None:
            try:
                self._loops[loop].compare(prediction, FrameNamespace(sys._getframe(1)))
            except Exception as error:
                return self._gives_up(loop, error)
        return False

    def forgets(self, loop: int) -> bool:
        """At a ``continue`` after which more will happen: nothing can be compared."""
        self.predictions.pop(loop, None)
        return False

    def finish(
        self,
        loop: Loop,
        values: dict[str, Any],
        rest: Iterator[Any] | None,
        namespace: FrameNamespace,
    ) -> None:
        """Keep what native code has computed until the function takes it."""
        self._results[loop.id] = tuple(values[name] for name in loop.names)
        if rest is not None:
            self._iterators[loop.id] = rest

    def give_back(self, value: Any) -> None:
        """Native code has come to a ``return``."""
        self.returned = True
        self._returns = value

    def value(self) -> Any:
        """What the function returns."""
        self.hear()
        value, self._returns = self._returns, None
        return value

    def results(self, loop: int) -> tuple[Any, ...]:
        """What the names of a loop are bound to."""
        return self._results.pop(loop)

    def outside(self, number: int) -> bool:
        """A statement outside regions is about to run, or a header has run."""
        if self._watch is not None:
            self._watch.outside(number, sys._getframe(1))
        return False

    @property
    def late(self) -> Late:
        """In a loop results may be late."""
        return Late(self._watch)

    def shows(self) -> bool:
        """What a cell ends with is about to be displayed."""
        if self._watch is not None:
            self._watch.show()
        return False

    def rest(self, loop: int) -> Iterator[Any]:
        """What a loop has not come to yet."""
        return self._iterators[loop]

    def alone(self, loop: int) -> Iterator[Any]:
        """The same for its twin, which runs to the end without a guard."""
        self.drop_copies()
        return self._iterators[loop]

    def chunk(self, loop: int) -> Iterator[Any]:
        """What its twin runs: all that is left, or a part, after which it comes `back`."""
        self.drop_copies()
        iterator = self._iterators.get(loop, TICKS)
        if not self._has_hope(loop):
            self._chunks.pop(loop, None)
            return iterator
        _, length = self._chunks.get(loop, (0.0, SHORTEST))
        self._chunks[loop] = (perf_counter(), length)
        return itertools.islice(iterator, length)

    def drop_copies(self) -> None:
        """Something runs without guards, and may read anything and write into it."""
        if self._watch is not None:
            self._watch.residency.drop()

    def back(self, loop: int) -> bool:
        """Whether the twin of a loop ends because its chunk does."""
        if loop not in self._chunks:
            return False
        began, length = self._chunks.pop(loop)
        wanted = length * CHUNK / max(perf_counter() - began, 1e-9)
        length = int(min(max(wanted, SHORTEST), GROWTH * length))
        if self._has_hope(loop):
            self._chunks[loop] = (0.0, length)
        return True

    def _has_hope(self, loop: int) -> bool:
        """Whether something is being compiled for a loop, or has not had its turn."""
        state = self._loops[loop]
        return (
            state.is_compiling
            or state.is_untried
            or state.may_be_asked_again
            or any(self._states[region].pauses.waiting for region in state.loop.regions)
        )

    def is_numpy(self, loop: int) -> bool:
        """Whether NumPy was found to be faster than all that was compiled of a loop's regions."""
        regions = self._loops[loop].loop.regions
        return all(self._states[region].is_numpy for region in regions)

    def is_awaited(self, loop: int) -> bool:
        """Whether something of a loop's regions is still being compiled."""
        regions = self._loops[loop].loop.regions
        return any(self._states[region].is_awaited for region in regions)

    def hopes_for_device(self, loop: int) -> bool:
        """Whether segments of a loop run on the device that was asked for, or may do so yet."""
        if self._watch is None:
            return False
        states = [self._states[region] for region in self._loops[loop].loop.regions]
        plans = [plan for state in states for plan in state.every_plan()]
        return any(plan.hopes_for_device for plan in plans) or bool(states and not plans)

    def _start(self, region: int, index: int, frame: FrameType) -> bool:
        state = self._states[region]
        if self._watch is not None:
            self._watch.open(frame)
        if self.predictions and self._is_timed(region):
            self._native[region], self._covered[region] = END, 0
            if self._watch is not None:
                self._leave(self._watch, state, (index, END), frame)
            return True
        paused = state.pauses.stop(index)
        if paused is not None:
            self._rest.in_vain = True
            self._native[region] = paused
            self._covered[region] = 0
            if self._watch is not None:
                self._leave(self._watch, state, (index, paused), frame)
            return True
        self._values.clear()
        if self._watch is None:
            stop, values = state.quick(index, frame) or self._slow(state, index, frame)
        else:
            stop, values = self._slow(state, index, frame, self._watch.residency)
        if values is None:
            if self._watch is not None:
                self._leave(self._watch, state, (index, stop), frame)
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

    @staticmethod
    def _leave(watch: Watch, state: RegionState, part: tuple[int, int], frame: FrameType) -> None:
        """Python is about to run some statements of a region."""
        assert isinstance(state.code, RegionCode)
        watch.native(state.code.region, *part, frame)

    def _is_timed(self, region: int) -> bool:
        """Whether an iteration of Python's is being timed: then nothing of ours runs in it."""
        return any(region in self._loops[loop].loop.regions for loop in self.predictions)

    @staticmethod
    def _slow(
        state: RegionState, index: int, frame: FrameType, copies: Residency | None = None
    ) -> tuple[int, Any]:
        try:
            return state.step(index, FrameNamespace(frame), copies)
        finally:
            forget_locals(frame)

    def _is_hopeless(self, region: int, waiting: bool, seldom: bool) -> bool:
        return self._states[region].pauses.hopeless(waiting=waiting, seldom=seldom)

    def bind(self, region: int, values: dict[str, Any], frame: FrameType) -> None:
        """Keep results until the function takes them."""
        self._values[region] = values


class ModuleFrame(Frame):
    """The frame of a cell: results go straight into the namespace."""

    __slots__ = ()

    def bind(self, region: int, values: dict[str, Any], frame: FrameType) -> None:
        """Write the results into the cell's globals."""
        if DISPLAY in values:
            self.result = values.pop(DISPLAY)
        frame.f_globals.update(values)

    def finish(
        self,
        loop: Loop,
        values: dict[str, Any],
        rest: Iterator[Any] | None,
        namespace: FrameNamespace,
    ) -> None:
        """Write what native code has computed into the cell's globals."""
        for name in loop.names:  # new ones are there in Python's order
            if values[name] is not NotImplemented:
                namespace.globals[name] = values[name]
        if rest is not None:
            self._iterators[loop.id] = rest
