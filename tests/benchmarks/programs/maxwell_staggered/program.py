"""Electromagnetic waves on Yee's staggered grid in two dimensions.

Maxwell's equations in vacuum, transverse magnetic, K. Yee (1966): E_z on the
nodes, H_x and H_y on the edges, half a step apart; walls conduct perfectly,
a source oscillates in the middle.
"""

import numpy as np

CLASS = "stencil time loops"
SIZES = {
    "small": {"n": 30, "steps": 20},
    "medium": {"n": 150, "steps": 100},
    "large": {"n": 600, "steps": 100},
}
RTOL, ATOL = 1e-9, 1e-11

COURANT = 0.5


def make(n, steps):
    return n, steps


def run(n, steps):
    ez = np.zeros((n, n))
    hx = np.zeros((n, n - 1))
    hy = np.zeros((n - 1, n))
    for k in range(steps):
        hx -= COURANT * (ez[:, 1:] - ez[:, :-1])
        hy += COURANT * (ez[1:, :] - ez[:-1, :])
        ez[1:-1, 1:-1] += COURANT * (hy[1:, 1:-1] - hy[:-1, 1:-1] - hx[1:-1, 1:] + hx[1:-1, :-1])
        ez[n // 2, n // 2] += np.sin(0.3 * k)
    return ez, hx, hy


def bytes_moved(n, steps):
    return 2 * 3 * 8 * n * n * steps


def check(result, n, steps):
    """The magnetic field has no sources."""
    ez, hx, hy = result
    assert np.abs(ez).max() > 0.1
    assert np.allclose(np.diff(hx, axis=0) + np.diff(hy, axis=1), 0, atol=1e-12)
