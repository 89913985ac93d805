"""Numba: the sums in the same pass as the update; too small to share out."""

import numpy as np
from numba import njit

from tests.benchmarks.programs.pressure_jacobi.program import TOLERANCE


@njit(cache=True)
def run(source, spacing):
    n, m = source.shape
    p, old = np.zeros_like(source), np.zeros_like(source)
    change = 1.0
    iterations = 0
    while change > TOLERANCE:
        p, old = old, p
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                p[i, j] = 0.25 * (
                    old[i + 1, j]
                    + old[i - 1, j]
                    + old[i, j + 1]
                    + old[i, j - 1]
                    - spacing**2 * source[i, j]
                )
            p[i, m - 1] = p[i, m - 2]
        difference = total = 0.0
        for i in range(n):
            for j in range(m):
                difference += abs(p[i, j] - old[i, j])
                total += abs(p[i, j])
        change = difference / total
        iterations += 1
    return p, iterations
