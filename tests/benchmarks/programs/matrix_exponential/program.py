"""The exponential of a matrix.

Scaling and squaring: the Taylor series of A / 2^s, squared s times.
"""

import numpy as np

CLASS = "products"
SIZES = {"small": {"n": 20}, "medium": {"n": 150}, "large": {"n": 520}}
RTOL, ATOL = 1e-8, 1e-9

TERMS = 14


def make(n):
    """A generator of rotations: its exponential is orthogonal."""
    g = np.random.default_rng(82).normal(size=(n, n))
    return ((g - g.T) / np.sqrt(n),)


def run(a):
    norm = np.abs(a).sum(axis=0).max()
    squarings = max(0, int(np.ceil(np.log2(norm))) + 1)
    scaled = a / 2.0**squarings
    term = np.eye(len(a))
    total = np.eye(len(a))
    for k in range(1, TERMS + 1):
        term = term @ scaled / k
        total += term
    for _ in range(squarings):
        total = total @ total
    return total


def check(total, a):
    assert np.allclose(total @ total.T, np.eye(len(a)))
