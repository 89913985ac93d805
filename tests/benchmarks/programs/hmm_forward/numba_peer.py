"""Numba: the same lines; emissions by row, so that BLAS and loops read in order."""

import numpy as np
from numba import njit


@njit(cache=True)
def run(start, moves, emissions, observed):
    by_symbol = np.ascontiguousarray(emissions.T)
    alpha = start * by_symbol[observed[0]]
    scale = alpha.sum()
    alpha = alpha / scale
    likelihood = np.log(scale)
    for t in range(1, observed.size):
        alpha = (alpha @ moves) * by_symbol[observed[t]]
        scale = alpha.sum()
        alpha = alpha / scale
        likelihood += np.log(scale)
    return likelihood, alpha
