"""Numba: the loops written out, rows in parallel; sums are reductions."""

import numpy as np
from numba import njit, prange

from tests.benchmarks.programs.conjugate_gradient.program import NUMBER, TOLERANCE


@njit(parallel=True, cache=True)
def apply(x, image):
    """Write the image of x, and return their product."""
    n, m = x.shape
    product = 0.0
    for i in prange(n):
        for j in range(m):
            neighbours = 0.0
            if i > 0:
                neighbours += x[i - 1, j]
            if i < n - 1:
                neighbours += x[i + 1, j]
            if j > 0:
                neighbours += x[i, j - 1]
            if j < m - 1:
                neighbours += x[i, j + 1]
            image[i, j] = x[i, j] - NUMBER * (neighbours - 4 * x[i, j])
            product += x[i, j] * image[i, j]
    return product


@njit(parallel=True, cache=True)
def advance(x, residual, direction, image, length):
    """Move along the direction, and return the square of the residual."""
    n, m = x.shape
    square = 0.0
    for i in prange(n):
        for j in range(m):
            x[i, j] += length * direction[i, j]
            residual[i, j] -= length * image[i, j]
            square += residual[i, j] ** 2
    return square


@njit(parallel=True, cache=True)
def turn(residual, direction, factor):
    n, m = residual.shape
    for i in prange(n):
        for j in range(m):
            direction[i, j] = residual[i, j] + factor * direction[i, j]


@njit(cache=True)
def run(b):
    x, image = np.zeros_like(b), np.empty_like(b)
    residual, direction = b.copy(), b.copy()
    square = np.sum(b * b)
    goal = TOLERANCE**2 * square
    while square > goal:
        length = square / apply(direction, image)
        new = advance(x, residual, direction, image, length)
        turn(residual, direction, new / square)
        square = new
    return x
