"""Numba: three buffers that change places, rows in parallel."""

import numpy as np
from numba import njit, prange

from tests.benchmarks.programs.wave_2d.program import COURANT


@njit(parallel=True, cache=True)
def step(before, now, after):
    n, m = now.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            after[i, j] = (
                2 * now[i, j]
                - before[i, j]
                + COURANT
                * (now[i + 1, j] + now[i - 1, j] + now[i, j + 1] + now[i, j - 1] - 4 * now[i, j])
            )


@njit(cache=True)
def run(start, steps):
    before, now, after = start.copy(), start.copy(), np.zeros_like(start)
    for _ in range(steps):
        step(before, now, after)
        before, now, after = now, after, before
    return before, now
