"""An 8-bit image whose grey values are spread evenly.

Histogram equalisation: every value becomes its rank among all pixels,
by a table of 256 values.
"""

import numpy as np

CLASS = "histograms"
SIZES = {"small": {"n": 100}, "medium": {"n": 800}, "large": {"n": 5_000}}
RTOL, ATOL = 0, 0


def make(n):
    rng = np.random.default_rng(102)
    return (np.clip(rng.normal(90, 20, (n, n)), 0, 255).astype(np.uint8),)


def run(image):
    counts = np.bincount(image.ravel(), minlength=256)
    ranks = np.cumsum(counts)
    lowest = ranks[np.nonzero(counts)[0][0]]
    spread = np.round((ranks - lowest) / (image.size - lowest) * 255)
    table = np.clip(spread, 0, 255).astype(np.uint8)
    return table[image]


def bytes_moved(n):
    return 2 * n * n


def check(equal, image):
    assert equal.min() == 0
    assert equal.max() == 255
    assert abs(equal.mean() - 127.5) < 5
