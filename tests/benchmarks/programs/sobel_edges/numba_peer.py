"""Numba: rows in parallel, the grey image first."""

import numpy as np
from numba import njit, prange


@njit(parallel=True, cache=True)
def run(image):
    n, m, _ = image.shape
    grey = np.empty((n, m), dtype=np.float32)
    red, green, blue = np.float32(0.299), np.float32(0.587), np.float32(0.114)
    for y in prange(n):
        for x in range(m):
            grey[y, x] = red * image[y, x, 0] + green * image[y, x, 1] + blue * image[y, x, 2]
    across = np.empty((n - 2, m - 2), dtype=np.float32)
    down = np.empty((n - 2, m - 2), dtype=np.float32)
    strength = np.empty((n - 2, m - 2), dtype=np.float32)
    two = np.float32(2)
    largest = np.float32(0)
    for y in prange(n - 2):
        for x in range(m - 2):
            across[y, x] = (grey[y, x + 2] + two * grey[y + 1, x + 2] + grey[y + 2, x + 2]) - (
                grey[y, x] + two * grey[y + 1, x] + grey[y + 2, x]
            )
            down[y, x] = (grey[y + 2, x] + two * grey[y + 2, x + 1] + grey[y + 2, x + 2]) - (
                grey[y, x] + two * grey[y, x + 1] + grey[y, x + 2]
            )
            strength[y, x] = np.hypot(across[y, x], down[y, x])
            largest = max(largest, strength[y, x])
    for y in prange(n - 2):
        for x in range(m - 2):
            strength[y, x] /= largest
    return strength, across, down
