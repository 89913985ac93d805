"""Reports as data: the schema is public."""

from __future__ import annotations

import json
import math

import pytest

from jupyter_npcompile.graph import (
    SCHEMA_VERSION,
    Assignment,
    CapturedGraph,
    RegionReport,
    ReportData,
    from_json,
    to_text,
)
from tests.support.graph_examples import heat, hostile_report, report


@pytest.mark.parametrize("data", [report(), hostile_report(), ReportData()])
def test_round_trip(data: ReportData) -> None:
    text = json.dumps(data.to_dict(), allow_nan=False)
    assert ReportData.from_dict(json.loads(text)) == data


def test_schema() -> None:
    data = report().to_dict()
    assert data["schema"] == SCHEMA_VERSION == 1
    assert data["summary"] == report().summary
    assert data["summary"] == (
        "3 of 5 lines compiled · 1 break point · 6.5x NumPy · inductor + numpy, cpu"
    )
    assert set(data["lines"][0]) == {
        "line",
        "end_line",
        "source",
        "status",
        "reason",
        "hint",
        "region",
        "assigns",
    }
    assert data["lines"][0]["assigns"] == [{"name": "v", "dtype": "float64", "shape": [100]}]
    assert set(data["breaks"][0]) == {"line", "column", "kind", "reason", "hint"}
    assert set(data["regions"][0]) == {
        "id",
        "lines",
        "tier",
        "signature",
        "segments",
        "artifacts",
        "timings",
        "note",
        "copies",
    }
    assert from_json(data["graph"]["numpy"][0]) == heat()
    assert data["graph"]["aten"][0]["level"] == "aten"


def test_without_graphs() -> None:
    data = report().to_dict(graphs=False)
    assert "graph" not in data
    assert ReportData.from_dict(data).graph == CapturedGraph()


def test_timings_are_json_numbers() -> None:
    region = RegionReport(0, (1, 1), "numpy", timings={"numpy_us": math.nan, "compiled_us": 2})
    (data,) = ReportData(regions=(region,)).to_dict()["regions"]
    assert data["timings"] == {"numpy_us": None, "compiled_us": 2.0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 2}, "report of schema 2: this version reads schema 1"),
        ({"lines": [{}]}, "not a report"),
        ({"regions": 3}, "not a report"),
    ],
)
def test_broken_reports(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ReportData.from_dict(report().to_dict() | change)


def test_unknown_status() -> None:
    data = report().to_dict()
    data["lines"][0]["status"] = "fast"
    with pytest.raises(ValueError, match="unknown status 'fast'"):
        ReportData.from_dict(data)


def test_text_of_segments() -> None:
    graph = CapturedGraph((heat(), heat()))
    assert graph.to_text().startswith("segment 1 of 2\nnumpy (u:")
    assert graph.to_text("aten") == "nothing was captured"
    assert CapturedGraph((heat(),)).to_text() == to_text(heat())


def test_json_of_segments() -> None:
    data = json.loads(CapturedGraph((heat(),)).to_json())
    assert data["schema"] == 1
    assert data["level"] == "numpy"
    assert [from_json(part) for part in data["segments"]] == [heat()]


def test_dot_of_segments() -> None:
    assert "cluster_segment1" in CapturedGraph((heat(), heat())).to_dot()
    assert CapturedGraph().to_dot("aten").startswith("digraph")


@pytest.mark.parametrize("form", ["to_text", "to_json", "to_dot"])
def test_unknown_level(form: str) -> None:
    with pytest.raises(
        ValueError, match="unknown level 'assembly': the levels are 'numpy', 'aten'"
    ):
        getattr(CapturedGraph(), form)("assembly")


def test_assignments_print_as_types() -> None:
    assert str(Assignment("x", "float64", (3, 4))) == "x: float64[3,4]"
    assert str(Assignment("n", "int64")) == "n: int64"
