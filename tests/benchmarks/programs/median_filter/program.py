"""A filter that removes speckles from an image.

The median of each pixel and its eight neighbours; the frame stays as it is.
"""

import numpy as np

CLASS = "image filters"
SIZES = {"small": {"n": 40}, "medium": {"n": 400}, "large": {"n": 1_200}}
RTOL, ATOL = 0, 0


def make(n):
    """A slope with one speckle among twenty pixels."""
    rng = np.random.default_rng(132)
    slope = np.linspace(0, 1, n)[:, None] + np.linspace(0, 1, n)
    return (np.where(rng.random((n, n)) < 0.05, 5.0, slope),)


def run(image):
    n, m = image.shape
    shifted = [image[i : i + n - 2, j : j + m - 2] for i in range(3) for j in range(3)]
    clean = image.copy()
    clean[1:-1, 1:-1] = np.median(np.stack(shifted), axis=0)
    return clean


def bytes_moved(n):
    return 2 * 8 * n * n


def check(clean, image):
    assert np.mean(clean[1:-1, 1:-1] > 2) < 0.002
