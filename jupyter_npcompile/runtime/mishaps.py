"""What goes wrong in our own code while the user's runs: Python goes on, and a note says why.

Everything that a guard asks may fail: what decides, estimates, compiles, compares. Nothing of it
is the user's business, as long as nothing has happened yet, or all has.
"""

from __future__ import annotations

import sys

from jupyter_npcompile.runtime.check import DifferenceError
from jupyter_npcompile.runtime.device.late import LostResultError
from jupyter_npcompile.runtime.errors import first_line
from jupyter_npcompile.runtime.stats import counters

_OURS = frozenset({"jupyter_npcompile", "numpy", "torch", *sys.stdlib_module_names})
_MEANT = (DifferenceError, LostResultError)
"""What the user has asked for, or has to know."""


def is_ours(error: Exception) -> bool:
    """Whether only our code, and what it calls, has run where an error was raised.

    A handler of a signal, a property or a function of the user's raises what it likes.

    Examples
    --------
    >>> try:
    ...     sys.stdlib_module_names["sys"]
    ... except TypeError as error:
    ...     is_ours(error)  # a doctest has our name
    True
    >>> is_ours(DifferenceError("y: 1 became 2"))
    False
    """
    if isinstance(error, _MEANT):
        return False
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__") or ""
        if name == "__main__" or name.partition(".")[0] not in _OURS:
            return False
        trace = trace.tb_next
    return True


def described(error: Exception) -> str:
    """The note, where something of ours is given up for an error."""
    counters.fallbacks += 1
    return f"internal error: {type(error).__name__}: {first_line(error)}"
