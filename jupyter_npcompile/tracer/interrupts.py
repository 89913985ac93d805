"""Signals that wait while something is half done.

Python runs the handler of a signal between any two instructions, and the stop
button raises ``KeyboardInterrupt`` there. A recording has drawn random numbers
and set NumPy's error state at times; neither may stay so. While signals are held,
they are noted, and handled at the next operation or at the end. Native code that may
run for long handles them itself, at places where it can be given up, and what it has
computed when one comes is not lost: see `run`.
"""

from __future__ import annotations

import operator
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable
from itertools import starmap
from types import FrameType, TracebackType
from typing import Any, cast

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGBREAK")
_HELD = [cast("int", getattr(signal, name)) for name in _NAMES if hasattr(signal, name)]
_signal = vars(signal).get("_signal", signal)
handler_of: Callable[[int], Any] = _signal.getsignal
_set: Callable[[int, Any], Any] = _signal.signal
"""Python's functions without their wrappers, which make enumerations of numbers."""


class _Held:
    """The handlers that were there, and the signals that came.

    Attributes
    ----------
    noted : dict of int to frame or None
        Signals that wait, and where they struck.
    is_open : bool
        Whether what runs now handles them at once.
    """

    def __init__(self) -> None:
        self.noted: dict[int, FrameType | None] = {}
        self._handlers: dict[int, Any] = {}
        self._depth = 0
        self.is_open = False

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # Python handles signals in the main thread
        self._depth += 1
        if self._depth > 1:
            return
        try:
            for number, handler in zip(_HELD, map(handler_of, _HELD), strict=True):
                if callable(handler):
                    self._handlers[number] = handler
                    _set(number, self._note)
        except BaseException:  # a signal came before its turn
            self._leave()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if threading.current_thread() is threading.main_thread():
            self._leave()

    def _leave(self) -> None:
        self._depth -= 1
        if self._depth:
            return
        handlers, self._handlers = self._handlers, {}
        try:
            _set_all(handlers)
        except BaseException:  # a handler that is back already was called
            _set_all(handlers)
            raise
        finally:
            if self.noted:
                noted, self.noted = self.noted, {}
                _handle(noted, handlers)

    @property
    def is_held(self) -> bool:
        """Whether signals wait for this thread."""
        return self._depth > 0 and threading.current_thread() is threading.main_thread()

    def _note(self, number: int, frame: FrameType | None) -> None:
        if not self.is_open:
            self.noted[number] = frame
            return
        self.is_open = False  # who catches what the handler raises is not disturbed
        self._handlers[number](number, frame)
        self.is_open = True

    def handle(self) -> None:
        """Handle the signals that wait, now."""
        noted, self.noted = self.noted, {}
        _handle(noted, self._handlers)


def _set_all(handlers: dict[int, Any]) -> None:
    """Set handlers in one instruction of Python's."""
    deque(starmap(_set, handlers.items()), maxlen=0)


def _handle(noted: dict[int, FrameType | None], handlers: dict[int, Any]) -> None:
    """Call handlers, all of them even if one raises."""
    while noted:
        number, frame = noted.popitem()
        try:
            handlers[number](number, frame)
        finally:
            _handle(noted, handlers)


_held = _Held()


def held() -> _Held:
    """A context in which signals wait for `allow`, or for its end.

    Examples
    --------
    >>> steps = []
    >>> try:
    ...     with held():
    ...         signal.raise_signal(signal.SIGINT)
    ...         steps.append("all is done")
    ... except KeyboardInterrupt:
    ...     steps.append("interrupted")
    >>> steps
    ['all is done', 'interrupted']
    """
    return _held


def allow() -> None:
    """Handle the signals that wait: nothing is half done now."""
    if _held.noted and threading.current_thread() is threading.main_thread():
        _held.handle()


def run(function: Callable[..., Any], *arguments: Any) -> tuple[list[Any], BaseException | None]:
    """Call a function of C during which signals are handled, though they are held.

    Parameters
    ----------
    function : callable
        It leaves nothing half done when it raises.
    *arguments : object
        What it is given.

    Returns
    -------
    results : list
        What it has returned; empty where it has raised.
    error : BaseException or None
        What the function has raised, or the handler of a signal that came while it ran, or later.

    Examples
    --------
    >>> with held():
    ...     run(divmod, 7, 2), run(divmod, 7, 0)
    (([(3, 1)], None), ([], ZeroDivisionError('integer division or modulo by zero')))
    """
    results: list[Any] = []
    if not _held.is_held:
        try:
            return [function(*arguments)], None
        except BaseException as error:
            return results, error
    try:
        _held.is_open = True
        allow()
        # Python looks for signals when a call is over, and what it returned is lost then,
        # unless C has put it somewhere.
        results.extend(starmap(function, (arguments,)))
        _held.is_open = False
    except BaseException as error:
        _held.is_open = False
        return results, error
    return results, None


def at_once(calls: Iterable[tuple[Any, ...]]) -> None:
    """Call functions of C one after the other, so that signals come before or after all.

    Parameters
    ----------
    calls : iterable of tuple
        A function that is not written in Python, and its arguments.

    Examples
    --------
    >>> values = {}
    >>> at_once([(operator.setitem, values, "x", 1), (values.update, {"y": 2})])
    >>> values
    {'x': 1, 'y': 2}
    """
    deque(starmap(operator.call, calls), maxlen=0)
