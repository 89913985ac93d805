"""Measured times in words."""

from __future__ import annotations

import pytest

from jupyter_npcompile.graph import RegionReport
from jupyter_npcompile.views.timing import duration, milliseconds, speed


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [
        (0.0, "0 µs"),
        (0.123, "0.12 µs"),
        (9.96, "10 µs"),
        (999.4, "999 µs"),
        (999.6, "1 ms"),
        (1234.0, "1.2 ms"),
        (999_600.0, "1 s"),
        (61e6, "61 s"),
        (None, "-"),
    ],
)
def test_duration(microseconds: float | None, text: str) -> None:
    assert duration(microseconds) == text


def test_speed_of_what_was_not_measured() -> None:
    assert speed(RegionReport(0, (1, 1), "numpy")) == "-"
    assert speed(RegionReport(0, (1, 1), "numpy", timings={"numpy_us": 1, "compiled_us": 0})) == "-"


def test_milliseconds() -> None:
    region = RegionReport(0, (1, 1), "numpy", timings={"compile_ms": 812.0, "trace_ms": None})
    assert milliseconds(region, "compile_ms") == "812 ms"
    assert milliseconds(region, "trace_ms") == "-"
