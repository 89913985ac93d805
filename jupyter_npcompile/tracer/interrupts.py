"""Signals that wait while something is half done.

Python runs the handler of a signal between any two instructions, and the stop
button raises ``KeyboardInterrupt`` there. A recording has drawn random numbers
and set NumPy's error state at times; neither may stay so. While signals are held,
they are noted, and handled at the next operation or at the end.
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
    """

    def __init__(self) -> None:
        self.noted: dict[int, FrameType | None] = {}
        self._handlers: dict[int, Any] = {}
        self._depth = 0

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # Python handles signals in the main thread
        self._depth += 1
        if self._depth > 1:
            return
        try:
            for number in _HELD:
                handler = handler_of(number)
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
        back = [(_set, number, handler) for number, handler in handlers.items()]
        try:
            at_once(back)
        except BaseException:  # a handler that is back already was called
            at_once(back)
            raise
        finally:
            noted, self.noted = self.noted, {}
            _handle(noted, handlers)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.noted[number] = frame

    def handle(self) -> None:
        """Handle the signals that wait, now."""
        noted, self.noted = self.noted, {}
        _handle(noted, self._handlers)


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
