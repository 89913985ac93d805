"""Stars that attract each other.

Newton's law with softening, all pairs by broadcasting, and the leapfrog
scheme (kick, drift, kick), which is symplectic.
"""

import numpy as np

CLASS = "particles"
SIZES = {
    "small": {"n": 20, "steps": 4},
    "medium": {"n": 150, "steps": 20},
    "large": {"n": 380, "steps": 20},
}
RTOL, ATOL = 1e-8, 1e-9

SOFTENING, DT = 0.1, 0.002


def make(n, steps):
    rng = np.random.default_rng(60)
    return rng.normal(size=(n, 3)), rng.normal(0, 0.5, (n, 3)), rng.uniform(0.5, 1.5, n) / n, steps


def accelerations(position, mass):
    difference = position[None, :, :] - position[:, None, :]
    square = np.sum(difference**2, axis=2) + SOFTENING**2
    return np.sum(difference * (mass / square**1.5)[:, :, None], axis=1)


def run(position, velocity, mass, steps):
    position, velocity = position.copy(), velocity.copy()
    acceleration = accelerations(position, mass)
    for _ in range(steps):
        velocity += 0.5 * DT * acceleration
        position += DT * velocity
        acceleration = accelerations(position, mass)
        velocity += 0.5 * DT * acceleration
    return position, velocity


def energy(position, velocity, mass):
    difference = position[None, :, :] - position[:, None, :]
    distance = np.sqrt(np.sum(difference**2, axis=2) + SOFTENING**2)
    pairs = np.outer(mass, mass) / distance
    return 0.5 * np.sum(mass[:, None] * velocity**2) - np.sum(np.triu(pairs, 1))


def check(result, position, velocity, mass, steps):
    after = energy(*result, mass)
    before = energy(position, velocity, mass)
    assert abs(after - before) < 1e-3 * abs(before)
    assert np.allclose(mass @ result[1], mass @ velocity)
