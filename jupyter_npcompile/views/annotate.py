"""Source lines with what became of them: the content of every annotated source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.report import LineReport, ReportData

Mark = Literal["compiled", "host", "python", "break", "none"]
"""What the sign of a line says; ``none`` is a blank line or a comment."""

SIGNS: dict[Mark, str] = {"compiled": "●", "host": "◐", "python": "·", "break": "✕", "none": ""}
"""One sign per mark: shapes that differ without colour."""

WORDS: dict[Mark, str] = {
    "compiled": "compiled",
    "host": "NumPy",
    "python": "Python",
    "break": "break point",
    "none": "",
}
"""The same in words."""

_WEIGHT: dict[Mark, int] = {"none": 0, "python": 1, "compiled": 2, "host": 3, "break": 4}


@dataclass(frozen=True, slots=True)
class Note:
    """Why a line is not compiled and what its author could do about it."""

    mark: Mark
    column: int
    reason: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of source.

    Parameters
    ----------
    line : int
        Its number.
    text : str
        Its text.
    mark : str
        What became of it.
    starts : bool
        Whether a statement starts here: only then the sign is shown.
    region : int or None
        The region it belongs to.
    aside : str
        Names it binds with their types, or in a word why it is ordinary Python.
    notes : tuple of Note
        What is said under the line.
    """

    line: int
    text: str
    mark: Mark = "none"
    starts: bool = False
    region: int | None = None
    aside: str = ""
    notes: tuple[Note, ...] = ()


def annotate(report: ReportData) -> list[Row]:
    """Line up the source with the report.

    Every break point stands under its line; one whose line is not in the
    source stands under the last line before it.

    Examples
    --------
    >>> from jupyter_npcompile.graph.report import BreakPoint
    >>> report = ReportData(
    ...     lines=(LineReport(2, 2, "y = x * 2", "compiled"), LineReport(3, 3, "f(y)", "host")),
    ...     breaks=(BreakPoint(3, 0, "call", "f is unknown"),),
    ... )
    >>> [(row.line, row.mark, row.text) for row in annotate(report)]
    [(2, 'compiled', 'y = x * 2'), (3, 'break', 'f(y)')]
    """
    texts = _texts(report)
    entries: dict[int, list[LineReport]] = defaultdict(list)
    for entry in report.lines:
        for line in range(entry.line, max(entry.end_line, entry.line) + 1):
            entries[line].append(entry)
    breaks: dict[int, list[Note]] = defaultdict(list)
    for point in report.breaks:
        line = max((line for line in texts if line <= point.line), default=min(texts, default=0))
        column = point.column if line == point.line else 0
        breaks[line].append(Note("break", column, point.reason, point.hint))
    if not texts and breaks:
        texts = {0: ""}
    return [
        _row(line, text, entries.get(line, ()), breaks.get(line, ()))
        for line, text in sorted(texts.items())
    ]


def _texts(report: ReportData) -> dict[int, str]:
    """Text of every line, from the whole source or from its statements."""
    texts: dict[int, str] = {}
    for entry in report.lines:
        for line, text in enumerate(entry.source.splitlines() or [""], entry.line):
            if line not in texts:
                texts[line] = text
            elif text not in texts[line]:
                texts[line] = text if texts[line] in text else f"{texts[line]}; {text}"
    whole = dict(enumerate(report.source.splitlines(), report.first_line))
    return texts | whole


def _row(line: int, text: str, entries: Sequence[LineReport], breaks: Sequence[Note]) -> Row:
    starting = [entry for entry in entries if entry.line == line]
    marks: list[Mark] = [entry.status for entry in entries]
    if breaks:
        marks.append("break")
    notes = list(breaks)
    said = {note.reason for note in breaks}
    for entry in starting:
        plain = entry.status == "python" and not entry.hint
        if entry.reason and entry.reason not in said and not plain and entry.status != "compiled":
            column = len(text) - len(text.lstrip())
            notes.append(Note(entry.status, column, entry.reason, entry.hint or ""))
            said.add(entry.reason)
    asides = [str(bound) for entry in starting for bound in entry.assigns]
    asides += [
        entry.reason
        for entry in starting
        if entry.status in ("python", "compiled") and entry.reason and entry.reason not in said
    ]
    return Row(
        line=line,
        text=text,
        mark=max(marks, key=_WEIGHT.__getitem__, default="none"),
        starts=bool(starting or breaks),
        region=next((entry.region for entry in entries if entry.region is not None), None),
        aside=", ".join(dict.fromkeys(asides)),
        notes=tuple(dict.fromkeys(notes)),
    )
