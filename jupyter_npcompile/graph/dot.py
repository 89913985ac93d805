"""A captured graph as DOT source, and as SVG where Graphviz is installed."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from jupyter_npcompile.graph.constants import printable
from jupyter_npcompile.graph.dot_process import DotError, DotProcess
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.graph.picture import LIMIT, Box, Picture, line_title, picture

if TYPE_CHECKING:
    import graphviz  # which takes time, and most runs draw nothing

GREY = "#808080"
"""Strokes and text in the DOT source: readable on white and on black."""

process = DotProcess()
"""What draws for everybody."""

_FONT = "Courier"

_GROUP = {"fill": "currentColor", "fill-opacity": "0.04", "stroke-opacity": "0.3"}
"""How the frame round a source line is drawn: fainter than what it holds."""


def to_dot(
    graph: Graph | Sequence[Graph],
    *,
    limit: int = LIMIT,
    sources: Mapping[int, str] | None = None,
) -> str:
    """Write DOT source: a box per operation, grouped by source line.

    Needs the ``graphviz`` package, not the ``dot`` program.

    Parameters
    ----------
    graph : Graph or sequence of Graph
        One segment, or several that are drawn beside each other.
    limit : int
        Most boxes per segment; larger ones get one box per source line.
    sources : mapping of int to str, optional
        Text of the source lines, to head their groups with.

    Examples
    --------
    >>> from jupyter_npcompile.graph.nodes import Node
    >>> print(to_dot(Graph("numpy", (Node(0, "input", name="x"),))).splitlines()[0])
    digraph captured {
    """
    graphs = [graph] if isinstance(graph, Graph) else list(graph)
    return _source([picture(part, limit=limit, sources=sources) for part in graphs], sources)


def to_svg(graph: Graph, title: str = "captured graph") -> str | None:
    """Draw a graph with ``dot``, readable on light and dark backgrounds.

    Parameters
    ----------
    graph : Graph
        One segment.
    title : str
        What the drawing is, for screen readers.

    Returns
    -------
    str or None
        An ``<svg>`` element; None where ``dot`` is missing, fails or takes
        too long.
    """
    found = to_svgs([graph], [title])
    return None if found is None else found[0]


def to_svgs(
    graphs: Sequence[Graph],
    titles: Sequence[str],
    *,
    limit: int = LIMIT,
    sources: Mapping[int, str] | None = None,
    notes: Sequence[Mapping[int, str]] = (),
) -> list[str] | None:
    """Draw several graphs with ``dot``; see `to_svg` and `picture`."""
    pictures = [
        picture(graph, limit=limit, sources=sources, notes=known)
        for graph, known in zip(graphs, notes or repeat(None), strict=False)
    ]
    # Nobody asked for Graphviz: where it does not draw, the caller does, with our own layout.
    try:
        documents = process.draw([_source([shown], sources) for shown in pictures])
        roots = [ElementTree.fromstring(document) for document in documents]
    except DotError:
        return None
    except ElementTree.ParseError:
        process.close()
        return None
    tooltips = [{box.key: box.tooltip for box in shown.boxes} for shown in pictures]
    return [
        _finish(root, title, texts)
        for root, title, texts in zip(roots, titles, tooltips, strict=True)
    ]


def _source(pictures: Sequence[Picture], sources: Mapping[int, str] | None) -> str:
    import graphviz

    drawing = graphviz.Digraph(
        "captured",
        graph_attr={
            "bgcolor": "transparent",
            "fontname": _FONT,
            "fontsize": "9",
            "fontcolor": GREY,
            "color": GREY,
            "nodesep": "0.25",
            "ranksep": "0.3",
            "margin": "0",
        },
        node_attr={
            "shape": "box",
            "fontname": _FONT,
            "fontsize": "11",
            "fontcolor": GREY,
            "color": GREY,
            "margin": "0.11,0.08",
            "height": "0.3",
        },
        edge_attr={"color": GREY, "arrowsize": "0.55"},
    )
    for place, shown in enumerate(pictures):
        if len(pictures) == 1:
            _draw(drawing, shown, "", sources)
            continue
        with drawing.subgraph(name=f"cluster_segment{place}") as segment:
            segment.attr(
                label=f"segment {place + 1}", style="rounded,dashed", **{"class": "segment"}
            )
            _draw(segment, shown, f"s{place}_", sources)
    return str(drawing.source)


def _draw(
    drawing: graphviz.Digraph, shown: Picture, prefix: str, sources: Mapping[int, str] | None
) -> None:
    for number, (place, boxes) in enumerate(shown.places().items()):
        if place is None:
            for box in boxes:
                _draw_box(drawing, box, prefix)
            continue
        with drawing.subgraph(name=f"cluster_{prefix}{number}") as group:
            group.attr(
                label=_html(line_title(place, sources)),
                style="rounded",
                labeljust="l",
                margin="7",
                **{"class": "line"},
            )
            for box in boxes:
                _draw_box(group, box, prefix)
    for arrow in shown.arrows:
        style = {"style": "dashed", "class": "memory"} if arrow.memory else {}
        drawing.edge(prefix + arrow.tail, prefix + arrow.head, **style)


def _draw_box(drawing: graphviz.Digraph, box: Box, prefix: str) -> None:
    styles = {"input": "rounded", "output": "rounded", "view": "dashed", "write": "bold"}
    label = _text(box.title)
    if box.detail:
        label += f'<BR/><FONT POINT-SIZE="9">{_text(box.detail)}</FONT>'
    drawing.node(
        prefix + box.key,
        label=f"<{label}>",
        style=styles.get(box.kind, "solid"),
        **{"class": box.kind},
    )


def _html(text: str) -> str:
    return f"<{_text(text)}>"


def _text(text: str) -> str:
    # Graphviz rejects an empty HTML-like label.
    return html.escape(printable(text)) or " "


def _finish(root: ElementTree.Element, title: str, tooltips: Mapping[str, str]) -> str:
    """Make an SVG of Graphviz's fit for a page: no ids, no colours of its own for text."""
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.attrib.pop("id", None)
        element.tail = None  # blanks between elements
        if element.tag != "text" and not (element.text or "").strip():
            element.text = None
        if element.tag == "text":
            element.set("fill", "currentColor")
            element.set("font-family", "var(--jp-code-font-family, monospace)")
            if element.get("font-size") != "11.00":
                # Details and headings stand back behind the titles.
                element.set("fill-opacity", "0.65")
    for group in list(root.iter("g")):
        name = group.find("title")
        if name is None:
            continue
        if group.get("class") == "graph":
            group[:] = sorted(group, key=_layer)
        if "node" in group.get("class", "").split():
            _centre(group)
        tooltip = tooltips.get(name.text or "")
        if tooltip is None:
            group.remove(name)
        else:
            name.text = printable(tooltip)
        if group.get("class") == "graph":
            _remove_background(group)
    for group in root.iter("g"):
        if "cluster" in group.get("class", "").split():
            for shape in group.iterfind("path"):
                shape.attrib.update(_GROUP)
    width, height = root.attrib["viewBox"].split()[2:]
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "class": "npcompile-graph",
        "viewBox": root.attrib["viewBox"],
        "width": f"{float(width):.0f}",
        "height": f"{float(height):.0f}",
        "role": "img",
        "aria-label": printable(title),
    }
    root.attrib.clear()
    root.attrib.update(attributes)
    return ElementTree.tostring(root, encoding="unicode")


