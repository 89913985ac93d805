"""Numba: NumPy's generator is handed in; spins of a colour do not meet each other."""

import numpy as np
from numba import njit

from tests.benchmarks.programs.ising_checkerboard.program import BETA


@njit(cache=True)
def simulate(rng, n, sweeps):
    spins = np.ones((n, n), dtype=np.int64)
    magnetisation = np.empty(sweeps)
    for k in range(sweeps):
        for colour in range(2):
            for i in range(n):
                for j in range(n):
                    chance = rng.random()
                    if (i + j) % 2 == colour:
                        below, right = (i + 1) % n, (j + 1) % n
                        neighbours = (
                            spins[i - 1, j] + spins[below, j] + spins[i, j - 1] + spins[i, right]
                        )
                        if chance < np.exp(-2 * BETA * spins[i, j] * neighbours):
                            spins[i, j] *= -1
        magnetisation[k] = spins.mean()
    return magnetisation, spins


def run(seed, n, sweeps):
    return simulate(np.random.default_rng(seed), n, sweeps)
