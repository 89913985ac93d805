"""Numba: two parallel loops, fluxes and then cells."""

import numpy as np
from numba import njit, prange

from tests.benchmarks.programs.limited_advection.program import COURANT


@njit(parallel=True, cache=True)
def run(u):
    n = u.size
    flux = np.empty_like(u)
    for i in prange(n):
        left = u[i] - u[i - 1]
        right = u[i + 1 if i + 1 < n else 0] - u[i]
        slope = 0.0
        if left * right > 0:
            slope = np.sign(left) * min(abs(left), abs(right))
        flux[i] = u[i] + 0.5 * (1 - COURANT) * slope
    new = np.empty_like(u)
    for i in prange(n):
        new[i] = u[i] - COURANT * (flux[i] - flux[i - 1])
    return new
