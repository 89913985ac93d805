"""Clusters of points by k-means.

Lloyd's algorithm: every point joins the nearest centre, every centre moves to
the mean of its points, a fixed number of times.
"""

import numpy as np

CLASS = "learning and inference"
SIZES = {
    "small": {"points": 200, "clusters": 4, "rounds": 4},
    "medium": {"points": 5_000, "clusters": 8, "rounds": 10},
    "large": {"points": 50_000, "clusters": 12, "rounds": 8},
}
RTOL, ATOL = 1e-9, 1e-11

WIDTH = 4


def make(points, clusters, rounds):
    """Clouds around the corners of a lattice; the first points are one of each cloud."""
    rng = np.random.default_rng(120)
    cloud = np.arange(points) % clusters
    corners = 6.0 * np.stack([(cloud >> bit) & 1 for bit in range(WIDTH)], axis=1)
    return corners + rng.normal(size=(points, WIDTH)), clusters, rounds


def run(points, clusters, rounds):
    centres = points[:clusters].copy()
    for _ in range(rounds):
        squares = np.sum((points[:, None, :] - centres[None, :, :]) ** 2, axis=2)
        labels = np.argmin(squares, axis=1)
        for k in range(clusters):
            centres[k] = points[labels == k].mean(axis=0)
    return centres, labels, np.sum(np.min(squares, axis=1))


def check(result, points, clusters, rounds):
    _, labels, total = result
    assert np.mean(labels == np.arange(len(points)) % clusters) > 0.98
    assert total < 1.1 * WIDTH * len(points)
