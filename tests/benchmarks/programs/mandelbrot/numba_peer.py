"""Numba: one point after the other, points in parallel."""

import numpy as np
from numba import njit, prange


@njit(parallel=True, cache=True)
def run(c, limit):
    times = np.full(c.size, limit)
    for i in prange(c.size):
        z = 0j
        for k in range(limit):
            z = z * z + c[i]
            if z.real**2 + z.imag**2 > 4.0:
                times[i] = k
                break
    return times
