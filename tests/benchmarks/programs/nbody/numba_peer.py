"""Numba: stars in parallel, the sum over the others in a loop."""

import numpy as np
from numba import njit, prange

from tests.benchmarks.programs.nbody.program import DT, SOFTENING


@njit(parallel=True, cache=True)
def accelerations(position, mass):
    n = len(mass)
    acceleration = np.empty_like(position)
    for i in prange(n):
        ax = ay = az = 0.0
        for j in range(n):
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            dz = position[j, 2] - position[i, 2]
            square = dx * dx + dy * dy + dz * dz + SOFTENING**2
            factor = mass[j] / (square * np.sqrt(square))
            ax += factor * dx
            ay += factor * dy
            az += factor * dz
        acceleration[i, 0], acceleration[i, 1], acceleration[i, 2] = ax, ay, az
    return acceleration


@njit(cache=True)
def run(position, velocity, mass, steps):
    position, velocity = position.copy(), velocity.copy()
    acceleration = accelerations(position, mass)
    for _ in range(steps):
        velocity += 0.5 * DT * acceleration
        position += DT * velocity
        acceleration = accelerations(position, mass)
        velocity += 0.5 * DT * acceleration
    return position, velocity
