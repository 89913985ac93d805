"""The attitude of a turning body, from its rates of turn.

Each rate is a small rotation, a quaternion of four numbers, by which the
attitude is multiplied (Hamilton's product) and then brought to length one.
"""

import numpy as np

CLASS = "tiny arrays"
SIZES = {"small": {"steps": 50}, "medium": {"steps": 1_000}, "large": {"steps": 6_000}}
RTOL, ATOL = 1e-8, 1e-9

DT = 0.01


def make(steps):
    rng = np.random.default_rng(141)
    return (rng.normal([0.2, 0.1, 1.0], 1.0, (steps, 3)),)


def product(p, q):
    scalar = p[0] * q[0] - np.dot(p[1:], q[1:])
    vector = p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.concatenate(([scalar], vector))


def run(rates):
    attitude = np.array([1.0, 0.0, 0.0, 0.0])
    for rate in rates:
        speed = np.linalg.norm(rate)
        half = 0.5 * DT * speed
        turn = np.concatenate(([np.cos(half)], np.sin(half) / speed * rate))
        attitude = product(attitude, turn)
        attitude /= np.linalg.norm(attitude)
    return attitude


def check(attitude, rates):
    assert np.isclose(np.sum(attitude**2), 1)
