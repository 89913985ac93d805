"""The drawing of our own, for when Graphviz is not installed."""

from __future__ import annotations

from xml.etree import ElementTree

from jupyter_npcompile.graph import Graph
from jupyter_npcompile.views import to_svg
from tests.support.graph_examples import chain, heat, hostile

SVG = "{http://www.w3.org/2000/svg}"


def test_drawing() -> None:
    root = ElementTree.fromstring(to_svg(heat(), "a title"))
    assert root.get("aria-label") == "a title"
    classes = [group.get("class", "") for group in root.iter(SVG + "g")]
    assert classes.count("node input") == 2
    assert classes.count("node output") == 3
    assert classes.count("node view") == 2
    assert classes.count("node write") == 2
    texts = ["".join(text.itertext()) for text in root.iter(SVG + "text")]
    assert "v[1:-1] = :6" in texts
    assert "float64[98]" in texts


def test_colours_are_the_page_s() -> None:
    svg = to_svg(heat())
    assert 'fill="currentColor"' in svg
    assert "black" not in svg


def test_large_graph_names_its_lines() -> None:
    svg = to_svg(chain(3000, 30), sources={2: "y = x + 1"})
    assert svg.count('class="node line"') == 30
    assert "2  y = x + 1" in svg
    assert len(svg) < 60_000


def test_hostile_strings() -> None:
    svg = to_svg(hostile(), '"><script>')
    ElementTree.fromstring(svg)
    assert "<script" not in svg


def test_empty_graph() -> None:
    ElementTree.fromstring(to_svg(Graph("numpy")))
