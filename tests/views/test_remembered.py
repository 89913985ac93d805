"""Results that are kept for what is the same."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from jupyter_npcompile.graph import CapturedGraph, Graph, Node, Output, Ref, dot
from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.views import html
from jupyter_npcompile.views.html import to_html
from jupyter_npcompile.views.remembered import Remembered
from tests.support.graph_examples import chain, report, timed, vector


def test_the_last_ones_are_kept() -> None:
    asked: list[int] = []
    square = Remembered(lambda value: asked.append(value[0]) or value[0] ** 2, tuple, most=2)
    assert [square([n]) for n in (1, 2, 1, 3, 1, 2)] == [1, 4, 1, 9, 1, 4]
    assert asked == [1, 2, 3, 2]


def test_from_many_threads() -> None:
    double = Remembered(lambda value: [2 * value[0]], tuple, most=3)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda n: double([n % 7])[0], range(2000))) == [
            2 * (n % 7) for n in range(2000)
        ]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many graphs were drawn at a time."""
    counts: list[int] = []
    draw = dot.to_svgs
    monkeypatch.setattr(
        dot, "to_svgs", lambda g, *a, **k: counts.append(len(g)) or draw(g, *a, **k)
    )
    monkeypatch.setattr(html, "_graphs", Remembered(html._drawn, html._what_is_drawn))
    return counts


def test_a_graph_is_drawn_once(drawn: list[int]) -> None:
    first = to_html(report())
    count = len(drawn)
    assert count
    assert to_html(report()) == first
    assert to_html(replace(report(), breaks=())) != first
    assert len(drawn) == count


def changed() -> list[ReportData]:
    one = report()
    lines = (replace(one.lines[0], source="z = 1"), *one.lines[1:])
    graph = replace(one.graph, numpy=(chain(4, 2),))
    return [replace(one, lines=lines), replace(one, graph=graph), timed()]


@pytest.mark.parametrize("other", changed())
def test_what_shows_something_else_is_drawn(other: ReportData, drawn: list[int]) -> None:
    to_html(report())
    count = len(drawn)
    after = to_html(other)
    assert len(drawn) > count
    html._graphs = Remembered(html._drawn, html._what_is_drawn)
    assert to_html(other) == after


def test_numbers_that_are_equal_are_told_apart(drawn: list[int]) -> None:
    x = Node(0, "input", name="x", types=(vector(4),))

    def text(number: float) -> str:
        y = Node(1, "numpy.multiply", (Ref(0), number), types=(vector(4),))
        graph = Graph("numpy", (x,), (y,), (Output("y", Ref(1)),))
        return to_html(ReportData(graph=CapturedGraph((graph,))))

    numbers = (2, 2.0, 1, True, 0.0, -0.0)
    for number in numbers:
        assert f"multiply(x, {number})" in text(number)
    count = len(drawn)
    assert "multiply(x, 2.0)" in text(2.0)  # equal, and another object
    assert len(drawn) == count
