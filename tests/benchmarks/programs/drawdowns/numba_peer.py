"""Numba: blocks of paths in parallel, one pass over time."""

import numpy as np
from numba import njit, prange

BLOCK = 256


@njit(parallel=True, cache=True)
def run(returns):
    steps, paths = returns.shape
    price, fall = np.empty(paths), np.full(paths, -1.0)
    when = np.zeros(paths, dtype=np.int64)
    for block in prange((paths + BLOCK - 1) // BLOCK):
        first, last = block * BLOCK, min((block + 1) * BLOCK, paths)
        total, peak = np.zeros(BLOCK), np.zeros(BLOCK)
        for t in range(steps):
            for i in range(first, last):
                total[i - first] += returns[t, i]
                price[i] = np.exp(total[i - first])
                if t == 0 or price[i] > peak[i - first]:
                    peak[i - first] = price[i]
                new = 1 - price[i] / peak[i - first]
                if new > fall[i]:
                    fall[i] = new
                    when[i] = t
    return price, fall, when
