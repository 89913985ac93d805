"""Density of a mixture of normal distributions.

The definition: the sum over k of w_k exp(-((x - m_k) / s_k)^2 / 2) / (s_k sqrt(2 pi)).
"""

import numpy as np

CLASS = "elementwise chains"
SIZES = {"small": {"n": 10_000}, "medium": {"n": 500_000}, "large": {"n": 8_000_000}}
RTOL, ATOL = 1e-12, 1e-14

COMPONENTS = ((0.3, -1.0, 0.5), (0.5, 0.0, 1.0), (0.2, 2.0, 0.3))


def make(n):
    return (np.random.default_rng(0).normal(size=n),)


def run(x):
    density = np.zeros_like(x)
    for weight, mean, width in COMPONENTS:
        density += weight * np.exp(-0.5 * ((x - mean) / width) ** 2) / (width * np.sqrt(2 * np.pi))
    return density


def bytes_moved(n):
    return 2 * 8 * n


def check(density, x):
    peak = sum(weight / (width * np.sqrt(2 * np.pi)) for weight, _, width in COMPONENTS)
    assert np.all((density > 0) & (density < peak))
