"""Numba: the sums written as loops."""

import numpy as np
from numba import njit


@njit(cache=True)
def run(a):
    n = len(a)
    factor = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            factor[i, j] = total / factor[j, j] if j < i else np.sqrt(total)
    return factor
