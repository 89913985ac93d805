"""Pooling of the feature maps of a network: maxima and means.

Maxima of windows of three by three, every second place, by strided slices;
means of blocks of two by two by reshaping.
"""

import numpy as np

CLASS = "convolution and pooling"
SIZES = {
    "small": {"maps": 4, "n": 33},
    "medium": {"maps": 32, "n": 129},
    "large": {"maps": 256, "n": 257},
}
RTOL, ATOL = 1e-12, 1e-14


def make(maps, n):
    return (np.random.default_rng(72).normal(size=(maps, n, n)),)


def run(x):
    maps, n, _ = x.shape
    half = (n - 1) // 2
    largest = np.full((maps, half, half), -np.inf)
    for i in range(3):
        for j in range(3):
            np.maximum(largest, x[:, i : i + n - 2 : 2, j : j + n - 2 : 2], out=largest)
    blocks = x[:, : 2 * half, : 2 * half].reshape(maps, half, 2, half, 2)
    return largest, blocks.mean(axis=(2, 4))


def bytes_moved(maps, n):
    return 8 * maps * (n * n + 2 * (n // 2) ** 2)


def check(result, x):
    largest, means = result
    assert largest[1, 2, 3] == x[1, 4:7, 6:9].max()
    assert np.isclose(means[1, 2, 3], x[1, 4:6, 6:8].mean())
