"""Numba: one parallel loop over the points."""

import numpy as np
from numba import njit, prange

from tests.benchmarks.programs.gaussian_mixture.program import COMPONENTS


@njit(parallel=True, cache=True)
def run(x):
    density = np.empty_like(x)
    for i in prange(x.size):
        total = 0.0
        for weight, mean, width in COMPONENTS:
            scaled = (x[i] - mean) / width
            total += weight * np.exp(-0.5 * scaled**2) / (width * np.sqrt(2 * np.pi))
        density[i] = total
    return density
