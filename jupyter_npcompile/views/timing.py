"""Measured times in words."""

from __future__ import annotations

from jupyter_npcompile.graph.amounts import digits
from jupyter_npcompile.graph.amounts import duration as duration
from jupyter_npcompile.graph.regions import RegionReport


def speed(region: RegionReport) -> str:
    """How many times faster than NumPy a region is, as far as it was measured.

    Examples
    --------
    >>> speed(RegionReport(0, (1, 2), "inductor", timings={"numpy_us": 26, "compiled_us": 4}))
    '6.5x'
    """
    numpy, compiled = region.timings.get("numpy_us"), region.timings.get("compiled_us")
    if numpy is None or not compiled:
        return "-"
    return f"{digits(numpy / compiled)}x"


def milliseconds(region: RegionReport, name: str) -> str:
    """Write one of the timings that are kept in milliseconds."""
    value = region.timings.get(name)
    return duration(None if value is None else value * 1e3)
