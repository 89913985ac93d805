"""Numba: the same lines; BLAS does the work."""

import numpy as np
from numba import njit

from tests.benchmarks.programs.matrix_exponential.program import TERMS


@njit(cache=True)
def run(a):
    norm = np.abs(a).sum(axis=0).max()
    squarings = max(0, int(np.ceil(np.log2(norm))) + 1)
    scaled = a / 2.0**squarings
    term = np.eye(len(a))
    total = np.eye(len(a))
    for k in range(1, TERMS + 1):
        term = term @ scaled / k
        total += term
    for _ in range(squarings):
        total = total @ total
    return total
