"""A report as one piece of HTML that needs neither scripts nor an extension.

It stays readable where styles are removed, as on GitHub: the source is a
table, every sign has its word beside it, and every picture its text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from itertools import chain

from jupyter_npcompile.graph.constants import printable, shorten
from jupyter_npcompile.graph.facts import level_text
from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.graph.timing import time_rows
from jupyter_npcompile.views.annotate import SIGNS, WORDS, Mark, Note, Row, annotate
from jupyter_npcompile.views.copies import copied
from jupyter_npcompile.views.drawing import BYTES, drawings
from jupyter_npcompile.views.highlight import highlight
from jupyter_npcompile.views.remembered import Remembered
from jupyter_npcompile.views.times import bandwidth_text, times_html
from jupyter_npcompile.views.timing import duration, milliseconds, speed

LINE_WIDTH = 300
"""Characters of a source line that are shown."""

SOURCE_BYTES = 56_000
TEXT_BYTES, TEXT_LINES = 20_000, 500
KERNEL_BYTES = 24_000
"""Largest annotated source, text of one level, and drawings of kernels, so that notebooks
stay small."""

_LEVELS = (
    ("numpy", "Graph as text", "NumPy level"),
    ("aten", "Lowered to ATen", ""),
    ("backward", "ATen backward", ""),
    ("kernels", "Kernels", ""),
)

_MARKS: tuple[Mark, ...] = ("compiled", "host", "python", "break")
_MEANINGS: dict[Mark, str] = {
    "compiled": "captured and compiled",
    "host": "stays in NumPy",
    "python": "ordinary Python",
    "break": "break point: splits compiled code",
}


def to_html(report: ReportData, *, opened: bool = False) -> str:
    """Render a report: the summary, and inside it source, regions and graph.

    Parameters
    ----------
    report : ReportData
        What one run showed.
    opened : bool
        Whether all of it is to be seen at once, or the summary, which opens to the rest.

    Returns
    -------
    str
        One ``<div>``, below 200 kB. Colours come from the front end's theme
        and from the text colour, so that it suits light and dark pages.

    Examples
    --------
    >>> page = to_html(ReportData())
    >>> "<script" in page, "nothing to compile" in page
    (False, True)
    """
    parts = (*_source(report), _regions(report), _times(report), _graphs(report))
    body = "".join(parts)
    title = _summary(report.summary)
    if body:
        is_open = " open" if opened else ""
        title = (
            f'<details{is_open}><summary class="npcompile-summary">{title}</summary>'
            f'<div class="npcompile-body">{body}</div></details>'
        )
    else:
        title = f'<div class="npcompile-summary">{title}</div>'
    return f'<div class="npcompile-report"><style>{style()}</style>{title}</div>'


@cache
def style() -> str:
    """The style sheet that every HTML view carries with it."""
    return files("jupyter_npcompile.views").joinpath("style.css").read_text(encoding="utf-8")


def _summary(text: str) -> str:
    first, *rest = text.split(" · ")
    after = f'<span class="npcompile-rest">{_text(" · ".join(rest))}</span>' if rest else ""
    return f"<span><strong>{_text(first)}</strong>{' · ' if rest else ''}{after}</span>"


def _source(report: ReportData) -> Iterator[str]:
    rows = annotate(report)
    if not rows:
        return
    shown = [_row(row, code) for row, code in zip(rows, _code(rows), strict=True)]
    kept = _fit(shown, SOURCE_BYTES)
    yield '<div class="npcompile-scroll"><table class="npcompile-source"><tbody>'
    yield "".join(shown[:kept])
    yield "</tbody></table></div>"
    if kept < len(shown):
        yield f'<div class="npcompile-more">… {len(shown) - kept} more lines</div>'
    present = {row.mark for row in rows if row.starts}
    yield '<div class="npcompile-legend">'
    for mark in _MARKS:
        if mark in present:
            sign = f'<span class="npcompile-{mark}">{SIGNS[mark]}</span>'
            yield f"<span>{sign} {_MEANINGS[mark]}</span> "
    if report.breaks:
        yield "<span><code>%npcompile fix</code> tries rewrites without them</span>"
    yield "</div>"


def _code(rows: Sequence[Row]) -> list[str]:
    return highlight([printable(shorten(row.text.expandtabs(), LINE_WIDTH)) for row in rows])


def _row(row: Row, code: str) -> str:
    word = WORDS[row.mark]
    sign = ""
    if row.starts:
        sign = (
            f'<span aria-hidden="true" title="{word}">{SIGNS[row.mark]}</span>'
            f'<span class="npcompile-word"> {word}</span>'
        )
    number = str(row.line) if row.line else ""
    # Not <code>: nbconvert collapses blank text there, and with it the indentation.
    return (
        f'<tr class="npcompile-{row.mark}"><td class="npcompile-sign">{sign}</td>'
        f'<td class="npcompile-number">{number}</td><td><pre>{code}</pre></td>'
        f'<td class="npcompile-aside">{_text(shorten(row.aside, 120))}</td></tr>'
        + "".join(_note(note) for note in row.notes)
    )


def _note(note: Note) -> str:
    column = min(max(note.column, 0), 40)
    lead = WORDS[note.mark]
    hint = f' <span class="npcompile-hint">→ {_line(note.hint)}</span>' if note.hint else ""
    return (
        f'<tr class="npcompile-{note.mark} npcompile-note"><td></td><td></td><td colspan="2">'
        f'<div style="margin-left:{column}ch"><div class="npcompile-why">'
        f"╰ <b>{lead}:</b> {_line(note.reason)}{hint}</div></div></td></tr>"
    )


def _regions(report: ReportData) -> str:
    if not report.regions:
        return ""
    copies = any(region.copies for region in report.regions)
    heads = ("Lines", "Runs as", "Segments", "NumPy", "Compiled", "Speed", "Compiling")
    amounts = {"Segments", "NumPy", "Compiled", "Speed", "Compiling"}
    head = "".join(
        f'<th scope="col"{" class=npcompile-amount" if name in amounts else ""}>{name}</th>'
        for name in heads
    )
    head += '<th scope="col">Copies</th>' if copies else ""
    head += '<th scope="col">Valid for</th>'
    body = []
    for region in report.regions:
        first, last = region.lines
        cells = [
            f"<td>{first}</td>" if first == last else f"<td>{first}-{last}</td>",
            f"<td>{_text(shorten(region.tier, 40))}</td>",
        ]
        values = (
            str(region.segments),
            duration(region.timings.get("numpy_us")),
            duration(region.timings.get("compiled_us")),
            speed(region),
            milliseconds(region, "compile_ms"),
        )
        cells += [f'<td class="npcompile-amount">{value}</td>' for value in values]
        if copies:
            text = _text(shorten("; ".join(copied(region)), 300))
            cells.append(f'<td class="npcompile-wide">{text}</td>')
        cells.append(f'<td class="npcompile-wide">{_text(shorten(region.signature, 200))}</td>')
        body.append(f"<tr>{''.join(cells)}</tr>{_remark(region.note, len(cells))}")
    kept = _fit(body, TEXT_BYTES)
    more = len(body) - kept
    rest = f'<div class="npcompile-more">… {more} more regions</div>' if more else ""
    count = f"{len(body)} region{'' if len(body) == 1 else 's'}"
    table = (
        f'<div class="npcompile-scroll"><table class="npcompile-regions"><thead><tr>{head}</tr>'
        f"</thead><tbody>{''.join(body[:kept])}</tbody></table></div>{rest}"
    )
    return _section("Regions", count, table)


def _remark(note: str, columns: int) -> str:
    """What is to be said of a region, below its row."""
    if not note:
        return ""
    text = _text(shorten(note, 300))
    return f'<tr><td></td><td class="npcompile-remark" colspan="{columns - 1}">{text}</td></tr>'


def _times(report: ReportData) -> str:
    """Where the time went, if somebody asked for it."""
    if report.timing is None:
        return ""
    rows = time_rows(report)
    return _section("Timing", bandwidth_text(report.timing), times_html(rows, report.timing))


def _drawn(report: ReportData) -> str:
    """The graphs of each level, drawn and as text."""
    return "".join([_graph(report), *_texts(report)])


def _what_is_drawn(report: ReportData) -> tuple[object, ...]:
    """What of a report its graphs depend on: less than changes from run to run."""
    levels = [report.graph.level(level) for level, _, _ in _LEVELS]
    sources = tuple((line.line, line.source) for line in report.lines)
    return (*map(len, levels), *chain.from_iterable(levels), report.timing, sources)


_graphs = Remembered(_drawn, _what_is_drawn)


def _graph(report: ReportData) -> str:
    graphs = report.graph.numpy
    if not graphs:
        return ""
    operations = sum(len(graph.nodes) for graph in graphs)
    facts = f"{operations} NumPy operation{'' if operations == 1 else 's'}"
    if len(graphs) > 1:
        facts += f", {len(graphs)} segments"
    return _section("Graph", facts, _pictures(report, "numpy"), open=True)


def _pictures(report: ReportData, level: str) -> str:
    """Drawings of the segments at one level."""
    room = BYTES if level == "numpy" else KERNEL_BYTES
    shown = drawings(report, level, room)
    graphs = [graph for graph in report.graph.level(level) if graph.nodes or level == "numpy"]
    pictures = ""
    for place, svg in enumerate(shown, 1):
        if len(graphs) > 1:
            pictures += f'<div class="npcompile-more">segment {place}</div>'
        pictures += f'<div class="npcompile-scroll npcompile-drawing">{svg}</div>'
    if len(shown) < len(graphs):
        more = len(graphs) - len(shown)
        pictures += f'<div class="npcompile-more">… {more} more segments, not drawn</div>'
    return pictures


def _texts(report: ReportData) -> Iterator[str]:
    for level, title, fact in _LEVELS:
        graphs = report.graph.level(level)
        optional = level in ("backward", "kernels")
        if not graphs or (optional and not any(graph.nodes for graph in graphs)):
            continue
        count = sum(len(graph.nodes) for graph in graphs)
        start = level_text(report, level, most=TEXT_LINES)
        lines = [escape(line) + "\n" for line in start.split("\n")]
        kept = _fit(lines, TEXT_BYTES)
        more = report.graph.height(level) - kept
        if more:
            lines[kept:] = [escape(f"… {more} more lines: report.graph.to_text({level!r})")]
        text = "".join(lines).rstrip("\n")
        thing = "kernel" if level == "kernels" else "operation"
        facts = fact or f"{count} {thing}{'' if count == 1 else 's'}"
        shown = f'<pre class="npcompile-code">{text}</pre>'
        if level == "kernels":
            shown = _pictures(report, level) + shown
        yield _section(title, facts, shown)


def _section(title: str, facts: str, content: str, *, open: bool = False) -> str:
    return (
        f'<details class="npcompile-section"{" open" if open else ""}>'
        f"<summary><b>{title}</b> <span>{facts}</span></summary>{content}</details>"
    )


def _fit(parts: Iterable[str], budget: int) -> int:
    """How many of the parts, from the first on, have room in the budget."""
    count = 0
    for part in parts:
        budget -= len(part.encode("utf-8", "replace"))
        if budget < 0:
            break
        count += 1
    return count


def _text(text: str) -> str:
    return escape(printable(text))


def _line(text: str) -> str:
    return _text(shorten(" ".join(text.split()), 600))
