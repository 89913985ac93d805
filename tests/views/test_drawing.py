"""Which segments are drawn, and how large drawings get."""

from __future__ import annotations

import pytest

from jupyter_npcompile.graph import CapturedGraph, ReportData
from jupyter_npcompile.views.drawing import BYTES, SEGMENTS, drawings, share
from tests.support.graph_examples import chain, heat


def test_small_segments_are_drawn_whole() -> None:
    graphs = CapturedGraph((heat(), chain(3000, 10)))
    first, second = drawings(ReportData(graph=graphs))
    assert "v[1:-1] =" in first
    assert "line 5" in second


def test_no_more_than_the_budget() -> None:
    graphs = CapturedGraph(tuple(chain(300, 200) for _ in range(9)))
    found = drawings(ReportData(graph=graphs))
    assert len(found) == SEGMENTS
    assert sum(map(len, found)) <= BYTES
    assert drawings(ReportData(graph=graphs), room=10) == []


def test_nothing_to_draw() -> None:
    assert drawings(ReportData()) == []


@pytest.mark.parametrize(
    ("sizes", "total", "limit"),
    [([], 100, 100), ([50, 50], 100, 100), ([90, 90], 100, 50), ([1] * 200, 100, 1)],
)
def test_share(sizes: list[int], total: int, limit: int) -> None:
    assert share(sizes, total) == limit
