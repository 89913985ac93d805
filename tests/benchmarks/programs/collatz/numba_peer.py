"""Numba: one number after the other, numbers in parallel."""

import numpy as np
from numba import njit, prange


@njit(parallel=True, cache=True)
def run(n):
    steps = np.zeros(n + 1, dtype=np.int64)
    for i in prange(2, n + 1):
        value = i
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            steps[i] += 1
    return steps
