"""Numba: rows in parallel."""

import numpy as np
from numba import njit, prange

from tests.benchmarks.programs.bilateral_filter.program import ALIKE, NEAR, RADIUS


@njit(parallel=True, cache=True)
def run(image):
    n, m = image.shape
    smooth = np.empty_like(image)
    for y in prange(n):
        for x in range(m):
            total = weights = 0.0
            for i in range(-RADIUS, RADIUS + 1):
                for j in range(-RADIUS, RADIUS + 1):
                    other = image[min(max(y + i, 0), n - 1), min(max(x + j, 0), m - 1)]
                    near = (i * i + j * j) / (2 * NEAR**2)
                    alike = (other - image[y, x]) ** 2 / (2 * ALIKE**2)
                    weight = np.exp(-near - alike)
                    total += weight * other
                    weights += weight
            smooth[y, x] = total / weights
    return smooth
