"""What the guards of a compiled function close over: how each of its calls runs."""

from __future__ import annotations

import functools
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter
from typing import Any

from jupyter_npcompile.cell import HANDLE, FunctionProgram, SourceText, function_code, moved
from jupyter_npcompile.runtime import history
from jupyter_npcompile.runtime.defaults import NEVER, Defaults
from jupyter_npcompile.runtime.device.watch import watch_of
from jupyter_npcompile.runtime.devices import CPU, competes
from jupyter_npcompile.runtime.frame import Frame
from jupyter_npcompile.runtime.helpers import Picks, helpers
from jupyter_npcompile.runtime.loop_state import loop_states
from jupyter_npcompile.runtime.mishaps import described, is_ours
from jupyter_npcompile.runtime.namespace import forget_locals
from jupyter_npcompile.runtime.policy import Options, is_open
from jupyter_npcompile.runtime.selector.rest import Hope, Rest
from jupyter_npcompile.runtime.selector.selector import Turn
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.shortcut import Native
from jupyter_npcompile.runtime.state import RegionState, add_filename
from jupyter_npcompile.runtime.tensor_calls import Done, arguments, follow, remember
from jupyter_npcompile.runtime.traceable import RegionCode
from jupyter_npcompile.runtime.whole_function import WholeFunction

BUSY = 0.02
"""Seconds in NumPy of what a device runs, beyond which native code for the whole function is not
tried on it."""

SPARED = 31
"""Calls at the most that do not ask, after one that did: that takes as long as ten of them."""

FIRST_ASKED = 8
"""Calls that run as they were written, of those that ask, before loops without native code are
asked again; then twice as many, and so on."""

CAPTURES = 2
"""Calls, one after the other, that run for that: of two sides of a race one has guards."""

_sparing: weakref.WeakSet[FunctionHandle] = weakref.WeakSet()
"""Those that may have spare calls."""


def ask_again() -> None:
    """Each function is asked when it is called next: another cell begins."""
    for handle in list(_sparing):
        handle.unasked, handle.spares = 0, False
    _sparing.clear()


