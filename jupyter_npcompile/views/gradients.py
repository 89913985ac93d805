"""The gradient view: text for a terminal, SVG for a saved notebook."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.amounts import size
from jupyter_npcompile.graph.gradients import GradientReport, NodeGradient, NonFinite, Sample

CELL, GAP, LABEL, LINE, ROW = 6, 14, 270, 13, 18
MOST_NODES = 40

BAR, NAME = 200, 38
"""Width of the longest bar, and characters of the name before it."""

TITLE = 38
"""Characters of a title that stand beside the maps."""


def gradient_text(report: GradientReport) -> str:
    """One line for each variable, then what should be known about them.

    Examples
    --------
    >>> from jupyter_npcompile.graph.gradients import VariableGradient
    >>> one = VariableGradient("loss", "w", Sample.of([1.0, 2.0]), Sample.of([3.0, 4.0]))
    >>> print(gradient_text(GradientReport((one,), check="agrees")))
    gradient of loss · check against NumPy: agrees
      w  float64[2]  norm 5, from 3 to 4
    """
    outputs = dict.fromkeys(v.output for v in report.variables)
    lines = []
    for output in outputs:
        lines.append(f"gradient of {output} · check against NumPy: {report.check}")
        chosen = [v for v in report.variables if v.output == output]
        width = max(len(v.name) for v in chosen)
        lines += [f"  {v.name:{width}}  {_figures(v.gradient)}" for v in chosen]
    lines += [f"  {line}" for line in _place(report)]
    first = report.nonfinite
    if first is not None:
        lines.append(f"  NaN or infinity appears first {_where(first)}")
    lines += [f"  line {at.line}, column {at.column}: {text}" for at, text in report.notes]
    return "\n".join(lines) or "no gradients"


def _place(report: GradientReport) -> list[str]:
    """How and where they were computed, unless that goes without saying."""
    said = report.note.split("; ") if report.note else []
    if report.device != "cpu":
        there, back = size(report.to_device), size(report.to_host)
        said.append(f"computed on {report.device}: {there} copied there, {back} back")
    return said


def _figures(sample: Sample) -> str:
    return ", ".join(_phrases(sample))


def _phrases(sample: Sample) -> list[str]:
    """What is to be said of a gradient, in pieces; the first holds its dtype and norm."""
    shape = f"[{','.join(map(str, sample.shape))}]" if sample.shape else ""
    parts = [f"norm {sample.norm:.4g}"]
    if sample.shape:
        parts.append(f"from {sample.low:.4g} to {sample.high:.4g}")
    if sample.zeros:
        parts.append(f"{sample.zeros:.0%} zero")
    if sample.nonfinite:
        parts.append(f"{sample.nonfinite} NaN or infinite")
    return [f"{sample.dtype}{shape}  {parts[0]}", *parts[1:]]


def _where(first: NonFinite) -> str:
    what = "in the result" if first.in_value else "in the gradient"
    run = f", run {first.run}" if first.run else ""
    at = first.position
    return f"{what} of {first.op}, line {at.line}, column {at.column}{run}"


def gradient_svg(report: GradientReport) -> str:
    """Values and gradients as small maps, and the norm of the gradient along the way.

    Examples
    --------
    >>> gradient_svg(GradientReport()).startswith("<svg")
    True
    """
    parts: list[str] = []
    y = 22
    parts.append(_label(8, y - 6, f"check against NumPy: {report.check}", bold=True))
    if report.variables:
        parts.append(
            _label(8, y + 8, "left: values, right: gradients; blue is negative, red positive")
        )
        y += ROW
    for variable in report.variables:
        said = _phrases(variable.gradient)
        rows = max(len(variable.value.rows), len(variable.gradient.rows))
        title = f"d {variable.output} / d {variable.name}"
        parts.append(_label(8, y + 10, title, bold=True))
        if len(title) > TITLE:  # it would run into the maps
            parts += [_label(8, y + 10 + LINE, said.pop(0))]
            y += LINE
        height = max(rows * CELL, (len(said) + 1) * LINE)
        parts += [_label(8, y + 10 + LINE * k, text) for k, text in enumerate(said, 1)]
        wide = _map(parts, variable.value, LABEL, y)
        _map(parts, variable.gradient, LABEL + wide + GAP, y)
        y += height + GAP
    y = _norms(parts, report.nodes[-MOST_NODES:], y)
    for line in _place(report):
        parts.append(_label(8, y + 12, line))
        y += ROW
    for at, text in report.notes[:10]:
        parts.append(_label(8, y + 12, f"line {at.line}: {text}"))
        y += ROW
    first = report.nonfinite
    if first is not None:
        parts.append(_label(8, y + 12, f"NaN or infinity appears first {_where(first)}"))
        y += ROW
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="{y + 8}" '
        'font-family="monospace" font-size="11" role="img" aria-label="gradients">'
        f"{''.join(parts)}</svg>"
    )


def _label(x: int, y: int, text: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x}" y="{y}" fill="currentColor"{weight}>{escape(text)}</text>'


def _map(parts: list[str], sample: Sample, x: int, y: int) -> int:
    """Colour each element, blue below zero and red above; returns the width."""
    size = max(abs(sample.low), abs(sample.high)) or 1.0
    for row, values in enumerate(sample.rows):
        for column, value in enumerate(values):
            parts.append(
                f'<rect x="{x + column * CELL}" y="{y + row * CELL}" width="{CELL}" '
                f'height="{CELL}" fill="{_colour(value / size)}"/>'
            )
    width = max((len(row) for row in sample.rows), default=0) * CELL
    parts.append(  # elements near zero are as pale as a page
        f'<rect x="{x}" y="{y}" width="{width}" height="{len(sample.rows) * CELL}" fill="none" '
        'stroke="#888888" stroke-width="0.5"/>'
    )
    return width


def _colour(share: float) -> str:
    if not abs(share) <= 1:
        return "#000000"
    fade = round(255 * (1 - abs(share)))
    return f"#ff{fade:02x}{fade:02x}" if share >= 0 else f"#{fade:02x}{fade:02x}ff"


def _norms(parts: list[str], nodes: tuple[NodeGradient, ...], y: int) -> int:
    """A bar for the gradient at each operation; the smallest of several is marked in it."""
    if not nodes:
        return y
    scale = Decades.of([size for node in nodes for size in (node.norm, node.least or 0.0)])
    parts.append(_label(8, y + 10, "size of the gradient along the way", bold=True))
    y += ROW
    for node in nodes:
        times = f" \N{MULTIPLICATION SIGN}{node.times}" if node.times > 1 else ""
        name = f"line {node.position.line} {node.op}"
        parts.append(_label(8, y + 10, f"{name[: NAME - len(times)]}{times}"))
        wide = scale.share(node.norm) * BAR
        colour = "#4477aa" if node.finite_gradient and node.finite_value else "#cc3311"
        parts.append(_bar(y, wide, colour, pale=node.least is not None))
        said = f"{node.norm:.3g}"
        if node.least is not None and node.least != node.norm:
            parts.append(_bar(y, scale.share(node.least) * BAR, colour))
            said = f"{node.least:.3g} to {said}"
        parts.append(_label(LABEL + BAR + 8, y + 10, said))
        y += 14
    return y + 6


def _bar(y: int, width: float, colour: str, *, pale: bool = False) -> str:
    faint = ' fill-opacity="0.4"' if pale else ""
    return (
        f'<rect x="{LABEL}" y="{y + 2}" width="{max(width, 1):.0f}" height="9" '
        f'fill="{colour}"{faint}/>'
    )


@dataclass(frozen=True, slots=True)
class Decades:
    """A logarithmic scale: gradients vanish and explode by orders of magnitude.

    Parameters
    ----------
    low, high : float
        Logarithms of what has the share 0, and of what has the share 1.
    """

    low: float
    high: float

    @classmethod
    def of(cls, sizes: Iterable[float]) -> Decades:
        """Give the scale on which the smallest of some sizes can still be seen."""
        shown = [math.log10(size) for size in sizes if 0 < size < math.inf] or [0.0]
        return cls(min(min(shown), max(shown) - 1) - 0.5, max(shown))

    def share(self, size: float) -> float:
        """Give the place of a size on the scale, 1 for what is no number.

        Examples
        --------
        >>> scale = Decades.of([1e-4, 1.0])
        >>> round(scale.share(1e-4), 2), scale.share(1.0), scale.share(0.0)
        (0.11, 1.0, 0.0)
        """
        if not math.isfinite(size):
            return 1.0
        return (math.log10(size) - self.low) / (self.high - self.low) if size > 0 else 0.0


def gradient_bundle(report: GradientReport) -> dict[str, str]:
    """Text and HTML of a report.

    Examples
    --------
    >>> sorted(gradient_bundle(GradientReport()))
    ['text/html', 'text/plain']
    """
    return {
        "text/plain": gradient_text(report),
        "text/html": f'<div class="npcompile-gradients">{gradient_svg(report)}</div>',
    }
