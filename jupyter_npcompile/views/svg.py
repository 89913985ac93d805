"""SVG of a captured graph, drawn by ourselves.

The element and its classes are those of `jupyter_npcompile.graph.to_svg`, so
one style sheet fits both.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from jupyter_npcompile.graph.constants import printable
from jupyter_npcompile.graph.layout import Layout, Rectangle, arrange
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.graph.picture import LIMIT, Box, Picture, picture

GREY = "#808080"
"""Strokes: visible on white and on black."""

_STROKES = {"view": ' stroke-dasharray="4 2.5"', "write": ' stroke-width="1.8"'}
_ARROW = 5.0


def to_svg(
    graph: Graph,
    title: str = "captured graph",
    *,
    limit: int = LIMIT,
    sources: Mapping[int, str] | None = None,
    notes: Mapping[int, str] | None = None,
) -> str:
    """Draw a graph without Graphviz.

    Parameters
    ----------
    graph : Graph
        One segment.
    title : str
        What the drawing is, for screen readers.
    limit : int
        Most boxes to draw; a larger graph gets one box per source line.
    sources : mapping of int to str, optional
        Text of the source lines, for those boxes.
    notes : mapping of int to str, optional
        What else is to stand in the boxes of kernels.

    Returns
    -------
    str
        An ``<svg>`` element.

    Examples
    --------
    >>> to_svg(Graph("numpy")).startswith("<svg xmlns=")
    True
    """
    shown = picture(graph, limit=limit, sources=sources, notes=notes)
    layout = arrange(shown)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="npcompile-graph" '
        f'viewBox="0 0 {layout.width:.0f} {layout.height:.0f}" width="{layout.width:.0f}" '
        f'height="{layout.height:.0f}" role="img" aria-label="{_text(title)}" '
        f'font-family="var(--jp-code-font-family, monospace)" text-anchor="middle">',
        *_arrows(shown, layout),
        *(_box(box, layout.boxes[box.key]) for box in shown.boxes),
        "</svg>",
    ]
    return "".join(parts)


def _box(box: Box, place: Rectangle) -> str:
    left, top = place.x - place.width / 2, place.y - place.height / 2
    radius = place.height / 2 if box.kind in ("input", "output") else 2.0
    title_y = place.y + (-1.5 if box.detail else 4.0)
    detail = box.detail
    # No frames round source lines here: the number stands in the box.
    tag = f'<tspan fill-opacity="0.45"> :{box.place.line}</tspan>' if box.place else ""
    text = (
        f'<text x="{place.x:.1f}" y="{title_y:.1f}" font-size="11">{_text(box.title)}{tag}</text>'
    )
    if detail:
        text += (
            f'<text x="{place.x:.1f}" y="{place.y + 11:.1f}" font-size="9" '
            f'fill-opacity="0.65">{_text(detail)}</text>'
        )
    return (
        f'<g class="node {box.kind}" fill="currentColor">'
        f"<title>{_text(box.tooltip or box.title)}</title>"
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{place.width:.1f}" '
        f'height="{place.height:.1f}" rx="{radius:.0f}" fill="none" stroke="{GREY}"'
        f"{_STROKES.get(box.kind, '')}/>{text}</g>"
    )


def _arrows(shown: Picture, layout: Layout) -> list[str]:
    parts = []
    for arrow in shown.arrows:
        points = layout.routes[arrow.tail, arrow.head]
        (x, y), end = points[0], points[-1]
        down = 1.0 if end[1] > y else -1.0
        path = f"M{x:.1f},{y:.1f}"
        for place, (to_x, to_y) in enumerate(points[1:], 2):
            stop = to_y - down * _ARROW if place == len(points) else to_y
            bend = (stop - y) / 2
            path += f"C{x:.1f},{y + bend:.1f} {to_x:.1f},{stop - bend:.1f} {to_x:.1f},{stop:.1f}"
            x, y = to_x, stop
        dash = ' stroke-dasharray="3 2"' if arrow.memory else ""
        base = end[1] - down * _ARROW
        parts.append(
            f'<g class="edge{" memory" if arrow.memory else ""}">'
            f'<path d="{path}" fill="none" stroke="{GREY}"{dash}/>'
            f'<polygon points="{end[0]:.1f},{end[1]:.1f} {end[0] - 2.4:.1f},{base:.1f} '
            f'{end[0] + 2.4:.1f},{base:.1f}" fill="{GREY}"/></g>'
        )
    return parts


def _text(text: str) -> str:
    return escape(printable(text))
