"""Every moment at which Python may be interrupted: what a program has done by then."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

import numpy as np

Names = dict[str, Any]


def seen(names: Names, watched: Sequence[str]) -> str:
    """What some names are bound to, in full; those that are not bound are missing.

    Examples
    --------
    >>> seen({"x": np.zeros((2, 0)), "n": 3}, "nmx")
    "n=3; x=float64 (2, 0) b''"
    """
    return "; ".join(f"{name}={_text(names[name])}" for name in watched if name in names)


def _text(value: Any) -> str:
    if type(value) is np.ndarray:
        return f"{value.dtype} {value.shape} {value.tobytes()!r}"
    if isinstance(value, np.generic):
        return f"{type(value).__name__} {value.tobytes()!r}"
    return repr(value)


class Moments:
    """Runs code in Python, and notes its names before each of its instructions.

    Parameters
    ----------
    watched : sequence of str
        The names.
    names : callable
        What they are bound to, for a frame of the code.

    Attributes
    ----------
    found : set of str
        What they were bound to at some moment.
    """

    def __init__(self, watched: Sequence[str], names: Callable[[FrameType], Names]) -> None:
        self.found: set[str] = set()
        self._watched = watched
        self._names = names
        self._last = ""

    def run(
        self, codes: Collection[CodeType], function: Callable[..., Any], *arguments: Any
    ) -> Any:
        """Call a function, and note what happens in the frames of some codes."""
        with _each_instruction(codes, self.note):
            return function(*arguments)

    def note(self, frame: FrameType) -> None:
        """Note the names of a frame now."""
        now = seen(self._names(frame), self._watched)
        if now != self._last:
            self._last = now
            self.found.add(now)


@contextmanager
def _each_instruction(
    codes: Collection[CodeType], note: Callable[[FrameType], None]
) -> Iterator[None]:
    """Have something called before each instruction of some codes."""
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is None:
        with _traced(codes, note):
            yield
        return
    # A trace function of Python 3.12 and 3.13 sees no instruction of the first run of a code.
    tool, events = monitoring.PROFILER_ID, monitoring.events
    monitoring.use_tool_id(tool, "moments")
    monitoring.register_callback(tool, events.INSTRUCTION, lambda *_: note(sys._getframe(1)))
    for code in codes:
        monitoring.set_local_events(tool, code, events.INSTRUCTION)
    try:
        yield
    finally:
        for code in codes:
            monitoring.set_local_events(tool, code, events.NO_EVENTS)
        monitoring.register_callback(tool, events.INSTRUCTION, None)
        monitoring.free_tool_id(tool)


@contextmanager
def _traced(codes: Collection[CodeType], note: Callable[[FrameType], None]) -> Iterator[None]:
    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if event == "call":
            if frame.f_code not in codes:
                return None
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        elif event == "opcode":
            note(frame)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)
