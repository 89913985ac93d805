"""The results as one picture: how fast each class is, and how long one waits for it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from html import escape

from tests.benchmarks.accounting import standing
from tests.benchmarks.markdown import number, time
from tests.benchmarks.results import Results
from tests.benchmarks.tools import COMPARED, Tool

COLOURS = {"ours": "#0072b2", "numba": "#d55e00", "jax": "#009e73", "torch": "#8f4a8f"}
"""Told apart by most colour-blind people too; the shapes differ as well."""

LEFT, ROW, TOP = 230, 24, 92
PANEL, GAP, MARGIN = 420, 90, 32
ALL = "all programs"

Values = dict[str, dict[str, float]]
"""By line of the picture, then by tool."""


def picture(results: Results) -> str:
    """An SVG picture of the results.

    On the left, how many times as fast as NumPy each tool is, by class; on the
    right, the median seconds until the first result, importing included.
    """
    rows = list(results.rows.values())
    tools = [tool for tool in COMPARED if any(row.tool == tool.name for row in rows)]
    kinds = sorted({row.kind for row in rows})
    lines = [*kinds, ALL]
    bottom, right = TOP + ROW * len(lines), LEFT + PANEL + GAP
    width, height = right + PANEL + MARGIN, bottom + 56
    body = [
        _text(LEFT, 26, "Times as fast as NumPy (geometric means, steady state, one thread)", 13),
        _text(right, 26, "Until the first result, import included (medians)", 13),
        *_legend(tools),
    ]
    for number_of_line, line in enumerate(lines):
        y = TOP + ROW * (number_of_line + 0.5)
        if number_of_line % 2:
            body.append(_box(MARGIN, y - ROW / 2, width - 2 * MARGIN, ROW, "#f5f5f5"))
        weight = ' font-weight="bold"' if line == ALL else ""
        body.append(_text(LEFT - 12, y + 4, line, 12, anchor="end", more=weight))
    for x, values, unit in (
        (LEFT, _speeds(results, tools), number),
        (right, _waits(results, tools), time),
    ):
        body += _panel(x, lines, tools, values, bottom, unit)
    dates = sorted({row.date for row in rows})
    about = " · ".join([*dates[-1:], results.machine.get("processor", "")])
    body.append(_text(MARGIN, height - 10, about, 11, colour="#666"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" role="img">\n'
        "<title>Speed against NumPy and waiting time, by class of program</title>\n"
        f"{_box(0, 0, width, height, '#fff')}\n" + "\n".join(body) + "\n</svg>\n"
    )


def _speeds(results: Results, tools: Sequence[Tool]) -> Values:
    values: Values = {}
    for tool in tools:
        one = standing(results, tool.name)
        for kind, mean in one.classes.items():
            values.setdefault(kind, {})[tool.name] = mean
        if one.mean is not None:
            values.setdefault(ALL, {})[tool.name] = one.mean
    return values


def _waits(results: Results, tools: Sequence[Tool]) -> Values:
    """Medians of the first results; what came too late counts as the time it was given."""
    waits: dict[str, dict[str, list[float]]] = {}
    for row in results.rows.values():
        if row.tool not in {tool.name for tool in tools} or not row.single:
            continue
        first = next(iter(row.single.values()))
        seconds = first.first_s if first.first_s is not None else first.lost_s
        if first.status == "no peer" or not seconds:
            continue
        for line in (row.kind, ALL):
            found = waits.setdefault(line, {}).setdefault(row.tool, [])
            found.append(seconds + (row.import_s or 0.0))
    return {
        line: {tool: statistics.median(seconds) for tool, seconds in found.items()}
        for line, found in waits.items()
    }


def _panel(
    left: float,
    lines: Sequence[str],
    tools: Sequence[Tool],
    values: Values,
    bottom: float,
    unit: Callable[[float], str],
) -> list[str]:
    """One logarithmic axis with a mark for each tool on each line."""
    flat = [value for found in values.values() for value in found.values()]
    low = math.floor(math.log10(min([*flat, 0.5])))
    high = math.ceil(math.log10(max([*flat, 2.0])))

    def place(value: float) -> float:
        return left + PANEL * (math.log10(value) - low) / (high - low)

    drawn = []
    for power in range(low, high + 1):
        x = place(10.0**power)
        strong = power == 0
        drawn.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}" '
            f'stroke="{"#444" if strong else "#ccc"}" stroke-width="{1.5 if strong else 1}"/>'
        )
        drawn.append(_text(x, bottom + 16, unit(10.0**power), 11, anchor="middle"))
    for index, line in enumerate(lines):
        y = TOP + ROW * (index + 0.5)
        for tool in reversed(tools):  # ours on top
            value = values.get(line, {}).get(tool.name)
            if value is not None:
                title = f"{tool.label}, {line}: {unit(value)}"
                drawn.append(_mark(tool.name, place(value), y, title))
    return drawn


def _legend(tools: Sequence[Tool]) -> list[str]:
    drawn = []
    for index, tool in enumerate(tools):
        x = LEFT + 8 + 130 * index
        drawn += [_mark(tool.name, x, 50, tool.label), _text(x + 12, 54, tool.label, 12)]
    drawn.append(_text(LEFT + 8 + 130 * len(tools), 54, "dark line: NumPy, one second", 12))
    return drawn


def _mark(tool: str, x: float, y: float, title: str) -> str:
    """A disc, a square, a triangle or a diamond."""
    shapes = {
        "numba": f"M{x - 5:.1f},{y - 5:.1f}h10v10h-10z",
        "jax": f"M{x:.1f},{y - 6:.1f}l6,11h-12z",
        "torch": f"M{x:.1f},{y - 7:.1f}l6,7l-6,7l-6,-7z",
    }
    style = f'fill="{COLOURS[tool]}" stroke="#fff" stroke-width="0.8"'
    shape = (
        f'<path d="{shapes[tool]}" {style}>'
        if tool in shapes
        else f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6.5" {style}>'
    )
    return f"{shape}<title>{escape(title)}</title>{'</path>' if tool in shapes else '</circle>'}"


def _box(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{colour}"/>'


def _text(
    x: float,
    y: float,
    text: str,
    size: int,
    *,
    anchor: str = "start",
    colour: str = "#222",
    more: str = "",
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="{colour}"{more}>{escape(text)}</text>'
    )
