"""Numba: the same lines."""

import numpy as np
from numba import njit

from tests.benchmarks.programs.kalman_filter.program import DT, NOISE, PUSH


@njit(cache=True)
def run(measurements):
    eye = np.eye(2)
    transition, gains, observe = np.eye(4), np.empty((4, 2)), np.zeros((2, 4))
    transition[:2, 2:] = DT * eye
    gains[:2], gains[2:] = 0.5 * DT**2 * eye, DT * eye
    observe[:, :2] = eye
    push = PUSH**2 / DT * gains @ gains.T
    noise = NOISE**2 * eye
    state, covariance = np.zeros(4), np.eye(4)
    path = np.empty((len(measurements), 4))
    for t in range(len(measurements)):
        state = transition @ state
        covariance = transition @ covariance @ transition.T + push
        surprise = measurements[t] - observe @ state
        spread = observe @ covariance @ observe.T + noise
        gain = covariance @ observe.T @ np.linalg.inv(spread)
        state = state + gain @ surprise
        covariance = (np.eye(4) - gain @ observe) @ covariance
        path[t] = state
    return path, covariance
