"""Numba: rows of the grid in parallel."""

import numpy as np
from numba import njit, prange


@njit(parallel=True, cache=True)
def run(f, spacing):
    n, m = f.shape
    curvature = np.empty((n - 2, m - 2))
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            fx = (f[i + 1, j] - f[i - 1, j]) / (2 * spacing)
            fy = (f[i, j + 1] - f[i, j - 1]) / (2 * spacing)
            fxx = (f[i + 1, j] - 2 * f[i, j] + f[i - 1, j]) / spacing**2
            fyy = (f[i, j + 1] - 2 * f[i, j] + f[i, j - 1]) / spacing**2
            fxy = (f[i + 1, j + 1] - f[i + 1, j - 1] - f[i - 1, j + 1] + f[i - 1, j - 1]) / (
                4 * spacing**2
            )
            curvature[i - 1, j - 1] = (fxx * fy**2 - 2 * fx * fy * fxy + fyy * fx**2) / (
                fx**2 + fy**2
            ) ** 1.5
    return curvature
