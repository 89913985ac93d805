"""Numba: the same lines."""

import numpy as np
from numba import njit

from tests.benchmarks.programs.kepler_orbit.program import DT


@njit(cache=True)
def derivative(state):
    place = state[:2]
    pull = -place / np.sum(place**2) ** 1.5
    return np.concatenate((state[2:], pull))


@njit(cache=True)
def run(state, steps):
    for _ in range(steps):
        k1 = derivative(state)
        k2 = derivative(state + DT / 2 * k1)
        k3 = derivative(state + DT / 2 * k2)
        k4 = derivative(state + DT * k3)
        state = state + DT / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return state
