"""Tridiagonal systems, many right-hand sides at once.

Thomas' algorithm: elimination downwards, substitution upwards, one row of all
systems at a time, as in an implicit step of diffusion along an axis.
"""

import numpy as np

CLASS = "recurrences along an axis"
SIZES = {
    "small": {"n": 30, "systems": 50},
    "medium": {"n": 400, "systems": 1_000},
    "large": {"n": 2_000, "systems": 10_000},
}
RTOL, ATOL = 1e-10, 1e-13


def make(n, systems):
    rng = np.random.default_rng(20)
    lower, upper = rng.uniform(-1, 0, n), rng.uniform(-1, 0, n)
    return lower, 2.5 + rng.uniform(0, 1, n), upper, rng.normal(size=(n, systems))


def run(lower, diagonal, upper, right):
    n = len(diagonal)
    diagonal, x = diagonal.copy(), right.copy()
    for i in range(1, n):
        factor = lower[i] / diagonal[i - 1]
        diagonal[i] -= factor * upper[i - 1]
        x[i] -= factor * x[i - 1]
    x[-1] /= diagonal[-1]
    for i in range(n - 2, -1, -1):
        x[i] = (x[i] - upper[i] * x[i + 1]) / diagonal[i]
    return x


def bytes_moved(n, systems):
    return 2 * 2 * 8 * n * systems


def check(x, lower, diagonal, upper, right):
    image = diagonal[:, None] * x
    image[1:] += lower[1:, None] * x[:-1]
    image[:-1] += upper[:-1, None] * x[1:]
    assert np.allclose(image, right)
