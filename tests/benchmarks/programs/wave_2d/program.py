"""Waves on a square membrane with fixed edges.

The wave equation u_tt = c^2 (u_xx + u_yy), central differences in time and
space; COURANT is (c dt / dx)^2.
"""

import numpy as np

CLASS = "stencil time loops"
SIZES = {
    "small": {"n": 40, "steps": 20},
    "medium": {"n": 200, "steps": 100},
    "large": {"n": 800, "steps": 60},
}
RTOL, ATOL = 1e-9, 1e-11

COURANT = 0.3


def make(n, steps):
    x = np.linspace(0, 1, n)
    start = np.exp(-100 * ((x[:, None] - 0.4) ** 2 + (x - 0.6) ** 2))
    start[0] = start[-1] = 0
    start[:, 0] = start[:, -1] = 0
    return start, steps


def run(start, steps):
    before, now = start.copy(), start.copy()
    for _ in range(steps):
        after = np.zeros_like(now)
        after[1:-1, 1:-1] = (
            2 * now[1:-1, 1:-1]
            - before[1:-1, 1:-1]
            + COURANT
            * (
                now[2:, 1:-1]
                + now[:-2, 1:-1]
                + now[1:-1, 2:]
                + now[1:-1, :-2]
                - 4 * now[1:-1, 1:-1]
            )
        )
        before, now = now, after
    return before, now


def bytes_moved(n, steps):
    return 3 * 8 * n * n * steps


def energy(before, now):
    slopes = sum(np.sum(np.diff(before, axis=k) * np.diff(now, axis=k)) for k in (0, 1))
    return np.sum((now - before) ** 2) + COURANT * slopes


def check(result, start, steps):
    """The scheme keeps this energy."""
    assert np.isclose(energy(*result), energy(start, start), rtol=1e-9)
