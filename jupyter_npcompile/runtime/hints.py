"""What to do about a statement that stays in the skeleton."""

from __future__ import annotations

from collections.abc import Mapping

SKELETON_HINTS: Mapping[str, str] = {
    "print": "print after the loop or at the end of the cell, or keep the values in an array",
    "display": "display after the loop or at the end of the cell",
    "import": "import in a cell of its own",
    "assigns an attribute": "bind a variable, and assign the attribute once at the end",
    "await": "await before or after the array code",
    "del": "leave the deletion to the end of the cell",
}

DEFAULT_HINT = "move it before or after the array code"


def hint_for(reason: str) -> str:
    """A hint for a reason that the cell program gives.

    Examples
    --------
    >>> hint_for("import")
    'import in a cell of its own'
    """
    return SKELETON_HINTS.get(reason, DEFAULT_HINT)
