"""A filter that smooths an image and keeps its edges.

The bilateral filter of Tomasi and Manduchi (1998): means over neighbours,
weighted by closeness in the image and in brightness.
"""

import numpy as np

CLASS = "image filters"
SIZES = {"small": {"n": 30}, "medium": {"n": 300}, "large": {"n": 800}}
RTOL, ATOL = 1e-10, 1e-12

RADIUS, NEAR, ALIKE = 3, 2.0, 0.2


def make(n):
    noise = np.random.default_rng(130).normal(0, 0.05, (n, n))
    return ((np.arange(n) > n / 2) + noise,)


def run(image):
    n, m = image.shape
    padded = np.pad(image, RADIUS, mode="edge")
    sums, weights = np.zeros_like(image), np.zeros_like(image)
    for i in range(2 * RADIUS + 1):
        for j in range(2 * RADIUS + 1):
            shifted = padded[i : i + n, j : j + m]
            square = (i - RADIUS) ** 2 + (j - RADIUS) ** 2
            weight = np.exp(-square / (2 * NEAR**2) - (shifted - image) ** 2 / (2 * ALIKE**2))
            sums += weight * shifted
            weights += weight
    return sums / weights


def bytes_moved(n):
    return 2 * 8 * n * n


def check(smooth, image):
    left = np.s_[:, : image.shape[1] // 3]
    assert smooth[left].std() < 0.5 * image[left].std()
    assert smooth[:, -1].mean() - smooth[:, 0].mean() > 0.9
