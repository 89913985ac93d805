"""Warnings that belong to a line of the user's, though a function of ours makes the call.

Python gives a warning to the frame that runs, asks the filters about its module, and remembers
in its global names what was shown. So the call is made by a function that has all three from the
nearest frame that is not ours.
"""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

OURS = __name__.partition(".")[0]

MOST = 1024
"""Lines that are remembered."""

_callers: dict[tuple[str, int], types.CodeType] = {}


_call = lambda callee, args, kwargs: callee(*args, **kwargs)  # noqa: E731 - it is one line


def attributed(callee: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call a function; what it warns of belongs to the nearest line that is not of this package.

    Parameters
    ----------
    callee : callable
        A function that is not written in Python, or one of NumPy's.
    args, kwargs
        What it gets.

    Examples
    --------
    >>> attributed(max, (1, 2), {})
    2
    """
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    if frame is None:
        return callee(*args, **kwargs)
    key = frame.f_code.co_filename, frame.f_lineno
    code = _callers.get(key)
    if code is None:
        if len(_callers) >= MOST:
            _callers.clear()
        written = _call.__code__
        code = written.replace(co_filename=key[0], co_firstlineno=key[1])
        _callers[key] = code
    names = frame.f_globals
    del frame
    try:
        return types.FunctionType(code, names)(callee, args, kwargs)
    except BaseException as error:
        _hide(error)
        raise


def _hide(error: BaseException) -> None:
    """Leave out the frame that only stands for the line.

    It is done apart: a traceback in a variable of a frame that it holds would keep all alive.
    """
    trace = error.__traceback__
    if trace is not None and trace.tb_next is not None:
        trace.tb_next = trace.tb_next.tb_next


def warn(
    message: Any,
    category: Any = None,
    stacklevel: int = 1,
    source: Any = None,
    **prefixes: Any,
) -> None:
    """``warnings.warn`` of a function of the user's: frames of this package do not count.

    Parameters
    ----------
    message, category, stacklevel, source
        As for `warnings.warn`.
    **prefixes
        What newer versions of Python have besides.
    """
    frame: types.FrameType | None = sys._getframe(1)
    found: types.FrameType | None = None
    left = max(stacklevel, 1)
    while frame is not None and left:
        if not _is_ours(frame):
            found, left = frame, left - 1
        frame = frame.f_back
    is_known = isinstance(category, type) and issubclass(category, Warning)
    is_odd = not (is_known or category is None) and not isinstance(message, Warning)
    if found is None or left or is_odd or prefixes.get("skip_file_prefixes"):
        warnings.warn(message, category, stacklevel + 1, source, **prefixes)
        return
    if isinstance(message, Warning):
        category = type(message)
    names, code = found.f_globals, found.f_code
    warnings.warn_explicit(
        message,
        UserWarning if category is None else category,
        code.co_filename,
        found.f_lineno,
        str(names.get("__name__") or "<string>"),
        names.setdefault("__warningregistry__", {}),
        source=source,
    )


def _is_ours(frame: types.FrameType) -> bool:
    name = frame.f_globals.get("__name__")
    return type(name) is str and name.partition(".")[0] == OURS
