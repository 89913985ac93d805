"""Compiled functions that came from another process by their code: compiled anew where they are.

Who sends tasks sends a function with each of them, and each time it arrives as a new one. What
was compiled for the first serves those after it, where they are the same: see `function_content`.
"""

from __future__ import annotations

import contextlib
import sys
import types
import weakref
from typing import Any

from jupyter_npcompile.cell import HANDLE
from jupyter_npcompile.runtime import first_use, sent_sources
from jupyter_npcompile.runtime.defaults import NEVER, Defaults
from jupyter_npcompile.runtime.function_content import content_of
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.functions import handle_for
from jupyter_npcompile.runtime.namespace import forget_locals
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.sent_sources import Place, Text, texts_of
from jupyter_npcompile.runtime.tensor_calls import Done, arguments
from jupyter_npcompile.tracer.helpers import RUNS_LATER

MOST = 256
"""Functions that have arrived and are kept for those like them, the latest."""

LENT = 32
"""Calls of a function that another one makes for it: then it is compiled itself, for each of them
has to find out whether it is still like that."""

_kept: dict[tuple[Options, bytes], types.FunctionType] = {}
"""The first functions of their kind."""


class Arrived:
    """What the guards of such a function close over, until it has been called or asked for.

    What was compiled stays where it was: it belongs to that machine.

    Parameters
    ----------
    device : str
        Where it is to run.
    ahead : bool
        Whether it is compiled first.
    texts : dict
        Its text and that of what it calls, see `sent_sources`.

    Examples
    --------
    >>> arrived = Arrived("cpu", False, {})
    >>> arrived.pick(len), arrived.activate() is None
    (<built-in function len>, True)
    """

    native = None
    within = False
    unasked = 0

    def __init__(self, device: str, ahead: bool, texts: dict[Place, Text]) -> None:
        self.options = Options(device, ahead)
        self.texts = texts
        self._function: weakref.ref[types.FunctionType] | None = None
        self._is_hopeless = False
        self._lent = 0

    def __setstate__(self, function: types.FunctionType) -> None:
        self._function = weakref.ref(function)

    def __reduce__(self) -> Any:
        function = None if self._function is None else self._function()
        options = self.options
        return type(self), (options.device, options.ahead, self.texts), function

    @property
    def defaults(self) -> Defaults:
        """What the defaults of the function are compared with, see `FunctionHandle.defaults`."""
        function = None if self._function is None else self._function()
        source = getattr(function, "__wrapped__", None)
        if function is None or source is None:
            return NEVER
        return Defaults(source, function)

    def renewed(self) -> Done | None:
        """The call with defaults that the function it was made from has been given since."""
        caller = sys._getframe(1)
        function = None if self._function is None else self._function()
        if function is None or function.__code__ is not caller.f_code:
            return None
        args, kwargs = self.defaults.renew(function, caller.f_locals)
        forget_locals(caller)
        return Done(function(*args, **kwargs))

    def activate(self) -> Done | None:
        """The first calls: by the function like it that came before, or as it is compiled here."""
        caller = sys._getframe(1)
        function = None if self._function is None else self._function()
        if function is None or function.__code__ is not caller.f_code:
            return None
        runs = self._first_like(function)
        if runs is None or caller.f_code.co_flags & RUNS_LATER:
            return None  # what a generator returns is not what it gives
        args, kwargs = arguments(caller.f_code, caller.f_locals)
        forget_locals(caller)
        return Done(runs(*args, **kwargs))

    def _first_like(self, function: types.FunctionType) -> types.FunctionType | None:
        """The first function like this one, or it itself, compiled; None if it cannot be."""
        content = None
        if self._lent < LENT and not function.__code__.co_flags & RUNS_LATER:
            content = content_of(function)
        if content is None:
            return function if self.settle(function) is not None else None
        key = self.options, content
        kept = _kept.get(key)
        if kept is not None and content_of(kept) == content:  # it, too, is as it was
            self._lent += 1
            # What it warns of, it warns of where it was called.
            registry = function.__globals__.setdefault("__warningregistry__", {})
            kept.__globals__["__warningregistry__"] = registry
            return kept
        if self.settle(function) is None:
            return None
        with contextlib.suppress(KeyError, StopIteration, RuntimeError):  # other threads
            while len(_kept) >= MOST:
                _kept.pop(next(iter(_kept)))
        _kept[key] = function
        return function

    def pick(self, callee: Any) -> Any:
        """So does what it calls."""
        return callee

    def settle(self, function: types.FunctionType) -> FunctionHandle | None:
        """What stands behind the function from now on; None where it cannot be compiled."""
        if self._is_hopeless:
            return None
        written: types.FunctionType = function.__wrapped__  # type: ignore[attr-defined]
        sent_sources.settle(function, self.texts)
        with contextlib.suppress(OSError):
            first_use.prepare()
        handle = handle_for(written, self.options)
        if handle is not None and handle.adopt(function):
            return handle
        self._is_hopeless = True
        return None


def departure(handle: FunctionHandle) -> tuple[Any, ...]:
    """How a handle is pickled, with the code of its function: see `object.__reduce__`."""
    functions = list(handle.functions())
    texts = texts_of(functions[0]) if functions else {}
    options = handle.options
    state = functions[0] if len(functions) == 1 else None  # which one is asked for, nobody says
    return Arrived, (options.device, options.ahead, texts), state


def settled(function: types.FunctionType) -> Any:
    """What stands behind a function with guarded code, which may have arrived."""
    index = function.__code__.co_freevars.index(HANDLE)
    found = (function.__closure__ or ())[index].cell_contents
    return found.settle(function) if isinstance(found, Arrived) else found
