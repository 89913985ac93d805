"""The mean brightness of an image at each distance from a point.

Pixels are binned by their whole distance; sums and counts by weighted binning.
"""

import numpy as np

CLASS = "histograms"
SIZES = {"small": {"n": 64}, "medium": {"n": 500}, "large": {"n": 3_000}}
RTOL, ATOL = 1e-9, 1e-12


def make(n):
    """A disc of brightness and noise; the point lies between the pixels."""
    rng = np.random.default_rng(100)
    y, x = np.indices((n, n))
    disc = np.hypot(y - n / 3, x - n / 2.5) < n / 8
    return disc + 0.1 * rng.normal(size=(n, n)), n / 3, n / 2.5


def run(image, y0, x0):
    y, x = np.indices(image.shape)
    bins = np.sqrt((y - y0) ** 2 + (x - x0) ** 2).astype(np.int64)
    sums = np.bincount(bins.ravel(), weights=image.ravel())
    squares = np.bincount(bins.ravel(), weights=(image**2).ravel())
    counts = np.maximum(np.bincount(bins.ravel()), 1)
    mean = sums / counts
    return mean, np.sqrt(np.maximum(squares / counts - mean**2, 0)), counts


def bytes_moved(n):
    return 8 * n * n


def check(result, image, y0, x0):
    mean, _, counts = result
    assert abs(mean[1] - 1) < 0.3
    assert counts.sum() >= image.size
