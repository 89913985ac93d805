"""Where the time went: regions, lines and kernels with bars, as text and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from jupyter_npcompile.graph.amounts import size
from jupyter_npcompile.graph.constants import printable, shorten
from jupyter_npcompile.graph.timing import TimeRow, Timing
from jupyter_npcompile.views.timing import duration

ROWS = 120
"""Rows of a table; the rest is counted."""

BAR = 120
"""Width of the longest bar, in pixels."""

SIGNS = 20
"""The same in characters."""

UNTIMED = "Kernels without a time are part of that of their region."
"""What is to be known where rows of kernels have no time."""

LEGEND = (
    "NumPy's time and the compiled time of regions are those of the run; NumPy's time of lines "
    "and the time of kernels were taken now, one by one, the best of some runs: without what "
    "lies between them, such as fresh memory. Each region has a scale of its own. "
    "The bound is what one thread needs to move the bytes to and from memory; several threads, "
    "and arrays that fit into caches, can be faster."
)


def times_text(rows: Sequence[TimeRow], timing: Timing) -> str:
    """Write the rows as text.

    Parameters
    ----------
    rows : sequence of TimeRow
        What is shown.
    timing : Timing
        What was measured.

    Examples
    --------
    >>> row = TimeRow("region", (2, 3), "inductor", 900.0, 300.0, 800_000, 80.0)
    >>> print(times_text([row], Timing(1e10)))
    time, beside what memory needs: 10 GB/s
    lines 2-3  inductor  NumPy 900 µs, compiled 300 µs, moves 800 kB, 2.7 GB/s, bound 80 µs (27%)
                         ████████████████████ NumPy
                         ███████ compiled
                         ██ bound
    """
    lines = [f"time, beside what memory needs: {bandwidth_text(timing)}"]
    scales = _scales(rows)
    where = max((len(_where(row)) for row in rows), default=0)
    width = max((len(_title(row)) for row in rows if row.kind == "region"), default=0)
    for row, longest in zip(rows[:ROWS], scales, strict=False):
        indent = "" if row.kind == "region" else "  "
        head = f"{_where(row):{where}}  {indent}{_title(row):{width}}  "
        lines.append(f"{head}{_facts(row)}".rstrip())
        if row.kind == "region":
            for us, name in _bars(row):
                signs = "█" * max(round(us / longest * SIGNS), 1)
                lines.append(f"{'':{len(head)}}{signs} {name}")
    if len(rows) > ROWS:
        lines.append(f"… {len(rows) - ROWS} more rows")
    if _has_untimed(rows):
        lines.append(UNTIMED)
    return "\n".join([*lines, *([printable(timing.note)] if timing.note else [])])


def times_html(rows: Sequence[TimeRow], timing: Timing) -> str:
    """Write the rows as a table with bars.

    Examples
    --------
    >>> row = TimeRow("region", (2, 3), "inductor", 900.0, 300.0, 800_000, 80.0)
    >>> "<svg" in times_html([row], Timing(1e10))
    True
    """
    scales = _scales(rows)
    heads = ("Lines", "What", "", "NumPy", "Compiled", "Moves", "Rate", "Bound", "Of the bound")
    amounts = heads[3:]
    head = "".join(
        f'<th scope="col"{" class=npcompile-amount" if name in amounts else ""}>{name}</th>'
        if name
        else "<td></td>"
        for name in heads
    )
    body = "".join(_row(*one) for one in zip(rows[:ROWS], scales, strict=False))
    more = f"… {len(rows) - ROWS} more rows. " if len(rows) > ROWS else ""
    note = f"{printable(timing.note)}. " if timing.note else ""
    legend = f"{LEGEND} {UNTIMED}" if _has_untimed(rows) else LEGEND
    return (
        '<div class="npcompile-scroll"><table class="npcompile-times"><thead>'
        f"<tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        f'<div class="npcompile-more">{escape(more + note + legend)}</div>'
    )


def bandwidth_text(timing: Timing) -> str:
    """What memory moves, in words."""
    return f"{timing.bandwidth / 1e9:.2g} GB/s"


def _row(row: TimeRow, longest: float) -> str:
    share = "" if row.share is None else f"{row.share:.0%}"
    values = (
        "" if row.numpy_us is None else duration(row.numpy_us),
        "" if row.compiled_us is None else duration(row.compiled_us),
        size(row.moves) if row.moves else "",
        row.rate,
        "" if row.bound_us is None else duration(row.bound_us),
        share,
    )
    cells = "".join(f'<td class="npcompile-amount">{value}</td>' for value in values)
    title = escape(shorten(printable(_title(row)), 80))
    return (
        f'<tr class="npcompile-kind-{row.kind}"><td>{_numbers(row)}</td><td>{title}</td>'
        f"<td>{_drawn(row, longest)}</td>{cells}</tr>"
    )


def _drawn(row: TimeRow, longest: float) -> str:
    """Bars, the bound as a line across them."""
    bars = [(us, name) for us, name in _bars(row) if name != "bound"]
    if not bars and row.bound_us is None:
        return ""
    height = 5 * max(len(bars), 1) + 2
    label = ", ".join(f"{name} {duration(us)}" for us, name in _bars(row))
    parts = [
        f'<rect class="{name.lower()}" x="0" y="{1 + 5 * k}" width="{_length(us, longest):.1f}" '
        f'height="4" fill="{"#2f7fe0" if name == "NumPy" else "#12a150"}"/>'
        for k, (us, name) in enumerate(bars)
    ]
    if row.bound_us is not None:
        x = _length(row.bound_us, longest)
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height}" stroke="currentColor" '
            f'stroke-width="1.5"/>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="npcompile-bars" role="img" '
        f'aria-label="{escape(label)}" width="{BAR + 2}" height="{height}">{"".join(parts)}</svg>'
    )


def _length(us: float, longest: float) -> float:
    return min(max(us / longest * BAR, 0.8), BAR)


def _bars(row: TimeRow) -> list[tuple[float, str]]:
    values = ((row.numpy_us, "NumPy"), (row.compiled_us, "compiled"), (row.bound_us, "bound"))
    return [(us, name) for us, name in values if us is not None]


def _scales(rows: Sequence[TimeRow]) -> list[float]:
    """For each row the time that the longest bar of its region stands for."""
    found: list[list[float]] = []
    for row in rows:
        if row.kind == "region" or not found:
            found.append([])
        found[-1].append(max((us for us, _ in _bars(row)), default=0.0))
    return [max(group) or 1.0 for group in found for _ in group]


def _facts(row: TimeRow) -> str:
    facts = [f"{name} {duration(us)}" for us, name in _bars(row) if name != "bound"]
    if row.moves:
        facts.append(f"moves {size(row.moves)}")
    if row.rate:
        facts.append(row.rate)
    if row.bound_us is not None:
        share = f" ({row.share:.0%})" if row.share else ""
        facts.append(f"bound {duration(row.bound_us)}{share}")
    return ", ".join(facts)


def _has_untimed(rows: Sequence[TimeRow]) -> bool:
    return any(row.kind == "kernel" and row.us is None for row in rows)


def _title(row: TimeRow) -> str:
    return f"kernel {row.title}" if row.kind == "kernel" else row.title


def _numbers(row: TimeRow) -> str:
    first, *rest = row.lines or (0,)
    if not first:
        return ""
    if row.kind == "region" and rest and rest[-1] != first:
        return f"{first}-{rest[-1]}"
    return ", ".join(map(str, row.lines[:4] if row.kind == "kernel" else (first,)))


def _where(row: TimeRow) -> str:
    numbers = _numbers(row)
    if not numbers:
        return ""
    return f"{'lines' if '-' in numbers or ',' in numbers else 'line'} {numbers}"
