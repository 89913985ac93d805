"""A layer of a convolutional network: all channels, bias, and rectifier.

The definition, out_o(y, x) = max(0, b_o + sum_{c,i,j} k_ocij in_c(y + i, x + j)),
one small matrix product for each place of the kernel.
"""

import numpy as np

CLASS = "convolution and pooling"
SIZES = {
    "small": {"images": 1, "channels": 3, "n": 20},
    "medium": {"images": 2, "channels": 8, "n": 64},
    "large": {"images": 8, "channels": 16, "n": 128},
}
RTOL, ATOL = 1e-9, 1e-11

FEATURES, WIDTH = 16, 3


def make(images, channels, n):
    rng = np.random.default_rng(70)
    kernels = rng.normal(size=(FEATURES, channels, WIDTH, WIDTH)) / (WIDTH * np.sqrt(channels))
    return rng.normal(size=(images, channels, n, n)), kernels, rng.normal(size=FEATURES)


def run(images, kernels, bias):
    count, _, height, width = images.shape
    features, _, rows, columns = kernels.shape
    height, width = height - rows + 1, width - columns + 1
    out = np.zeros((count, features, height, width))
    for i in range(rows):
        for j in range(columns):
            patch = images[:, :, i : i + height, j : j + width]
            out += np.einsum("oc,bcyx->boyx", kernels[:, :, i, j], patch)
    return np.maximum(out + bias[:, None, None], 0.0)


def bytes_moved(images, channels, n):
    return 8 * images * (channels + FEATURES) * n * n


def check(out, images, kernels, bias):
    value = np.sum(kernels[2] * images[0, :, 4:7, 5:8]) + bias[2]
    assert np.isclose(out[0, 2, 4, 5], max(value, 0.0))
