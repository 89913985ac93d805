"""Why captured code stops: the exceptions that end a recording."""

from __future__ import annotations

from typing import Literal

from jupyter_npcompile.dataclass import dataclass

OWN_LINE = "call it on a line of its own, before or after the array code"
RANDOM = "random numbers come from NumPy's own generator"
DRAW = "draw before the array code, on a line of its own"

LATE = "to capture it would have held up the run"

BreakKind = Literal[
    "explicit", "call", "value", "host", "input", "effect", "error", "limit", "inner", "late"
]
"""What sort of thing ended a segment.

explicit
    ``graph_break()`` was called.
call
    A callee that cannot be traced.
value
    Python needs the concrete value of something the graph computes.
host
    A NumPy call that stays in NumPy.
input
    A value of a type that is not traced.
effect
    A change to something other than an array.
error
    NumPy raises or warns here, so NumPy itself must run.
limit
    The recording grew too long.
inner
    A compiled function that breaks inside: its own regions run instead.
late
    To go on would have held up the user's code for too long.
"""


@dataclass
class Break(BaseException):
    """Ends a recording at the operation that cannot be captured.

    Derives from ``BaseException`` so that an ``except Exception`` in code
    that is being traced cannot hide it.

    Parameters
    ----------
    kind : BreakKind
        What sort of break this is.
    reason : str
        Why, in words for the person who wrote the line.
    hint : str
        What to write instead, or ``""``.
    helper : bool
        Whether it happened inside a helper function of the user's.
    error : Exception or None
        What Python raised, where it raises that in every replay: a ``try``
        around it may catch it.
    """

    kind: BreakKind
    reason: str
    hint: str = ""
    helper: bool = False
    error: Exception | None = None

    def __str__(self) -> str:
        return self.reason


@dataclass
class NeedsCopy(BaseException):
    """The traced code is about to write into the memory of a real input.

    The recording starts again with a copy of that memory.

    Parameters
    ----------
    owner : int
        ``id`` of the array that owns the memory.
    """

    owner: int


def graph_break() -> None:
    """Split captured code on purpose: a break point for teaching and tests.

    What is computed before it and what is computed after it become two
    segments, with real ndarrays in between. Outside traced code it does
    nothing.

    Examples
    --------
    >>> graph_break()
    """


class Postponed(BaseException):
    """The recording would hold up the run for too long; another run may be more patient."""
