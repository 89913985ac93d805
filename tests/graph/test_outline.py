"""The outline: groups, gaps and boxes in reading order, with room for any size."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyter_npcompile.graph import CapturedGraph, ReportData
from jupyter_npcompile.graph.outline import MOST_CHILDREN, initially_open, outline
from jupyter_npcompile.graph.report import BreakPoint, LineReport
from tests.support.graph_examples import chain, heat, hostile_report, report

SOURCE = "%%npcompile\nfor a in b:\n    for c in d:\n        x = x + 1\n        print(x)\ny = x"


def level(data: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = data["levels"][0]
    return made


def parents(data: dict[str, Any]) -> dict[str, str]:
    return {group["id"]: group["parent"] for group in level(data)["groups"]}


def test_everything_has_a_place_in_reading_order() -> None:
    shown = level(outline(report()))
    entries = sorted([*shown["groups"], *shown["boxes"]], key=lambda entry: entry["at"])
    assert [entry["at"] for entry in entries] == list(range(len(entries)))
    known = {""}
    for entry in entries:
        assert entry.get("parent", entry.get("group")) in known
        if "parent" in entry:
            known.add(entry["id"])
    titles = [box["title"] for box in shown["boxes"]]
    assert titles[0] == "u"
    assert "multiply(2, ·)" in titles
    ids = {box["id"] for box in shown["boxes"]}
    assert {end for tail, head, _ in shown["arrows"] for end in (tail, head)} <= ids


def test_facts_about_a_box() -> None:
    boxes = {box["title"]: box for box in level(outline(report()))["boxes"]}
    (facts,) = [box for title, box in boxes.items() if title.startswith("empty_like")]
    assert (facts["line"], facts["dtype"], facts["shape"], facts["bytes"]) == (
        3,
        "float64",
        "100",
        800,
    )
    helper = next(box for title, box in boxes.items() if "sum" in title)
    assert helper["line"] == 2  # that of the call in the cell


def test_loops_nest_and_hold_their_break_points() -> None:
    data = ReportData(
        lines=(LineReport(4, 4, "x = x + 1", "compiled"),),
        breaks=(BreakPoint(5, 8, "print", "why", "what to do"),),
        graph=CapturedGraph((chain(3, 0),)),
        source=SOURCE,
    )
    found = parents(outline(data))
    assert found["loop2"] == ""
    assert found["loop3"] == "loop2"
    assert found["break0"] == "loop3"
    gap = next(group for group in level(outline(data))["groups"] if group["kind"] == "break")
    assert (gap["title"], gap["hint"], gap["line"]) == ("why", "what to do", 5)


def test_a_cell_that_is_no_python_has_no_loops() -> None:
    data = ReportData(graph=CapturedGraph((chain(3, 1),)), source="%%npcompile\n%timeit x\nfor")
    assert {group["kind"] for group in level(outline(data))["groups"]} == {"segment", "line"}


def test_segments_are_joined_by_names() -> None:
    arrows = level(outline(ReportData(graph=CapturedGraph((heat(), heat())))))["arrows"]
    # What the first segment writes into is what the second begins with.
    assert ["0.w0", "1.n0", 2] in arrows


@pytest.mark.parametrize("lines", [1, 100, 9000])
def test_large_graphs_open_small(lines: int) -> None:
    data = outline(ReportData(graph=CapturedGraph((chain(10_000, lines),))))
    shown = level(data)
    inside: dict[str, int] = {}
    for entry in (*shown["groups"], *shown["boxes"]):
        parent = entry.get("parent", entry.get("group"))
        inside[parent] = inside.get(parent, 0) + 1
    assert max(inside.values()) <= MOST_CHILDREN
    opened = set(initially_open(data))
    found = [
        entry
        for entry in (*shown["groups"], *shown["boxes"])
        if entry.get("parent", entry.get("group")) in opened | {""} and entry["id"] not in opened
    ]
    assert 0 < len(found) <= 140
    assert sum(box["kind"] == "operation" for box in shown["boxes"]) == 9999


def test_hostile_strings_are_data() -> None:
    data = outline(hostile_report())
    shown = json.dumps(data, ensure_ascii=False, allow_nan=False)
    assert shown.encode("utf-8")  # no half of a character
    assert json.loads(json.dumps(data)) == data
