"""Numba: two parallel loops a step, the magnetic and the electric field."""

import numpy as np
from numba import njit, prange

from tests.benchmarks.programs.maxwell_staggered.program import COURANT


@njit(parallel=True, cache=True)
def step(ez, hx, hy):
    n = ez.shape[0]
    for i in prange(n):
        for j in range(n - 1):
            hx[i, j] -= COURANT * (ez[i, j + 1] - ez[i, j])
        if i < n - 1:
            for j in range(n):
                hy[i, j] += COURANT * (ez[i + 1, j] - ez[i, j])
    for i in prange(1, n - 1):
        for j in range(1, n - 1):
            ez[i, j] += COURANT * (hy[i, j] - hy[i - 1, j] - hx[i, j] + hx[i, j - 1])


@njit(cache=True)
def run(n, steps):
    ez = np.zeros((n, n))
    hx = np.zeros((n, n - 1))
    hy = np.zeros((n - 1, n))
    for k in range(steps):
        step(ez, hx, hy)
        ez[n // 2, n // 2] += np.sin(0.3 * k)
    return ez, hx, hy
