"""Numba: factors first, then blocks of systems in parallel."""

import numpy as np
from numba import njit, prange

BLOCK = 64


@njit(parallel=True, cache=True)
def run(lower, diagonal, upper, right):
    n, systems = right.shape
    diagonal, x = diagonal.copy(), np.empty_like(right)
    factors = np.zeros(n)
    for i in range(1, n):
        factors[i] = lower[i] / diagonal[i - 1]
        diagonal[i] -= factors[i] * upper[i - 1]
    for block in prange((systems + BLOCK - 1) // BLOCK):
        first, last = block * BLOCK, min((block + 1) * BLOCK, systems)
        for j in range(first, last):
            x[0, j] = right[0, j]
        for i in range(1, n):
            for j in range(first, last):
                x[i, j] = right[i, j] - factors[i] * x[i - 1, j]
        for j in range(first, last):
            x[n - 1, j] /= diagonal[n - 1]
        for i in range(n - 2, -1, -1):
            for j in range(first, last):
                x[i, j] = (x[i, j] - upper[i] * x[i + 1, j]) / diagonal[i]
    return x
