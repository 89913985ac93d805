"""Heat that spreads in a cube whose faces are kept at 0.

The heat equation, explicit Euler and the 7-point Laplacian; NUMBER is
diffusivity times dt over dx^2, at most 1/6 for a stable scheme.
"""

import numpy as np

CLASS = "stencil time loops"
SIZES = {
    "small": {"n": 12, "steps": 10},
    "medium": {"n": 50, "steps": 20},
    "large": {"n": 90, "steps": 25},
}
RTOL, ATOL = 1e-10, 1e-12

NUMBER = 0.15


def make(n, steps):
    u = np.zeros((n, n, n))
    u[n // 4 : n // 2, n // 3 : 2 * n // 3, n // 4 : 3 * n // 4] = 1.0
    return u, steps


def run(start, steps):
    u = start.copy()
    for _ in range(steps):
        u[1:-1, 1:-1, 1:-1] += NUMBER * (
            u[2:, 1:-1, 1:-1]
            + u[:-2, 1:-1, 1:-1]
            + u[1:-1, 2:, 1:-1]
            + u[1:-1, :-2, 1:-1]
            + u[1:-1, 1:-1, 2:]
            + u[1:-1, 1:-1, :-2]
            - 6 * u[1:-1, 1:-1, 1:-1]
        )
    return u


def bytes_moved(n, steps):
    return 2 * 8 * n**3 * steps


def check(u, start, steps):
    assert u.min() >= 0
    assert u.max() <= start.max()
    assert u.sum() <= start.sum() * (1 + 1e-12)
