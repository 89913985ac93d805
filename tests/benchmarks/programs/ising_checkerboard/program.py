"""Magnetisation of the Ising model in two dimensions.

Metropolis' rule on the two colours of a checkerboard in turn, periodic;
every sweep draws a number for each spin of each colour.
"""

import numpy as np

CLASS = "Monte Carlo"
SIZES = {
    "small": {"n": 20, "sweeps": 8},
    "medium": {"n": 100, "sweeps": 50},
    "large": {"n": 400, "sweeps": 60},
}
RTOL, ATOL = 1e-12, 1e-12

BETA = 0.5


def make(n, sweeps):
    return 111, n, sweeps


def run(seed, n, sweeps):
    rng = np.random.default_rng(seed)
    spins = np.ones((n, n), dtype=np.int64)
    row, column = np.indices((n, n))
    colours = (row + column) % 2
    magnetisation = np.empty(sweeps)
    for k in range(sweeps):
        for colour in range(2):
            neighbours = (
                np.roll(spins, 1, axis=0)
                + np.roll(spins, -1, axis=0)
                + np.roll(spins, 1, axis=1)
                + np.roll(spins, -1, axis=1)
            )
            likely = np.exp(-2 * BETA * spins * neighbours)
            flips = (rng.random((n, n)) < likely) & (colours == colour)
            spins[flips] *= -1
        magnetisation[k] = spins.mean()
    return magnetisation, spins


def check(result, seed, n, sweeps):
    """Below the critical temperature most spins stay up (0.911 in the limit)."""
    magnetisation, spins = result
    assert np.all(np.abs(spins) == 1)
    assert 0.8 < magnetisation[-1] < 0.98
