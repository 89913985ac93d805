"""The memory bandwidth of this machine, and how close a program comes to it."""

from __future__ import annotations

from time import perf_counter

import numpy as np

COPIED = 1 << 26
"""Bytes of the array that is copied: more than caches hold."""


def copy_bandwidth(repetitions: int = 5) -> float:
    """Bytes per second that a copy moves at best, reads and writes counted once each."""
    source = np.ones(COPIED // 8)
    target = np.empty_like(source)
    np.copyto(target, source)
    best = float("inf")
    for _ in range(repetitions):
        began = perf_counter()
        np.copyto(target, source)
        best = min(best, perf_counter() - began)
    return 2 * source.nbytes / best


def share(moved: int, seconds: float, bandwidth: float) -> float:
    """The share of the bound that is reached: 1 when nothing but memory limits the speed.

    Examples
    --------
    >>> share(moved=1_000_000, seconds=1e-3, bandwidth=2e9)
    0.5
    """
    return moved / bandwidth / seconds