class FunctionHandle(Picks):
    """What the guards of a compiled function close over.

    Parameters
    ----------
    program : FunctionProgram
        Its skeleton and regions.
    options : Options
        How it is compiled.
    source : SourceText
        The text of its cell or file.

    Attributes
    ----------
    native : callable or None
        What runs calls at once, see `shortcut`; it returns this handle when it has not.
    defaults : Defaults
        What its defaults are compared with.
    within : bool
        Whether it runs as it was written, and so does what it calls of itself: to be asked
        whether it does takes as long as a small call.
    unasked : int
        Calls that run as it was written without being asked, unless torch has come meanwhile.
    spares : bool
        Whether there have been such calls since the present cell began.
    is_shown : bool
        Whether reports are about it when it has run.
    when_gone : callable
        Is called when nobody has the function any more.
    """

    is_shown = True
    modules = sys.modules

    def __init__(self, program: FunctionProgram, options: Options, source: SourceText) -> None:
        self.program = program
        self.options = options
        self.source = source
        self.states = [RegionState(RegionCode(r), options) for r in program.regions]
        self.namespace: dict[str, Any] = {}
        self.filenames: set[str] = set()
        self._codes: dict[int, weakref.ref[types.CodeType]] = {}
        self._known_code: dict[int, types.CodeType] = {}
        self._made = weakref.WeakValueDictionary[int, types.FunctionType]()
        self.loops = loop_states(program.loops, options, self.states, in_module=False)
        self._rest = Rest(
            [loop.regions for loop in program.loops],
            comes_back=[loop.comes_back for loop in program.loops],
        )
        for state in self.states:
            state.rest = self._rest
        for loop in self.loops:
            loop.rest = self._rest
        self.whole = WholeFunction.of(program, self.loops, self._rest, ahead=options.ahead)
        waits = options.ahead and options.device != CPU
        self._may_go_whole = options.trial is None and competes(options.device) and not waits
        self._rest.allowance.is_free = options.ahead
        known = weakref.ref(self)  # it goes when the function does
        self._rest.hope = lambda: "" if (it := known()) is None else it.hope
        self._rest.asks = lambda: None if (it := known()) is None else it.ask()
        self._alone = False
        self.native: Native | None = None
        self.defaults = NEVER
        self.within = False
        self.unasked = 0
        self._asked, self._next_asked = 0, FIRST_ASKED
        self._captures = 0
        self.spares = False
        self.when_gone: Callable[[], object] = lambda: None
        self._picked = helpers.known(options)

    @property
    def rest(self) -> Rest:
        """Whether it runs as it was written for a while."""
        return self._rest

    def watched(self) -> tuple[list[Any], list[Any]]:
        """What ran last, and what was explained since, as far as reports are about this."""
        return history.watched()

    def ask(self) -> None:
        """The next call asks how it runs: there is something new."""
        self.unasked = 0

    def spare(self) -> int:
        """How many calls need not come here, for they would run as they were written."""
        rest, selector = self._rest, self._rest.selector
        if rest.left > 0:
            return rest.spare(rest.left)
        is_whole = self.whole is not None and self.whole.is_ready and not self.whole.has_lost
        return 0 if is_whole or not selector.written else selector.lend()[0]

    def activate(self) -> Frame | Done | None:
        """State for one call of the function; None when it runs as it was written."""
        try:
            if "torch" in self.modules:
                done = self._followed(sys._getframe(1))
                if done is not None:
                    return done
            rest, timed = self._rest, None
            whole = self.whole
            sought = whole if whole is not None and whole.is_sought and self._goes_whole() else None
            if sought is not None and self.options.ahead:
                self._compile_ahead(sought, sys._getframe(1))
                sought = None
            elif sought is not None and sought.is_new:
                sought.recall(sys._getframe(1))
                sought = sought if sought.is_sought else None
            if whole is not None and whole.is_ready and not self._alone and self._is_native(whole):
                caller = sys._getframe(1)
                if id(caller.f_code) not in self._codes:
                    return None  # somebody gave the function the code of another
                if self._goes_whole():
                    if self.is_shown:
                        history.remember(self)
                    over, result, timed = whole.call(caller, lambda: self._guarded(caller))
                    if over:
                        self.unasked = 0  # it may have run as it was written, to be compared
                        if caller.f_globals is self.namespace:
                            self.native = self._shortcut(whole)
                        return Done(result)
                    if self.options.ahead and (whole.closed or not whole.fits):
                        self._compile_parts(self.options)
            if rest.left > 0:  # several threads may count it down
                rest.left -= 1
                if self.is_shown:
                    history.remember(self)
                return self._written(timed, rest.spare)
            caller = sys._getframe(1)
            if id(caller.f_code) not in self._codes:
                return None  # somebody gave the function the code of another
            if self.is_shown:
                history.remember(self)
            selector, turn, watch = rest.selector, None, None
            if self.program.reaches is not None:
                watch = watch_of(self.options.device, self.program.reaches)
                if watch is not None:
                    watch.holds = self.program.holds
            if not selector.is_blind() and is_open(self.options):
                if any(loop.is_untried for loop in self.loops):
                    rest.tries()
                    if sought is not None:
                        sought.consider(caller)
                    return Frame(self.states, rest, None, self.loops, timed, watch)
                turn = selector.turn(caller.f_locals, rest.changes, rest.saved)
                forget_locals(caller)
            if turn is None and selector.written:
                if sought is not None:
                    sought.consider(caller)
                if not self._asks_loops():
                    return self._written(timed, selector.spare)
            if (turn is None or not turn.written) and rest.begins():
                for state in self.states:
                    state.pauses.wake()
                for loop in self.loops:
                    loop.wake()
            if sought is not None:
                sought.consider(caller)
            if turn is not None and turn.written and self.program.recurs:
                return Outermost(self, turn)
            return Frame(self.states, rest, turn, self.loops, timed, watch)
        except Exception as error:
            if not self._gives_up(error):
                raise
            return None

    def _gives_up(self, error: Exception) -> bool:
        """Whether something of ours has failed, so that the function runs as it was written."""
        if not is_ours(error):
            return False
        reason = described(error)
        self.whole = self.native = None
        for state in self.states:
            state.closed.update(dict.fromkeys(range(state.code.count), reason))
        for loop in self.loops:
            loop.close(reason)
        self._rest.left = sys.maxsize
        return True

    def _shortcut(self, whole: WholeFunction) -> Native | None:
        """What the next calls may take, see `WholeFunction.shortcut`; this one has happened."""
        try:
            return whole.shortcut(self, self.namespace)
        except Exception as error:
            if not self._gives_up(error):
                raise
            return None

    def _is_native(self, whole: WholeFunction) -> bool:
        """Whether native code, which is there, may run this call."""
        return not (self._captures < CAPTURES and self._records_now(whole)) and whole.is_asked()

    def _records_now(self, whole: WholeFunction) -> bool:
        """Whether this call runs with guards, though there is a native form: to be recorded.

        Calls have earned that by now. Then there is a graph to look at, and it is known whether
        segments may be faster, however the function is spelled.
        """
        if self.options.ahead or not self._rest.allowance.is_earned:
            return False  # the first call has done it, or a later one will
        if not any(form.iterations for form in whole.forms):
            return False  # that comes first, and so does a call that it runs
        plans = [plan for state in self.states for plan in state.every_plan()]
        if plans or not any(state.postponed for state in self.states):
            self._captures = CAPTURES
            if any(plan.state == "ready" for plan in plans):  # an earlier kernel had compiled it
                self._rest.end()
            return False
        self._captures += 1
        self._rest.left = 0
        self._rest.selector.end()
        return True

    def _compile_ahead(self, whole: WholeFunction, caller: types.FrameType) -> None:
        """Have all of it compiled, and wait; what else there may be comes in the background."""
        began = perf_counter()
        whole.consider(caller)
        self._rest.allowance.spent += perf_counter() - began
        if whole.is_ready:
            self._compile_parts(replace(self.options, ahead=False))

    def _compile_parts(self, options: Options) -> None:
        """How segments and loops are compiled from now on."""
        for state in self.states:
            state.options = options
        for loop in self.loops:
            loop.options = options

    def _asks_loops(self) -> bool:
        """Whether a call that would run as it was written has guards: ever more seldom.

        A loop for which there is no native code may have met other types by then.
        """
        if not any(loop.is_declined for loop in self.loops):
            return False
        self._asked += 1
        if self._asked < self._next_asked:
            return False
        self._next_asked *= 2
        for loop in self.loops:
            loop.wake()
        return True

    def _goes_whole(self) -> bool:
        """Whether native code may run all of it: nobody waits for it, or asks for a tier.

        What keeps a device busy is not tried: that would take long.
        """
        if not self._may_go_whole or settings.tier != "auto":
            return False
        if self.options.device == CPU:
            return True
        return sum(state.numpy_seconds_there for state in self.states) < BUSY

    @property
    def hope(self) -> Hope:
        """Whether all of the function runs natively, or may do so yet, on the CPU.

        Who compiles ahead wants to look at what was captured, too.
        """
        is_possible = self.options.device == CPU and self._goes_whole()
        hope = self.whole.hope if self.whole is not None and is_possible else ""
        return "" if self.options.ahead and hope != "clear" else hope

    def _written(self, timed: Turn | None, spare: Callable[[int], int]) -> Frame | None:
        """State for a call that runs as it was written; None if nobody asks when it is over.

        Then those after it need not be asked, up to as many as there are to `spare`. Reports
        may not know which of several functions ran last, until the next cell begins.
        """
        if self.program.recurs:
            return Outermost(self, timed=timed)
        if timed is not None:
            return Frame(self.states, self._rest, None, self.loops, timed, written=True)
        if "torch" not in self.modules:
            self.unasked = spare(SPARED)
            if not self.spares:
                self.spares = True
                _sparing.add(self)
        return None

    def _guarded(self, caller: types.FrameType) -> Any:
        """The same call, but not by native code for all of it."""
        args, kwargs = arguments(caller.f_code, caller.f_locals)
        forget_locals(caller)
        function = self._made[id(caller.f_code)]
        self._alone, self.native = True, None
        try:
            return function(*args, **kwargs)
        finally:
            self._alone = False

    def renewed(self) -> Done | None:
        """The call with defaults that the function it was made from has been given since."""
        caller = sys._getframe(1)
        made = self._made.get(id(caller.f_code))
        if made is None:
            return None  # somebody gave the function the code of another
        args, kwargs = self.defaults.renew(made, caller.f_locals)
        forget_locals(caller)
        return Done(made(*args, **kwargs))

    def _followed(self, caller: types.FrameType) -> Done | None:
        """The call when it has tensors with a history among its arguments; else None."""
        try:
            if not remember(caller.f_locals.values()):
                return None
            args, kwargs = arguments(caller.f_code, caller.f_locals)
        finally:
            forget_locals(caller)
        made = self._made.get(id(caller.f_code))
        function = None if made is None else self._written_form(made)
        if function is None:
            return None  # somebody gave the function the code of another
        if self.is_shown:
            history.remember(self)
        return Done(follow(function, args, kwargs))

    def _written_form(self, made: types.FunctionType) -> types.FunctionType | None:
        """The function behind a compiled one."""
        written: types.FunctionType = made.__wrapped__  # type: ignore[attr-defined]
        return written

    def __reduce__(self) -> Any:
        """Pickled with a function's code, for another process: see `arrivals`."""
        from jupyter_npcompile.runtime.arrivals import departure  # which imports this

        return departure(self)

    def functions(self) -> Iterator[types.FunctionType]:
        """The functions that it stands behind."""
        return self._made.values()

    def attach(self, function: types.FunctionType) -> types.FunctionType:
        """A copy of a function with guarded code, and ``__wrapped__`` set to the original."""
        code = self._code_like(function.__code__)
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        cells[HANDLE] = types.CellType(self)
        made = types.FunctionType(
            code,
            function.__globals__,
            function.__name__,
            function.__defaults__,
            tuple(cells[name] for name in code.co_freevars),
        )
        made.__kwdefaults__ = function.__kwdefaults__
        functools.update_wrapper(made, function)
        self._follow(function, made)
        self._keep(made)
        return made

    def adopt(self, function: types.FunctionType) -> bool:
        """Stand behind a function that has guarded code already; whether that could be."""
        code = self._code_like(function.__code__)
        if code.co_freevars != function.__code__.co_freevars:
            return False
        function.__code__ = code
        (function.__closure__ or ())[code.co_freevars.index(HANDLE)].cell_contents = self
        self._follow(function.__wrapped__, function)  # type: ignore[attr-defined]
        self._keep(function)
        return True

    def _follow(self, source: types.FunctionType, made: types.FunctionType) -> None:
        if self.program.follows:
            self.defaults = Defaults(source, made)

    def _keep(self, made: types.FunctionType) -> None:
        code, codes, number = made.__code__, self._codes, id(made.__code__)
        self.namespace = made.__globals__
        add_filename(code.co_filename, self.filenames, self.states)
        codes[number] = weakref.ref(code, lambda _: codes.pop(number, None))
        self._made[number] = made
        weakref.finalize(made, _gone, weakref.ref(self)).atexit = False

    def _code_like(self, code: types.CodeType) -> types.CodeType:
        """Guarded code in place of some code."""
        return self._code(code.co_filename, code.co_flags).replace(co_qualname=code.co_qualname)

    @property
    def is_there(self) -> bool:
        """Whether somebody has a function that this stands behind."""
        return any(True for _ in self._made.values())  # which leaves out what is about to go

    def abandon(self) -> None:
        """Nobody has the function any more: what is compiled for it is given up."""
        for state in self.states:
            state.abandon()
        for loop in self.loops:
            loop.abandon()
        if self.whole is not None:
            self.whole.abandon()
        self.when_gone()

    def _code(self, filename: str, flags: int) -> types.CodeType:
        """Guarded code: a cell that runs again defines its functions anew, in another file."""
        known = self._known_code.get(flags)
        if known is not None:
            return moved(known, filename)
        code = self._known_code[flags] = function_code(self.program, filename, flags)
        return code.replace()  # each function has its own


