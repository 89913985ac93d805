"""A comparison with NumPy as a person sees it: text, and a table in HTML."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from html import escape
from typing import Self

from jupyter_npcompile.graph.comparison import ComparisonData, Difference
from jupyter_npcompile.graph.constants import printable, shorten
from jupyter_npcompile.views.html import style

WIDEST = 400
"""Characters of a text that are shown."""


class Comparison(ComparisonData):
    """What differs between a run in NumPy and a compiled run.

    Jupyter shows it as a table, a terminal as text; its attributes are for
    programs.

    Attributes
    ----------
    equal : bool
        Whether nothing but rounding differs.
    differences : tuple of Difference
        Each with ``kind``, ``name``, ``line``, ``column``, ``function``,
        ``expected``, ``actual``, ``ulps``, ``count``, ``index``, ``smallest``.
    rounding : int
        Largest distance, in units in the last place, of what passes as equal.
    captured, lines : int
        How many of the lines with NumPy work were captured.
    unstable, notes : tuple of str
        What was not compared, and why.

    Examples
    --------
    >>> Comparison("f", "aten", names=("return value",), arrays=1, captured=2, lines=2)
    f: the same as NumPy · 1 result, 1 array · 2 of 2 lines with NumPy work checked · aten
    """

    __slots__ = ()

    @classmethod
    def of(cls, data: ComparisonData) -> Self:
        """Make one of the runtime's data."""
        return cls(**{part.name: getattr(data, part.name) for part in fields(data)})

    def __repr__(self) -> str:
        return comparison_text(self)

    def _repr_html_(self) -> str:
        return comparison_html(self)


def comparison_text(data: ComparisonData) -> str:
    """Write a comparison as text: a summary, then one paragraph per cause.

    Parameters
    ----------
    data : ComparisonData
        What was compared.
    """
    lines = [summary(data)]
    for causes in _by_cause(data.differences):
        first = causes[0]
        lines.append("")
        lines.append(_place(first))
        for difference in causes:
            lines.append(f"  {difference.kind:9}  {_said(difference)}")
        if first.smallest:
            lines.append(f"  smallest   {printable(first.smallest)}")
        if first.shown:
            lines.append(f"             {printable(first.shown)}")
        if first.note:
            lines.append(f"  note       {printable(first.note)}")
    notes = _notes(data)
    return "\n".join([*lines, *([""] if notes and data.differences else []), *notes])


def comparison_html(data: ComparisonData) -> str:
    """Render a comparison as HTML: a summary and a table, without scripts.

    Parameters
    ----------
    data : ComparisonData
        What was compared.

    Examples
    --------
    >>> "<script" in comparison_html(ComparisonData("f", "aten"))
    False
    """
    first, *rest = summary(data).split(" · ")
    sign = "npcompile-same" if data.equal else "npcompile-differs"
    mark = f'<span class="{sign}" aria-hidden="true">{"✓" if data.equal else "✕"}</span> '
    after = f'<span class="npcompile-rest"> · {_text(" · ".join(rest))}</span>'
    title = f'<div class="npcompile-summary">{mark}<strong>{_text(first)}</strong>{after}</div>'
    body = _table(data.differences) if data.differences else ""
    notes = "".join(f'<div class="npcompile-more">{_text(note)}</div>' for note in _notes(data))
    return f'<div class="npcompile-report"><style>{style()}</style>{title}{body}{notes}</div>'


def summary(data: ComparisonData) -> str:
    """Say in one line what a comparison showed."""
    count = len(data.differences)
    said = f"{_count(count, 'difference')} from NumPy" if count else "the same as NumPy"
    compared = f"{_count(len(data.names), 'result')}, {_count(data.arrays, 'array')}"
    if data.rounding:
        small = data.rounding < 10_000 or not data.relative
        far = _ulps(data.rounding) if small else f"{data.relative:.0e} of the largest value"
        compared += f" up to {far}"
    work = f"{data.captured} of {_count(data.lines, 'line')} with NumPy work checked"
    return f"{printable(data.subject)}: {said} · {compared} · {work} · {data.tier}"


def _table(differences: Iterable[Difference]) -> str:
    heads = ("Line", "Function", "Differs", "What", "Distance", "Smallest failing call")
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    rows = []
    for causes in _by_cause(differences):
        for number, difference in enumerate(causes):
            cells = [
                "" if difference.line is None else str(difference.line),
                _code(difference.function) if difference.function else "",
                _text(difference.kind),
                f"<b>{_text(difference.name)}</b>: {_text(difference.text)}",
                "" if difference.ulps is None else _text(_ulps(difference.ulps)),
                _cause(difference) if number == 0 else "as above" if difference.smallest else "",
            ]
            wide = {3, 5}
            rows.append(
                "<tr>"
                + "".join(
                    f"<td{' class=npcompile-wide' if k in wide else ''}>{cell}</td>"
                    for k, cell in enumerate(cells)
                )
                + "</tr>"
            )
    return (
        '<div class="npcompile-body"><div class="npcompile-scroll">'
        f'<table class="npcompile-regions"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div></div>"
    )


def _cause(difference: Difference) -> str:
    parts = []
    if difference.smallest:
        parts.append(_code(difference.smallest))
    parts += [_text(part) for part in (difference.shown, difference.note) if part]
    return "<br>".join(parts)


def _by_cause(differences: Iterable[Difference]) -> list[list[Difference]]:
    groups: dict[tuple[object, ...], list[Difference]] = {}
    for difference in differences:
        cause = (difference.line, difference.column, difference.function, difference.smallest)
        groups.setdefault(cause, []).append(difference)
    return list(groups.values())


def _place(difference: Difference) -> str:
    if difference.line is None:
        return difference.function or "somewhere"
    where = f"line {difference.line}"
    if difference.column is not None:
        where += f", column {difference.column}"
    return f"{where}: {difference.function}" if difference.function else where


def _said(difference: Difference) -> str:
    text = shorten(f"{difference.name}: {difference.text}", WIDEST)
    return printable(text if difference.ulps is None else f"{text} ({_ulps(difference.ulps)})")


def _notes(data: ComparisonData) -> list[str]:
    notes = [
        f"not compared, since NumPy itself gives another value every time: {name}"
        for name in data.unstable
    ]
    return [printable(note) for note in (*notes, *data.notes)]


def _ulps(count: int) -> str:
    return f"{count:,} ulp" if count < 1_000_000 else f"{count:.1e} ulp"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _code(text: str) -> str:
    return f"<code>{_text(text)}</code>"


def _text(text: str) -> str:
    return escape(printable(shorten(text, WIDEST)))
