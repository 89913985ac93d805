"""Numba: nearest centres in parallel, then one loop that adds points up."""

import numpy as np
from numba import njit, prange


@njit(parallel=True, cache=True)
def assign(points, centres, labels):
    total = 0.0
    for i in prange(len(points)):
        best = np.inf
        for k in range(len(centres)):
            square = 0.0
            for j in range(points.shape[1]):
                square += (points[i, j] - centres[k, j]) ** 2
            if square < best:
                best = square
                labels[i] = k
        total += best
    return total


@njit(cache=True)
def run(points, clusters, rounds):
    centres = points[:clusters].copy()
    labels = np.zeros(len(points), dtype=np.int64)
    total = 0.0
    for _ in range(rounds):
        total = assign(points, centres, labels)
        counts = np.zeros(clusters)
        centres[:] = 0.0
        for i in range(len(points)):
            counts[labels[i]] += 1
            for j in range(points.shape[1]):
                centres[labels[i], j] += points[i, j]
        for k in range(clusters):
            centres[k] /= counts[k]
    return centres, labels, total
