"""The memory bandwidth of this machine: what limits everything that is done to large arrays.

It imports nothing else of the package, so that the benchmarks of other tools can use it.
"""

from __future__ import annotations

from functools import cache
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


@cache
def bandwidth() -> float:
    """The same, measured once in a process: it takes a tenth of a second."""
    return copy_bandwidth()
