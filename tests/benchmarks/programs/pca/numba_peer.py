"""Numba: BLAS and LAPACK as in NumPy, the rest in loops."""

import numpy as np
from numba import njit

from tests.benchmarks.programs.pca.program import COMPONENTS


@njit(cache=True)
def run(table):
    rows, columns = table.shape
    means = np.zeros(columns)
    for i in range(rows):
        for j in range(columns):
            means[j] += table[i, j]
    centred = table - means / rows
    covariance = centred.T @ centred / (rows - 1)
    values, vectors = np.linalg.eigh(covariance)
    chosen = np.empty((columns, COMPONENTS))
    for k in range(COMPONENTS):
        vector = vectors[:, columns - 1 - k]
        chosen[:, k] = vector * np.sign(vector[np.argmax(np.abs(vector))])
    shares = values[::-1][:COMPONENTS] / np.trace(covariance)
    return centred @ chosen, shares
