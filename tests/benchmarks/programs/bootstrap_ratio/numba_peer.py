"""Numba: NumPy draws all at once, the samples are summed in parallel."""

import numpy as np
from numba import njit, prange


@njit(parallel=True, cache=True)
def resampled(x, y, chosen):
    samples, n = chosen.shape
    ratios = np.empty(samples)
    for i in prange(samples):
        above = below = 0.0
        for j in range(n):
            above += y[chosen[i, j]]
            below += x[chosen[i, j]]
        ratios[i] = above / below
    return ratios


def run(x, y, seed, samples):
    chosen = np.random.default_rng(seed).integers(0, len(x), size=(samples, len(x)))
    ratios = resampled(x, y, chosen)
    return ratios.std(ddof=1), np.quantile(ratios, [0.025, 0.975])
