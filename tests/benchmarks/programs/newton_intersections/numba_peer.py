"""Numba: pairs in parallel, Cramer's rule for two by two."""

import numpy as np
from numba import njit, prange

from tests.benchmarks.programs.newton_intersections.program import TOLERANCE


@njit(parallel=True, cache=True)
def run(radii, long, short):
    points = np.empty((len(radii), 2))
    for i in prange(len(radii)):
        x = y = radii[i]
        dx = dy = 1.0
        while max(abs(dx), abs(dy)) > TOLERANCE:
            circle = x * x + y * y - radii[i] ** 2
            ellipse = (x / long[i]) ** 2 + (y / short[i]) ** 2 - 1
            a, b = 2 * x, 2 * y
            c, d = 2 * x / long[i] ** 2, 2 * y / short[i] ** 2
            determinant = a * d - b * c
            dx = (circle * d - b * ellipse) / determinant
            dy = (a * ellipse - c * circle) / determinant
            x -= dx
            y -= dy
        points[i, 0], points[i, 1] = x, y
    return points
