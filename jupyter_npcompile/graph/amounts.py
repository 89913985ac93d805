"""Amounts in words."""

from __future__ import annotations


def size(nbytes: int) -> str:
    """Write a number of bytes.

    Examples
    --------
    >>> size(512), size(2000), size(1_500_000), size(20_000_000_000)
    ('512 B', '2.0 kB', '1.5 MB', '20 GB')
    """
    value = float(nbytes)
    if value < 1000:
        return f"{nbytes} B"
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 1000 or unit == "GB":
            break
    return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
