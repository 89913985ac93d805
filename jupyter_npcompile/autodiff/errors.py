"""Where a gradient stops: the error, and the notes that are no error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Position

CONCRETE = "register_vjp(fn, vjp) gives it a derivative; stop_gradient(x) cuts on purpose"
CAST = "keep it a float, or cut on purpose with stop_gradient(x)"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a cell or file.

    Parameters
    ----------
    position : Position
        Line and column.
    filename : str
        Of the cell or file.
    function : str
        The function that was running.

    Examples
    --------
    >>> str(Place(Position(3, 4), "model.py", "loss"))
    'line 3, column 4, in loss'
    """

    position: Position
    filename: str = ""
    function: str = ""

    def __str__(self) -> str:
        where = f"line {self.position.line}, column {self.position.column}"
        return f"{where}, in {self.function}" if self.function else where


class GradientError(RuntimeError):
    """A gradient would have to flow through something that has no derivative.

    Parameters
    ----------
    reason : str
        Why it stops.
    hint : str
        What to do about it.
    place : Place, optional
        Where it stops.

    Attributes
    ----------
    line, column : int
        Where it stops; 0 when that is not known. Lines are those of the cell
        or file, columns begin with 0.
    filename : str
        Of the cell or file.
    reason, hint : str
        As above.

    Examples
    --------
    >>> print(GradientError("`int` gives an integer", "keep it a float"))
    `int` gives an integer; keep it a float
    """

    def __init__(self, reason: str, hint: str = "", place: Place | None = None) -> None:
        position = Position(0, 0) if place is None else place.position
        self.line, self.column = position.line, position.column
        self.filename = "" if place is None else place.filename
        self.place, self.reason, self.hint = place, reason, hint
        known = place is not None and position.line > 0
        text = f"{reason} ({place})" if known else reason
        super().__init__(f"{text}; {hint}" if hint else text)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.hint, self.place)


@contextmanager
def refusing() -> Iterator[None]:
    """Where torch has no derivative, a gradient stops."""
    try:
        yield
    except GradientError:
        raise
    except (RuntimeError, NotImplementedError) as error:
        raise GradientError(f"torch has no derivative here: {error}") from error


@dataclass(frozen=True, slots=True)
class Note:
    """Something that makes a gradient zero by definition, or holds a value constant.

    Parameters
    ----------
    place : Place
        Where.
    text : str
        What.
    """

    place: Place
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"
