"""Amounts in words."""

from __future__ import annotations


def size(nbytes: int) -> str:
    """Write a number of bytes.

    Examples
    --------
    >>> size(512), size(2000), size(1_500_000), size(20_000_000_000)
    ('512 B', '2.0 kB', '1.5 MB', '20 GB')
    """
    return _scaled(nbytes, "B")


def rate(nbytes: int, microseconds: float | None) -> str:
    """Write how many bytes a second that is; nothing where nothing was measured.

    Examples
    --------
    >>> rate(80_000, 20.0), rate(8, None)
    ('4.0 GB/s', '')
    """
    return f"{size(round(nbytes / microseconds * 1e6))}/s" if microseconds else ""


def operations(count: int) -> str:
    """Write a number of floating-point operations.

    Examples
    --------
    >>> operations(24), operations(2_500_000)
    ('24 FLOP', '2.5 MFLOP')
    """
    return _scaled(count, "FLOP")


def _scaled(count: int, unit: str) -> str:
    value = float(count)
    if value < 1000:
        return f"{count} {unit}"
    for prefix in "kMG":
        value /= 1000
        if value < 1000 or prefix == "G":
            break
    return f"{value:.1f} {prefix}{unit}" if value < 10 else f"{value:.0f} {prefix}{unit}"


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
            return f"{digits(microseconds / scale)} {unit}"
    return f"{digits(microseconds / 1e6)} s"


def digits(value: float) -> str:
    """Write two or three digits.

    Examples
    --------
    >>> digits(0.314), digits(3.14), digits(31.4), digits(314.0)
    ('0.31', '3.1', '31', '314')
    """
    if value >= 99.5:
        return f"{value:.0f}"
    return f"{value:.2g}" if value < 9.95 else f"{value:.0f}"
