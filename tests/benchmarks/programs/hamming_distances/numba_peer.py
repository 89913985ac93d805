"""Numba: rows in parallel."""

import numpy as np
from numba import njit, prange

from tests.benchmarks.programs.hamming_distances.program import BYTES, FOURS, ONES, TWOS


@njit(parallel=True, cache=True)
def run(codes):
    n = codes.size
    distances = np.empty((n, n), dtype=np.uint64)
    for i in prange(n):
        for j in range(n):
            bits = codes[i] ^ codes[j]
            bits = bits - ((bits >> np.uint64(1)) & ONES)
            bits = (bits & TWOS) + ((bits >> np.uint64(2)) & TWOS)
            bits = (bits + (bits >> np.uint64(4))) & FOURS
            distances[i, j] = (bits * BYTES) >> np.uint64(56)
    return distances
