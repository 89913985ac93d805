"""How close a program comes to the memory bandwidth of the machine."""

from __future__ import annotations


def share(moved: int, seconds: float, bandwidth: float) -> float:
    """The share of the bound that is reached: 1 when nothing but memory limits the speed.

    Examples
    --------
    >>> share(moved=1_000_000, seconds=1e-3, bandwidth=2e9)
    0.5
    """
    return moved / bandwidth / seconds
