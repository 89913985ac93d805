"""A linear system by Gaussian elimination with pivots, and substitution.

LU decomposition, one rank-1 update a column, the largest pivot of each column
exchanged into place; then both triangles are solved, row by row.
"""

import numpy as np

CLASS = "triangular loops"
SIZES = {"small": {"n": 30}, "medium": {"n": 200}, "large": {"n": 700}}
RTOL, ATOL = 1e-7, 1e-9


def make(n):
    rng = np.random.default_rng(31)
    return rng.normal(size=(n, n)) + 3 * np.eye(n), rng.normal(size=n)


def run(matrix, right):
    a, x = matrix.copy(), right.copy()
    n = len(x)
    for k in range(n - 1):
        pivot = k + np.argmax(np.abs(a[k:, k]))
        if pivot != k:
            a[[k, pivot]] = a[[pivot, k]]
            x[[k, pivot]] = x[[pivot, k]]
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    for i in range(1, n):
        x[i] -= a[i, :i] @ x[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


def check(x, matrix, right):
    assert np.allclose(matrix @ x, right)
