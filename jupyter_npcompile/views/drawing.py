"""Which segments of a report are drawn, and by whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jupyter_npcompile.graph import dot
from jupyter_npcompile.graph.facts import level_facts
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.views import svg

BOXES = 100
"""Boxes in all drawings of one report; larger graphs get one per source line."""

SEGMENTS = 6
"""Segments that are drawn; the text shows all of them."""

BYTES = 64_000
"""Size of all drawings of one report."""


def drawings(report: ReportData, level: str = "numpy", room: int = BYTES) -> list[str]:
    """Draw the segments of a report, the first ones if there are many.

    Graphviz draws them where it is installed, else our own layout does.

    Parameters
    ----------
    report : ReportData
        What one run showed.
    level : str
        Which level.
    room : int
        Bytes of all drawings.

    Returns
    -------
    list of str
        ``<svg>`` elements, of the first segments in order.
    """
    every = enumerate(report.graph.level(level))
    drawn = [(place, graph) for place, graph in every if graph.nodes or level == "numpy"][:SEGMENTS]
    graphs = [graph for _, graph in drawn]
    facts = level_facts(report, level) if level == "kernels" else [{} for _ in graphs]
    notes = [{id: one.time for id, one in facts[place].items()} for place, _ in drawn]
    sources = {entry.line: entry.source for entry in report.lines}
    kept: list[str] = []
    # Drawings with fewer boxes replace those that turn out too large.
    for boxes in (BOXES, BOXES // 3, BOXES // 8):
        if graphs and len(kept) < len(graphs):
            limit = share(_sizes(graphs), boxes)
            kept = _within(_draw(graphs, limit, sources, notes), room)
    return kept


def share(sizes: Sequence[int], total: int) -> int:
    """Largest size allowed to each, so that all of them fit in the total.

    Examples
    --------
    >>> share([10, 30, 3000], 100), share([10, 20], 100)
    (60, 100)
    """
    room = total
    for place, size in enumerate(sorted(sizes)):
        fair = room // (len(sizes) - place)
        if size > fair:
            return max(fair, 1)
        room -= size
    return total


def _sizes(graphs: Sequence[Graph]) -> list[int]:
    return [len(graph.inputs) + len(graph.nodes) + len(graph.outputs) for graph in graphs]


def _draw(
    graphs: Sequence[Graph],
    limit: int,
    sources: dict[int, str],
    notes: Sequence[Mapping[int, str]],
) -> list[str]:
    titles = [_title(graph, place, len(graphs)) for place, graph in enumerate(graphs, 1)]
    found = dot.to_svgs(graphs, titles, limit=limit, sources=sources, notes=notes)
    if found is not None:
        return found
    return [
        svg.to_svg(graph, title, limit=limit, sources=sources, notes=known)
        for graph, title, known in zip(graphs, titles, notes, strict=True)
    ]


def _title(graph: Graph, place: int, count: int) -> str:
    which = f"segment {place} of {count}, " if count > 1 else ""
    things = "kernels" if graph.level == "kernels" else "operations"
    return f"Captured graph, {which}{len(graph.nodes)} {things}; the text below says the same"


def _within(parts: list[str], room: int) -> list[str]:
    kept = []
    for part in parts:
        room -= len(part.encode("utf-8"))
        if room < 0:
            break
        kept.append(part)
    return kept
