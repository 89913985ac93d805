"""Numba: planes in parallel, the 27 neighbours in the innermost loops."""

import numpy as np
from numba import njit, prange

from tests.benchmarks.programs.laplacian_3d.program import WEIGHTS


@njit(parallel=True, cache=True)
def run(f):
    n = f.shape[0] - 2
    total = np.empty((n, n, n))
    for x in prange(n):
        for y in range(n):
            for z in range(n):
                value = 0.0
                for i in range(3):
                    for j in range(3):
                        for k in range(3):
                            weight = WEIGHTS[abs(i - 1) + abs(j - 1) + abs(k - 1)]
                            value += weight * f[x + i, y + j, z + k]
                total[x, y, z] = value
    return total
