"""Numba: the same lines."""

import numpy as np
from numba import njit


@njit(cache=True)
def run(first, second):
    n, m = len(first), len(second)
    table = np.zeros((n + 1, m + 1), dtype=np.int64)
    table[:, 0] = np.arange(n + 1)
    table[0, :] = np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            replace = table[i - 1, j - 1] + (first[i - 1] != second[j - 1])
            table[i, j] = min(replace, table[i - 1, j] + 1, table[i, j - 1] + 1)
    return table[n, m]
