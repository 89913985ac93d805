"""Numba: one pass over the image; one thread, since pixels share bins."""

import numpy as np
from numba import njit


@njit(cache=True)
def run(image, y0, x0):
    n, m = image.shape
    far = 0
    for y in (0, n - 1):
        for x in (0, m - 1):
            far = max(far, int(np.sqrt((y - y0) ** 2 + (x - x0) ** 2)))
    sums, squares = np.zeros(far + 1), np.zeros(far + 1)
    counts = np.zeros(far + 1, dtype=np.int64)
    for y in range(n):
        for x in range(m):
            k = int(np.sqrt((y - y0) ** 2 + (x - x0) ** 2))
            sums[k] += image[y, x]
            squares[k] += image[y, x] ** 2
            counts[k] += 1
    counts = np.maximum(counts, 1)
    mean = sums / counts
    return mean, np.sqrt(np.maximum(squares / counts - mean**2, 0)), counts
