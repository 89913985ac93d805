"""The text of a level, whole and its first lines."""

from __future__ import annotations

import pytest

from jupyter_npcompile.graph import CapturedGraph, Graph
from jupyter_npcompile.graph.facts import level_text
from jupyter_npcompile.graph.report import ReportData
from tests.support.graph_examples import chain, heat, hostile, timed

LEVELS = [
    (),
    (heat(),),
    (Graph("numpy"),),
    (hostile(), heat(), chain(40, 7)),
    (chain(300, 30), heat()),
]


def words(text: str) -> list[list[str]]:
    """Lines without the blanks that put comments into one column."""
    return [line.split() for line in text.split("\n")]


@pytest.mark.parametrize("graphs", LEVELS)
def test_first_lines_are_those_of_the_whole(graphs: tuple[Graph, ...]) -> None:
    captured = CapturedGraph(numpy=graphs)
    whole = words(captured.to_text())
    assert captured.height() == len(whole)
    for most in (1, 2, 5, 17, 60, 250, 10_000):
        assert words(captured.to_text(most=most)) == whole[:most]


def test_kernels_that_numpy_has_are_not_written() -> None:
    graphs = (Graph("kernels"), *timed().graph.kernels, Graph("kernels"))
    captured = CapturedGraph(kernels=graphs)
    assert captured.height("kernels") == captured.to_text("kernels").count("\n") + 1
    assert CapturedGraph(kernels=graphs[:1]).to_text("kernels") == "nothing was compiled"


@pytest.mark.parametrize("level", ["numpy", "kernels"])
def test_notes_stand_beside_the_first_lines(level: str) -> None:
    report = timed()
    whole = words(level_text(report, level))
    assert words(level_text(report, level, most=4)) == whole[:4]
    assert level_text(report, level) != report.graph.to_text(level)


def test_the_first_lines_of_a_large_graph_are_all_that_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from jupyter_npcompile.graph import facts

    asked = []
    count = facts.flops
    monkeypatch.setattr(facts, "flops", lambda *args: asked.append(args) or count(*args))
    level_text(ReportData(graph=CapturedGraph(numpy=(chain(3000, 30), chain(3000, 30)))), most=60)
    assert len(asked) == 60
