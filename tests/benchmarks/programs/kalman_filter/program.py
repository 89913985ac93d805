"""The path of a moving object from noisy measurements of its place.

Kalman's filter (1960): state and covariance are predicted and corrected, one
measurement after the other; four numbers of state, two of measurement.
"""

import numpy as np

CLASS = "learning and inference"
SIZES = {"small": {"steps": 30}, "medium": {"steps": 800}, "large": {"steps": 7_500}}
RTOL, ATOL = 1e-8, 1e-9

DT, PUSH, NOISE = 0.1, 0.5, 1.0


def make(steps):
    rng = np.random.default_rng(122)
    velocity = np.cumsum(PUSH * np.sqrt(DT) * rng.normal(size=(steps, 2)), axis=0)
    return (np.cumsum(DT * velocity, axis=0) + NOISE * rng.normal(size=(steps, 2)),)


def run(measurements):
    eye = np.eye(2)
    transition = np.block([[eye, DT * eye], [np.zeros((2, 2)), eye]])
    gains = np.vstack([0.5 * DT**2 * eye, DT * eye])
    push = PUSH**2 / DT * gains @ gains.T
    observe = np.hstack([eye, np.zeros((2, 2))])
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


def check(result, measurements):
    """Surer of the place than one measurement is, and smoother than they are."""
    path, covariance = result
    assert 0 < covariance[0, 0] < NOISE**2
    moves, jumps = np.diff(path[:, :2], axis=0), np.diff(measurements, axis=0)
    assert moves.std() < 0.8 * jumps.std()
