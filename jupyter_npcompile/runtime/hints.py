"""What to do about a statement that stays in the skeleton."""

from __future__ import annotations

from collections.abc import Mapping

SKELETON_HINTS: Mapping[str, str] = {
    "print": "print after the loop or at the end of the cell, or keep the values in an array",
    "display": "display after the loop or at the end of the cell",
    "import": "import in a cell of its own",
    "assigns an attribute": "bind a variable, and assign the attribute once at the end",
    "await": "await before or after the array code",
    "error": "NumPy itself runs the line, and raises or warns as it always does",
    "del": "leave the deletion to the end of the cell",
}

DEFAULT_HINT = "move it before or after the array code"


def hint_for(reason: str, *, holds_call: bool = False) -> str:
    """A hint for a reason that the cell program gives, or for a kind of break.

    Parameters
    ----------
    reason : str
        Why the statement is not captured.
    holds_call : bool
        Whether it holds a NumPy call that could be captured elsewhere.

    Examples
    --------
    >>> hint_for("import")
    'import in a cell of its own'
    """
    if holds_call:
        return "compute it on a line of its own before, and use the result here"
    return SKELETON_HINTS.get(reason, DEFAULT_HINT)
