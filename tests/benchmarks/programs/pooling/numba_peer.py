"""Numba: maps in parallel."""

import numpy as np
from numba import njit, prange


@njit(parallel=True, cache=True)
def run(x):
    maps, n, _ = x.shape
    half = (n - 1) // 2
    largest, means = np.empty((maps, half, half)), np.empty((maps, half, half))
    for m in prange(maps):
        for y in range(half):
            for z in range(half):
                best = -np.inf
                for i in range(3):
                    for j in range(3):
                        best = max(best, x[m, 2 * y + i, 2 * z + j])
                largest[m, y, z] = best
                upper = x[m, 2 * y, 2 * z] + x[m, 2 * y, 2 * z + 1]
                lower = x[m, 2 * y + 1, 2 * z] + x[m, 2 * y + 1, 2 * z + 1]
                means[m, y, z] = (upper + lower) / 4
    return largest, means
