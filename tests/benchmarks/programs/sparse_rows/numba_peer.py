"""Numba: rows in parallel."""

import numpy as np
from numba import njit, prange


@njit(parallel=True, cache=True)
def product(entries, columns, starts, x):
    image = np.empty_like(x)
    for i in prange(x.size):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += entries[k] * x[columns[k]]
        image[i] = total
    return image


@njit(cache=True)
def run(entries, columns, starts, vector, times):
    x = vector.copy()
    for _ in range(times):
        image = product(entries, columns, starts, x)
        x = image / np.max(np.abs(image))
    return x
