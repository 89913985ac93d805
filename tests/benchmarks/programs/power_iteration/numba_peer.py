"""Numba: the same lines; BLAS does the work."""

import numpy as np
from numba import njit

from tests.benchmarks.programs.power_iteration.program import TOLERANCE


@njit(cache=True)
def run(matrix):
    vector = np.ones(len(matrix)) / np.sqrt(len(matrix))
    value, change = 0.0, 1.0
    while change > TOLERANCE:
        image = matrix @ vector
        new = vector @ image
        vector = image / np.linalg.norm(image)
        change = abs(new - value) / abs(new)
        value = new
    return value, np.abs(vector)
