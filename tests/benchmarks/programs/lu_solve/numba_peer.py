"""Numba: loops; the rows of an update in parallel."""

import numpy as np
from numba import njit, prange


@njit(parallel=True, cache=True)
def update(a, k):
    n = len(a)
    for i in prange(k + 1, n):
        a[i, k] /= a[k, k]
        for j in range(k + 1, n):
            a[i, j] -= a[i, k] * a[k, j]


@njit(cache=True)
def run(matrix, right):
    a, x = matrix.copy(), right.copy()
    n = len(x)
    for k in range(n - 1):
        pivot = k + np.argmax(np.abs(a[k:, k]))
        if pivot != k:
            for j in range(n):
                a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
            x[k], x[pivot] = x[pivot], x[k]
        update(a, k)
    for i in range(1, n):
        for j in range(i):
            x[i] -= a[i, j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= a[i, j] * x[j]
        x[i] /= a[i, i]
    return x
