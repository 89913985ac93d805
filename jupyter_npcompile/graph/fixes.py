"""Fixes: rewrites of a cell's source that were tried, as plain data.

Their JSON form (`FixesData.to_dict`), which the JupyterLab extension applies::

    {"schema": 1,
     "source": "...",                   # the whole cell, as it was
     "summary": "...",                  # all of it in one line
     "fixes": [
       {"line": 4,                      # of the break point
        "title": "print after the loop",
        "new": "...",                   # the whole cell, as it would be
        "gain": "5 lines compiled instead of 4, 1 break point as before",
        "notes": ["..."]}],             # what is not quite the same
     "declined": [{"line": 6, "title": "...", "reason": "..."}],
     "refusal": ""}                     # why nothing could be tried
"""

from __future__ import annotations

import difflib
from dataclasses import asdict
from typing import Any

from jupyter_npcompile.dataclass import dataclass

SCHEMA_VERSION = 1
"""Version of the JSON that `FixesData.to_dict` writes."""

CONTEXT = 2
"""Unchanged lines that a diff shows around a change."""


@dataclass(frozen=True, slots=True)
class Fix:
    r"""A rewrite that gave the same values on the real inputs, and is captured better.

    Parameters
    ----------
    line : int
        The line of the break point that it is for.
    title : str
        What it does.
    old, new : str
        The cell before and after.
    gain : str
        What it is good for.
    notes : tuple of str
        What is not quite the same afterwards.

    Examples
    --------
    >>> print("\n".join(Fix(1, "", "a\nb", "a\nc", "").diff()))
     a
    -b
    +c
    """

    line: int
    title: str
    old: str
    new: str
    gain: str
    notes: tuple[str, ...] = ()

    def diff(self) -> list[str]:
        """The changed lines with some around them; each begins with ``-``, ``+`` or a space.

        A line ``…`` stands between two places.
        """
        lines = difflib.unified_diff(
            self.old.splitlines(), self.new.splitlines(), lineterm="", n=CONTEXT
        )
        found: list[str] = []
        for line in list(lines)[2:]:
            if not line.startswith("@@"):
                found.append(line)
            elif found:
                found.append("…")
        return found


@dataclass(frozen=True, slots=True)
class Declined:
    """A rewrite that is not offered, and why."""

    line: int
    title: str
    reason: str


@dataclass(frozen=True, slots=True)
class FixesData:
    """What was tried to mend the break points of a cell.

    Parameters
    ----------
    source : str
        The cell.
    fixes : tuple of Fix
        What is offered.
    declined : tuple of Declined
        What was tried in vain.
    refusal : str
        Why nothing could be tried; empty when it could.
    breaks : int
        How many break points the cell has.
    """

    source: str
    fixes: tuple[Fix, ...] = ()
    declined: tuple[Declined, ...] = ()
    refusal: str = ""
    breaks: int = 0

    @property
    def summary(self) -> str:
        """All of it in one line.

        Examples
        --------
        >>> FixesData("x = 1", breaks=2).summary
        'no fix is known for 2 break points'
        """
        points = f"{self.breaks} break point{'' if self.breaks == 1 else 's'}"
        if self.refusal:
            return f"no fix was tried: {self.refusal}"
        if not self.breaks:
            return "nothing to fix: no break points"
        if not self.fixes:
            return f"no fix is known for {points}"
        count = len(self.fixes)
        return (
            f"{count} fix{'' if count == 1 else 'es'} for {points}, "
            "tried on copies of the present values: the same results"
        )

    def to_dict(self) -> dict[str, Any]:
        """Write it as JSON data; the schema stands in the module's docstring."""
        return {
            "schema": SCHEMA_VERSION,
            "source": self.source,
            "summary": self.summary,
            "fixes": [
                {
                    "line": fix.line,
                    "title": fix.title,
                    "new": fix.new,
                    "gain": fix.gain,
                    "notes": list(fix.notes),
                }
                for fix in self.fixes
            ],
            "declined": [asdict(one) for one in self.declined],
            "refusal": self.refusal,
        }
