"""Measured times in words."""

from __future__ import annotations

from jupyter_npcompile.graph.report import RegionReport


def duration(microseconds: float | None) -> str:
    """Write a time with two or three digits; a dash where nothing was measured.

    Examples
    --------
    >>> duration(4.21), duration(26_000), duration(1.5e6), duration(None)
    ('4.2 µs', '26 ms', '1.5 s', '-')
    """
    if microseconds is None:
        return "-"
    for limit, unit, scale in ((999.5, "µs", 1.0), (999_500.0, "ms", 1e3)):
        if microseconds < limit:
            return f"{_digits(microseconds / scale)} {unit}"
    return f"{_digits(microseconds / 1e6)} s"


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
    return f"{_digits(numpy / compiled)}x"


def milliseconds(region: RegionReport, name: str) -> str:
    """Write one of the timings that are kept in milliseconds."""
    value = region.timings.get(name)
    return duration(None if value is None else value * 1e3)


def _digits(value: float) -> str:
    if value >= 99.5:
        return f"{value:.0f}"
    return f"{value:.2g}" if value < 9.95 else f"{value:.0f}"
