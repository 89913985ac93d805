"""Numba: one parallel loop over the places."""

import numpy as np
from numba import njit, prange

from tests.benchmarks.programs.great_circle.program import RADIUS


@njit(parallel=True, cache=True)
def run(latitude, longitude, latitude0, longitude0):
    distance = np.empty_like(latitude)
    phi0 = np.radians(latitude0)
    for i in prange(latitude.size):
        phi = np.radians(latitude[i])
        turn = np.radians(longitude[i] - longitude0)
        haversine = (
            np.sin((phi - phi0) / 2) ** 2 + np.cos(phi) * np.cos(phi0) * np.sin(turn / 2) ** 2
        )
        distance[i] = 2 * RADIUS * np.arcsin(np.sqrt(min(max(haversine, 0.0), 1.0)))
    return distance
