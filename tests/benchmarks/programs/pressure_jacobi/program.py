"""Pressure from Poisson's equation, by Jacobi's iteration until it settles.

The 5-point Laplacian on the unit square; zero on three sides, no gradient at
the fourth, as in a channel.
"""

import numpy as np

CLASS = "data-dependent while"
SIZES = {"small": {"n": 8}, "medium": {"n": 25}, "large": {"n": 80}}
RTOL, ATOL = 1e-8, 1e-10

TOLERANCE = 1e-5


def make(n):
    source = np.zeros((n, n))
    source[n // 4, n // 4] = 100.0
    source[3 * n // 4, 3 * n // 4] = -100.0
    return source, 1.0 / (n - 1)


def run(source, spacing):
    p = np.zeros_like(source)
    change = 1.0
    iterations = 0
    while change > TOLERANCE:
        old = p.copy()
        p[1:-1, 1:-1] = 0.25 * (
            old[2:, 1:-1]
            + old[:-2, 1:-1]
            + old[1:-1, 2:]
            + old[1:-1, :-2]
            - spacing**2 * source[1:-1, 1:-1]
        )
        p[:, -1] = p[:, -2]
        change = np.sum(np.abs(p - old)) / np.sum(np.abs(p))
        iterations += 1
    return p, iterations


def check(result, source, spacing):
    p, iterations = result
    assert iterations > 10
    assert p[len(p) // 4, len(p) // 4] < 0 < p[3 * len(p) // 4, 3 * len(p) // 4]
