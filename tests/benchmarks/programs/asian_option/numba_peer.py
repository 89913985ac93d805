"""Numba: NumPy's generator is handed in, and gives the same numbers."""

import numpy as np
from numba import njit

from tests.benchmarks.programs.asian_option.program import RATE, STRIKE, VOLATILITY, YEARS


@njit(cache=True)
def price(rng, paths, steps):
    dt = YEARS / steps
    payoffs = np.empty(paths)
    for i in range(paths):
        logarithm = total = 0.0
        for _ in range(steps):
            shock = rng.standard_normal()
            logarithm += (RATE - 0.5 * VOLATILITY**2) * dt + VOLATILITY * np.sqrt(dt) * shock
            total += 100.0 * np.exp(logarithm)
        payoffs[i] = np.exp(-RATE * YEARS) * max(total / steps - STRIKE, 0.0)
    return payoffs.mean(), payoffs.std() / np.sqrt(paths)


def run(seed, paths, steps):
    return price(np.random.default_rng(seed), paths, steps)
