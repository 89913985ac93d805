"""A convolution written as loops over the pixels, from the definition.

out(y, x) = sum_{i,j} kernel(i, j) image(y + i, x + j), with a Gaussian kernel.
"""

import numpy as np

CLASS = "convolution and pooling"
SIZES = {"small": {"n": 18}, "medium": {"n": 70}, "large": {"n": 170}}
RTOL, ATOL = 1e-10, 1e-13

WIDTH = 7


def make(n):
    place = np.arange(WIDTH) - WIDTH // 2
    kernel = np.exp(-(place[:, None] ** 2 + place**2) / 4.0)
    return np.random.default_rng(71).uniform(size=(n, n)), kernel / kernel.sum()


def run(image, kernel):
    rows, columns = kernel.shape
    height, width = image.shape[0] - rows + 1, image.shape[1] - columns + 1
    out = np.empty((height, width))
    for y in range(height):
        for x in range(width):
            out[y, x] = np.sum(image[y : y + rows, x : x + columns] * kernel)
    return out


def bytes_moved(n):
    return 2 * 8 * n * n


def check(out, image, kernel):
    assert image.min() <= out.min() <= out.max() <= image.max()
