"""Edges of a colour image: how strong, and in which direction.

Luminance by the weights of ITU-R BT.601, Sobel's differences, magnitude and angle.
"""

import numpy as np

CLASS = "image filters"
SIZES = {"small": {"n": 60}, "medium": {"n": 400}, "large": {"n": 2_500}}
RTOL, ATOL = 1e-5, 1e-5


def make(n):
    """A colour image in single precision, as images are."""
    rng = np.random.default_rng(131)
    y, x = np.indices((n, n)) / n
    smooth = np.stack([np.sin(7 * x) + y, np.cos(5 * y + x), x * y], axis=2)
    return ((smooth + 0.1 * rng.normal(size=(n, n, 3))).astype(np.float32),)


def run(image):
    grey = 0.299 * image[:, :, 0] + 0.587 * image[:, :, 1] + 0.114 * image[:, :, 2]
    across = (grey[:-2, 2:] + 2 * grey[1:-1, 2:] + grey[2:, 2:]) - (
        grey[:-2, :-2] + 2 * grey[1:-1, :-2] + grey[2:, :-2]
    )
    down = (grey[2:, :-2] + 2 * grey[2:, 1:-1] + grey[2:, 2:]) - (
        grey[:-2, :-2] + 2 * grey[:-2, 1:-1] + grey[:-2, 2:]
    )
    strength = np.hypot(across, down)
    return strength / strength.max(), across, down


def bytes_moved(n):
    return 4 * 6 * n * n


def check(result, image):
    strength = result[0]
    assert strength.dtype == np.float32
    assert strength.max() == 1
