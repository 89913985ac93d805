"""A report as text, for terminals and for places that show no HTML."""

from __future__ import annotations

from itertools import chain

from jupyter_npcompile.graph.constants import printable, shorten
from jupyter_npcompile.graph.facts import level_text
from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.graph.timing import time_rows
from jupyter_npcompile.views.annotate import SIGNS, WORDS, Mark, Row, annotate
from jupyter_npcompile.views.copies import copied
from jupyter_npcompile.views.remembered import Remembered
from jupyter_npcompile.views.times import times_text
from jupyter_npcompile.views.timing import duration, milliseconds, speed

ASIDE_COLUMN = 56
"""Types stand in one column, but not further right than this."""


def to_text(report: ReportData, *, graph: bool = True, graph_lines: int | None = None) -> str:
    """Write a report as text.

    Parameters
    ----------
    report : ReportData
        What one run showed.
    graph : bool
        Whether the graph follows the annotated source: the operations of NumPy, what
        computes gradients, and the kernels.
    graph_lines : int, optional
        Most lines of it; all of them by default.

    Returns
    -------
    str
        The summary, the source with a sign for each statement, how the
        regions run, and the graph.

    Examples
    --------
    >>> from jupyter_npcompile.graph.report import LineReport
    >>> report = ReportData(lines=(LineReport(2, 2, "y = x * 2", "compiled"),))
    >>> print(to_text(report, graph=False))
    1 of 1 line captured · no break points · cpu
    <BLANKLINE>
    ●  2  y = x * 2
    <BLANKLINE>
    ● compiled
    """
    rows = annotate(report)
    parts = [report.summary]
    if rows:
        parts += ["\n".join(_source(rows)), _legend(rows)]
    if report.regions:
        parts.append("\n".join(_regions(report)))
    if report.timing is not None:
        parts.append(times_text(time_rows(report), report.timing))
    if graph and report.graph.numpy:
        parts.append(_graph((report, "numpy", graph_lines)))
    for level in ("backward", "kernels"):
        if graph and any(one.nodes for one in report.graph.level(level)):
            parts.append(_graph((report, level, graph_lines)))
    return "\n\n".join(parts)


def _source(rows: list[Row]) -> list[str]:
    digits = len(str(rows[-1].line))
    width = max((len(row.text.expandtabs()) for row in rows if row.aside), default=0)
    column = min(width, ASIDE_COLUMN)
    lines = []
    for row in rows:
        sign = SIGNS[row.mark] if row.starts else " "
        text = printable(row.text.expandtabs())
        aside = f"   {printable(row.aside)}" if row.aside else ""
        body = f"{text:{column}}{aside}" if aside else text
        lines.append(f"{sign or ' '}  {row.line:{digits}}  {body}".rstrip())
        margin = " " * (digits + 5)
        for note in row.notes:
            start = f"{margin}{' ' * min(note.column, ASIDE_COLUMN)}╰ {WORDS[note.mark]}: "
            lines.append(start + " ".join(printable(note.reason).split()))
            if note.hint:
                indent = " " * (len(margin) + min(note.column, ASIDE_COLUMN) + 2)
                lines.append(f"{indent}→ {' '.join(printable(note.hint).split())}")
    return lines


def _legend(rows: list[Row]) -> str:
    shown = {row.mark for row in rows if row.starts}
    marks: tuple[Mark, ...] = ("compiled", "host", "python", "break")
    return "   ".join(f"{SIGNS[mark]} {WORDS[mark]}" for mark in marks if mark in shown)


def _regions(report: ReportData) -> list[str]:
    lines = []
    for region in report.regions:
        first, last = region.lines
        where = f"line {first}" if first == last else f"lines {first}-{last}"
        facts = [printable(region.tier) or "numpy"]
        if region.segments:
            facts.append(f"{region.segments} segment{'' if region.segments == 1 else 's'}")
        if region.timings.get("numpy_us") is not None:
            facts.append(f"NumPy {duration(region.timings['numpy_us'])}")
        if region.timings.get("compiled_us") is not None:
            facts.append(f"compiled {duration(region.timings['compiled_us'])} ({speed(region)})")
        if region.timings.get("compile_ms") is not None:
            facts.append(f"compiling took {milliseconds(region, 'compile_ms')}")
        if region.note:
            facts.append(printable(region.note))
        lines.append(f"{where}: {', '.join(facts)}")
        if region.copies is not None:
            lines += [f"  {line}" for line in copied(region)]
        if region.signature:
            lines.append(f"  {shorten(printable(region.signature), 160)}")
    return lines


def _written(what: tuple[ReportData, str, int | None]) -> str:
    report, level, limit = what
    shown = level_text(report, level, most=limit)
    more = 0 if limit is None else report.graph.height(level) - limit
    if more <= 0:
        return shown
    call = "report.graph.to_text()" if level == "numpy" else f"report.graph.to_text({level!r})"
    return f"{shown}\n… {more} more lines: {call}"


def _what_is_written(what: tuple[ReportData, str, int | None]) -> tuple[object, ...]:
    """What the text of a level depends on: less than changes from run to run."""
    report, level, limit = what
    graphs = (report.graph.numpy, report.graph.level(level))
    return (level, limit, report.timing, *map(len, graphs), *chain.from_iterable(graphs))


_graph = Remembered(_written, _what_is_written)
