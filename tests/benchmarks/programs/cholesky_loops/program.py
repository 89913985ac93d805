"""The Cholesky factor of a matrix, entry by entry.

L_ij = (A_ij - sum_{k<j} L_ik L_jk) / L_jj and L_jj = sqrt(A_jj - sum_{k<j} L_jk^2).
"""

import numpy as np

CLASS = "triangular loops"
SIZES = {"small": {"n": 25}, "medium": {"n": 150}, "large": {"n": 350}}
RTOL, ATOL = 1e-9, 1e-11


def make(n):
    g = np.random.default_rng(30).normal(size=(n, n))
    return (g @ g.T / n + np.eye(n),)


def run(a):
    n = len(a)
    factor = np.zeros_like(a)
    for i in range(n):
        for j in range(i):
            factor[i, j] = (a[i, j] - factor[i, :j] @ factor[j, :j]) / factor[j, j]
        factor[i, i] = np.sqrt(a[i, i] - factor[i, :i] @ factor[i, :i])
    return factor


def check(factor, a):
    assert np.allclose(factor @ factor.T, a)
