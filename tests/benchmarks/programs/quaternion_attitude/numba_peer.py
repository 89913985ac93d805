"""Numba: numbers instead of arrays of four."""

import numpy as np
from numba import njit

from tests.benchmarks.programs.quaternion_attitude.program import DT


@njit(cache=True)
def run(rates):
    w, x, y, z = 1.0, 0.0, 0.0, 0.0
    for i in range(len(rates)):
        a, b, c = rates[i]
        speed = np.sqrt(a * a + b * b + c * c)
        half = 0.5 * DT * speed
        turn, part = np.cos(half), np.sin(half) / speed
        a, b, c = part * a, part * b, part * c
        w, x, y, z = (
            w * turn - x * a - y * b - z * c,
            w * a + turn * x + y * c - z * b,
            w * b + turn * y + z * a - x * c,
            w * c + turn * z + x * b - y * a,
        )
        length = np.sqrt(w * w + x * x + y * y + z * z)
        w, x, y, z = w / length, x / length, y / length, z / length
    return np.array([w, x, y, z])