def _gone(reference: weakref.ref[FunctionHandle]) -> None:
    """A function is gone, for it was defined anew, say."""
    handle = reference()
    if handle is not None and not handle.is_there:
        handle.abandon()


class Outermost(Frame):
    """State for a call of a function that calls itself, where all of that runs as it was written.

    Parameters
    ----------
    handle : FunctionHandle
        Of the function.
    turn, timed : Turn, optional
        As for a `Frame`.
    """

    __slots__ = ("_handle",)

    def __init__(
        self, handle: FunctionHandle, turn: Turn | None = None, timed: Turn | None = None
    ) -> None:
        super().__init__(handle.states, handle.rest, turn, handle.loops, timed, written=True)
        self._handle = handle
        handle.within = True

    def end(self, *_: object) -> None:
        """The call is over, one way or the other."""
        self._handle.within = False
        super().end()

    __exit__ = end

    def __del__(self) -> None:
        # An interrupt may strike where the function has got this, and does not know it yet.
        self._handle.within = False


class HelperHandle(FunctionHandle):
    """The same for the compiled form of a function that compiled code calls: see `helpers`.

    Reports are about what calls it.
    """

    is_shown = False

    def __init__(self, program: FunctionProgram, options: Options, source: SourceText) -> None:
        super().__init__(program, options, source)
        self._functions: dict[int, weakref.ref[types.FunctionType]] = {}

    def watched(self) -> tuple[list[Any], list[Any]]:
        """Nothing that reports are about changes when it runs."""
        return [self], []

    def attach(self, function: types.FunctionType) -> types.FunctionType:
        """A copy of a function with guarded code, which does not keep the function."""
        made = super().attach(function)
        del made.__wrapped__  # type: ignore[attr-defined]
        self._functions[id(made.__code__)] = weakref.ref(function)
        return made

    def _written_form(self, made: types.FunctionType) -> types.FunctionType | None:
        function = self._functions.get(id(made.__code__))
        return None if function is None else function()
