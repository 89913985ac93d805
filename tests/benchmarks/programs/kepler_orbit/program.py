"""A planet on an ellipse, by the classical method of Runge and Kutta.

Two bodies in the plane, x'' = -x / r^3: a state of four numbers, four calls of
a small function a step.
"""

import numpy as np

CLASS = "tiny arrays"
SIZES = {"small": {"steps": 20}, "medium": {"steps": 1_000}, "large": {"steps": 6_000}}
RTOL, ATOL = 1e-6, 1e-8

DT = 0.01


def make(steps):
    return np.array([1.5, 0.0, 0.0, 0.7]), steps


def derivative(state):
    place = state[:2]
    pull = -place / np.sum(place**2) ** 1.5
    return np.concatenate([state[2:], pull])


def run(state, steps):
    for _ in range(steps):
        k1 = derivative(state)
        k2 = derivative(state + DT / 2 * k1)
        k3 = derivative(state + DT / 2 * k2)
        k4 = derivative(state + DT * k3)
        state = state + DT / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return state


def check(result, state, steps):
    """Energy and angular momentum stay."""
    for x, y, u, v in (result, state):
        assert np.isclose((u * u + v * v) / 2 - 1 / np.hypot(x, y), 0.245 - 1 / 1.5, atol=1e-5)
        assert np.isclose(x * v - y * u, 1.05, atol=1e-5)
