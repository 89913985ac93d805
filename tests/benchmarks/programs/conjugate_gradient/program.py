"""Conjugate gradients for an implicit step of diffusion, without a matrix.

Hestenes and Stiefel (1952), for (1 - k Laplacian) x = b on a square that is
zero outside, until the residual is small.
"""

import numpy as np

CLASS = "data-dependent while"
SIZES = {"small": {"n": 12}, "medium": {"n": 150}, "large": {"n": 400}}
RTOL, ATOL = 1e-6, 1e-7

NUMBER, TOLERANCE = 20.0, 1e-9


def make(n):
    return (np.random.default_rng(11).normal(size=(n, n)),)


def apply(x):
    padded = np.pad(x, 1)
    neighbours = padded[2:, 1:-1] + padded[:-2, 1:-1] + padded[1:-1, 2:] + padded[1:-1, :-2]
    return x - NUMBER * (neighbours - 4 * x)


def run(b):
    x = np.zeros_like(b)
    residual = b - apply(x)
    direction = residual.copy()
    square = np.sum(residual * residual)
    goal = TOLERANCE**2 * np.sum(b * b)
    while square > goal:
        image = apply(direction)
        length = square / np.sum(direction * image)
        x += length * direction
        residual -= length * image
        new = np.sum(residual * residual)
        direction = residual + new / square * direction
        square = new
    return x


def check(x, b):
    assert np.abs(apply(x) - b).max() < 1e-6
