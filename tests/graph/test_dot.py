"""DOT source, and the SVG that Graphviz makes of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from jupyter_npcompile.graph import Graph, dot, to_dot, to_svg, to_svgs
from jupyter_npcompile.graph.dot_process import DotProcess
from tests.support.graph_examples import chain, heat, hostile

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def test_source_is_grouped_by_line() -> None:
    source = to_dot(heat(), sources={5: "lap = u[2:] - 2 * u[1:-1]"})
    assert source.startswith("digraph captured {")
    assert source.count("subgraph cluster_") == 5
    assert "5  lap = u[2:] - 2 * u[1:-1]" in source
    assert "<energy/norm · line 2>" in source
    assert "n2 -> n8" in source


def test_source_of_several_segments() -> None:
    source = to_dot([heat(), heat()])
    assert 'label="segment 2"' in source
    assert "s1_n2 -> s1_n8" in source


@needs_dot
def test_svg() -> None:
    svg = to_svg(heat(), "a title")
    assert svg is not None
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == "a title"
    assert not [element for element in root.iter() if "id" in element.attrib]
    assert "black" not in svg
    assert "white" not in svg
    titles = [element.text for element in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "%3: float64[98] = multiply(2, %2)" in titles


@needs_dot
def test_large_graph_is_collapsed() -> None:
    svg = to_svg(chain(3000, 30))
    assert svg is not None
    assert svg.count('class="node line"') == 30
    assert len(svg) < 60_000


@needs_dot
def test_several_in_one_run() -> None:
    found = to_svgs([heat(), Graph("numpy"), heat()], ["one", "two", "three"])
    assert found is not None
    assert [ElementTree.fromstring(svg).get("aria-label") for svg in found] == [
        "one",
        "two",
        "three",
    ]


@needs_dot
def test_a_drawing_does_not_depend_on_those_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dot, "process", DotProcess())
    first, *others = [to_svg(heat()) for _ in range(3)]
    assert to_svg(chain(40, 7)) is not None
    assert {*others, to_svg(heat())} == {first}
    dot.process.close()
    assert first is not None
    assert first.rindex('class="cluster') < first.index('class="node')


@needs_dot
def test_hostile_strings() -> None:
    svg = to_svg(hostile(), '"><script>')
    assert svg is not None
    assert "<script" not in svg
    assert ElementTree.fromstring(svg).get("aria-label") == '"><script>'


def test_without_dot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert to_svg(heat()) is None
    assert to_dot(heat())


@pytest.mark.parametrize("answer", ["no svg", "<svg></svg", "<svg><g></svg>", "\\377</svg>"])
def test_dot_that_draws_nonsense(
    answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "dot"
    program.write_text(f"#!/bin/sh\nread line\nprintf '{answer}\\n'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(dot, "process", DotProcess())
    assert to_svg(heat()) is None
    dot.process.close()