def _layer(element: ElementTree.Element) -> tuple[int, int]:
    """What is drawn later, over the rest.

    Of all graphs but the first that it is given, Graphviz draws the clusters over what is in
    them, in any order.
    """
    if element.tag != "g":
        return 0, 0
    if "cluster" not in element.get("class", "").split():
        return 2, 0
    name = element.findtext("title") or ""
    return 1, int(name.rpartition("_")[2])


def _remove_background(group: ElementTree.Element) -> None:
    background = group.find("polygon")
    if background is not None:
        group.remove(background)


def _centre(node: ElementTree.Element) -> None:
    """Centre the text of a node in its shape, whatever font the page has."""
    shape = node.find("polygon") if node.find("path") is None else node.find("path")
    if shape is None:
        return
    numbers = re.findall(r"-?[\d.]+(?=,)", shape.get("points", shape.get("d", "")))
    middle = (min(map(float, numbers)) + max(map(float, numbers))) / 2
    texts = node.findall("text")
    for place, text in enumerate(texts):
        text.set("text-anchor", "middle")
        text.set("x", f"{middle:.2f}")
        if len(texts) > 1:
            # Graphviz sets the two lines so close that they touch.
            text.set("y", f"{float(text.attrib['y']) + (2 * place - 1) * 1.4:.2f}")
