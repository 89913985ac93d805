"""Numba: blocks of series in parallel, so that rows are read in order."""

import numpy as np
from numba import njit, prange

from tests.benchmarks.programs.holt_smoothing.program import ALPHA, BETA

BLOCK = 256


@njit(parallel=True, cache=True)
def run(values):
    steps, series = values.shape
    level = values[0].copy()
    trend = values[1] - values[0]
    squares = np.zeros(series)
    for block in prange((series + BLOCK - 1) // BLOCK):
        first, last = block * BLOCK, min((block + 1) * BLOCK, series)
        for t in range(1, steps):
            for i in range(first, last):
                forecast = level[i] + trend[i]
                squares[i] += (values[t, i] - forecast) ** 2
                new = ALPHA * values[t, i] + (1 - ALPHA) * forecast
                trend[i] = BETA * (new - level[i]) + (1 - BETA) * trend[i]
                level[i] = new
    return level + trend, squares / (steps - 1)
