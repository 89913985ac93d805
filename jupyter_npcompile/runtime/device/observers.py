"""Who may look at an array while only segments and known statements run.

Python calls functions of the user's between any two instructions: handlers of
signals, trace functions, callbacks of the garbage collector, whoever shows warnings.
None of them tells before it looks. Where there is one, results are copied back at once.
"""

from __future__ import annotations

import gc
import signal
import sys
import warnings
import weakref
from typing import Any

import numpy as np

from jupyter_npcompile.runtime.device.layouts import owns
from jupyter_npcompile.runtime.device.plain_data import FIXED, LARGEST
from jupyter_npcompile.runtime.device.residency import is_alone
from jupyter_npcompile.tracer.interrupts import handler_of
from jupyter_npcompile.tracer.memory import Array, owner

_SIGNALS = tuple(map(int, signal.valid_signals()))

_NOBODY = (int(signal.SIG_IGN), signal.default_int_handler)
"""Handlers that call nobody, besides 0 and None: the usual, and one that Python has not set."""

_SHOWS = ("IPython.", "ipykernel.", "warnings.")
"""Modules that show warnings without looking at arrays."""

_OURS = "jupyter_npcompile."


def is_unobserved() -> bool:
    """Whether no code of the user's runs unless a statement calls it, or an object dies.

    Examples
    --------
    >>> sys.setprofile(lambda *event: None)
    >>> is_unobserved()
    False
    >>> sys.setprofile(None)
    """
    return (
        sys.gettrace() is None
        and sys.getprofile() is None
        and not _is_monitored()
        and not gc.callbacks
        and all(map(_calls_nobody, filter(None, map(handler_of, _SIGNALS))))
        and _module(warnings.showwarning).startswith(_SHOWS)
        and is_alone()
    )


def dies_silently(value: Any, budget: int = LARGEST) -> bool:
    """Whether nobody is called when an object goes: no ``__del__``, no callback of a reference.

    Parameters
    ----------
    value : object
        What a name is bound to, before it is bound to something else.
    budget : int
        Elements of containers that are looked at; larger ones count as foreign.

    Examples
    --------
    >>> array = np.ones(3)
    >>> dies_silently([array, {"a": (1, "text")}])
    True
    >>> reference = weakref.ref(array, print)
    >>> dies_silently([array]), dies_silently(open)
    (False, False)
    """
    return _are_silent([value], budget)


def _are_silent(values: list[Any], budget: int) -> bool:
    while values:
        value = values.pop()
        kind = type(value)
        if kind in FIXED:
            continue
        if kind is np.ndarray:
            if not _is_silent(value):
                return False
            continue
        if kind not in (tuple, list, dict, set, frozenset) or weakref.getweakrefcount(value):
            return False
        budget -= len(value)
        if budget < 0:
            return False
        values += [*value, *value.values()] if kind is dict else value
    return True


def _is_silent(array: Array) -> bool:
    """The same for an array, and those that it is a view of."""
    if array.dtype.hasobject or not owns(owner(array)):
        return False
    while type(array) is np.ndarray:
        if weakref.getweakrefcount(array) and not all(map(_is_ours, weakref.getweakrefs(array))):
            return False
        array = array.base  # type: ignore[assignment]
    return True


def _is_ours(reference: weakref.ref[Any]) -> bool:
    callback: Any = reference.__callback__
    return callback is None or _module(callback).startswith(_OURS)


def _calls_nobody(handler: Any) -> bool:
    # That of asyncio does nothing: the loop hears of the signal some other way.
    return handler in _NOBODY or _module(handler) == "asyncio.unix_events."


def _is_monitored() -> bool:
    monitoring: Any = getattr(sys, "monitoring", None)
    return monitoring is not None and any(map(monitoring.get_tool, range(6)))


def _module(function: Any) -> str:
    return f"{getattr(function, '__module__', None) or ''}."
