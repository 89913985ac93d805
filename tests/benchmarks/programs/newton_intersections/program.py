"""Where circles and ellipses meet, pair by pair, by Newton's method.

For every pair two equations in two unknowns, solved with their Jacobian until
the step is small: a system of two by two each time.
"""

import numpy as np

CLASS = "tiny arrays"
SIZES = {"small": {"pairs": 5}, "medium": {"pairs": 200}, "large": {"pairs": 2_400}}
RTOL, ATOL = 1e-8, 1e-9

TOLERANCE = 1e-10


def make(pairs):
    """Radii of circles, and axes of ellipses that cross them."""
    rng = np.random.default_rng(142)
    radii = rng.uniform(1.0, 2.0, pairs)
    return radii, radii * rng.uniform(1.2, 2.0, pairs), radii * rng.uniform(0.4, 0.9, pairs)


def run(radii, long, short):
    points = np.empty((len(radii), 2))
    for i in range(len(radii)):
        x = np.array([radii[i], radii[i]])
        step = np.ones(2)
        while np.max(np.abs(step)) > TOLERANCE:
            circle = x @ x - radii[i] ** 2
            ellipse = (x[0] / long[i]) ** 2 + (x[1] / short[i]) ** 2 - 1
            slopes = np.array(
                [[2 * x[0], 2 * x[1]], [2 * x[0] / long[i] ** 2, 2 * x[1] / short[i] ** 2]]
            )
            step = np.linalg.solve(slopes, np.array([circle, ellipse]))
            x = x - step
        points[i] = x
    return points


def check(points, radii, long, short):
    assert np.allclose(np.sum(points**2, axis=1), radii**2)
    assert np.allclose((points[:, 0] / long) ** 2 + (points[:, 1] / short) ** 2, 1)
