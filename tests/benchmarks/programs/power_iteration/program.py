"""The largest eigenvalue of a symmetric matrix and its vector.

Power iteration until the value settles.
"""

import numpy as np

CLASS = "data-dependent while"
SIZES = {"small": {"n": 30}, "medium": {"n": 1_000}, "large": {"n": 4_000}}
RTOL, ATOL = 1e-6, 1e-6

TOLERANCE = 1e-14


def make(n):
    """A random matrix, eigenvalues up to about 2, and one of about 4.25."""
    rng = np.random.default_rng(10)
    noise = rng.normal(size=(n, n))
    direction = np.sin(np.arange(1, n + 1))
    direction /= np.linalg.norm(direction)
    return ((noise + noise.T) / np.sqrt(2 * n) + 4 * np.outer(direction, direction),)


def run(matrix):
    vector = np.ones(len(matrix)) / np.sqrt(len(matrix))
    value, change = 0.0, 1.0
    while change > TOLERANCE:
        image = matrix @ vector
        new = vector @ image
        vector = image / np.linalg.norm(image)
        change = abs(new - value) / abs(new)
        value = new
    return value, np.abs(vector)


def check(result, matrix):
    value, vector = result
    assert np.isclose(np.sum(vector**2), 1)
    assert np.isclose(np.linalg.norm(matrix, 2) if len(matrix) < 100 else value, value)
