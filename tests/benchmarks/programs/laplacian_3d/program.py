"""The 27-point Laplacian on a three-dimensional grid.

Second-order and isotropic to fourth order; weights 14, 3 and 1 over 30 for
faces, edges and corners, 128 for the centre.
"""

import numpy as np

CLASS = "one-shot stencils"
SIZES = {"small": {"n": 16}, "medium": {"n": 64}, "large": {"n": 150}}
RTOL, ATOL = 1e-10, 1e-11

WEIGHTS = (-128 / 30, 14 / 30, 3 / 30, 1 / 30)


def make(n):
    return (np.random.default_rng(6).normal(size=(n, n, n)),)


def run(f):
    n = f.shape[0] - 2
    total = np.zeros((n, n, n))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                weight = WEIGHTS[abs(i - 1) + abs(j - 1) + abs(k - 1)]
                total += weight * f[i : i + n, j : j + n, k : k + n]
    return total


def bytes_moved(n):
    return 2 * 8 * n**3


def check(laplacian, f):
    assert abs(WEIGHTS[0] + 6 * WEIGHTS[1] + 12 * WEIGHTS[2] + 8 * WEIGHTS[3]) < 1e-14
    assert np.abs(laplacian).max() <= 256 / 30 * np.abs(f).max()
