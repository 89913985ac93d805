"""Great-circle distances from one place to many.

The haversine formula: sin^2(d / 2r) = sin^2(dlat / 2) + cos lat cos lat0 sin^2(dlon / 2).
"""

import numpy as np

CLASS = "elementwise chains"
SIZES = {"small": {"n": 5_000}, "medium": {"n": 300_000}, "large": {"n": 2_700_000}}
RTOL, ATOL = 1e-9, 1e-6

RADIUS = 6371.0088


def make(n):
    rng = np.random.default_rng(2)
    return rng.uniform(-90, 90, n), rng.uniform(-180, 180, n), 47.37, 8.54


def run(latitude, longitude, latitude0, longitude0):
    phi, phi0 = np.radians(latitude), np.radians(latitude0)
    turn = np.radians(longitude - longitude0)
    haversine = np.sin((phi - phi0) / 2) ** 2 + np.cos(phi) * np.cos(phi0) * np.sin(turn / 2) ** 2
    return 2 * RADIUS * np.arcsin(np.sqrt(np.clip(haversine, 0, 1)))


def bytes_moved(n):
    return 3 * 8 * n


def check(distance, latitude, longitude, latitude0, longitude0):
    assert np.all((distance >= 0) & (distance <= np.pi * RADIUS * (1 + 1e-12)))
