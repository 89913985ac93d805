"""Numba: the same, stores written as loops."""

import numpy as np
from numba import njit


@njit(cache=True)
def run(n):
    prime = np.ones(n + 1, dtype=np.bool_)
    prime[:2] = False
    for p in range(2, int(np.sqrt(n)) + 1):
        if prime[p]:
            for q in range(p * p, n + 1, p):
                prime[q] = False
    return np.flatnonzero(prime)
