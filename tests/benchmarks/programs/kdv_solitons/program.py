"""Solitons of the Korteweg-de Vries equation in one dimension.

u_t + u u_x + d^2 u_xxx = 0, periodic, from a cosine: the leapfrog scheme of
Zabusky and Kruskal, Physical Review Letters 15 (1965), which keeps the mean.
"""

import numpy as np

CLASS = "stencil time loops"
SIZES = {
    "small": {"n": 128, "steps": 10},
    "medium": {"n": 512, "steps": 400},
    "large": {"n": 4096, "steps": 3_000},
}
RTOL, ATOL = 1e-8, 1e-10

DISPERSION = 0.022


def make(n, steps):
    dx = 2.0 / n
    return np.cos(np.pi * dx * np.arange(n)), dx, 0.2 * dx**3 / DISPERSION**2, steps


def run(start, dx, dt, steps):
    before = start
    now = start.copy()
    for _ in range(steps):
        right, left = np.roll(now, -1), np.roll(now, 1)
        steepening = (right + now + left) * (right - left) / (3 * dx)
        spreading = np.roll(now, -2) - 2 * right + 2 * left - np.roll(now, 2)
        before, now = now, before - dt * (steepening + DISPERSION**2 * spreading / dx**3)
    return now


def bytes_moved(n, steps):
    return 3 * 8 * n * steps


def check(u, start, dx, dt, steps):
    assert abs(u.mean() - start.mean()) < 1e-10
    assert np.abs(u).max() < 4
