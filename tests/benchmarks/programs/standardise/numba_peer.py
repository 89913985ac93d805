"""Numba: moments in one loop, scores in a parallel one, the product by BLAS."""

import numpy as np
from numba import njit, prange


@njit(parallel=True, cache=True)
def run(table):
    rows, columns = table.shape
    means = np.zeros(columns)
    for i in range(rows):
        for j in range(columns):
            means[j] += table[i, j]
    means /= rows
    squares = np.zeros(columns)
    for i in range(rows):
        for j in range(columns):
            squares[j] += (table[i, j] - means[j]) ** 2
    widths = np.sqrt(squares / rows)
    scores = np.empty_like(table)
    for i in prange(rows):
        for j in range(columns):
            scores[i, j] = (table[i, j] - means[j]) / widths[j]
    return scores, scores.T @ scores / rows
