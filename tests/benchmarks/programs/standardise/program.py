"""Columns of a table with mean 0 and standard deviation 1, and their correlations.

The definitions; the correlation of two standardised columns is the mean of their product.
"""

import numpy as np

CLASS = "reductions"
SIZES = {
    "small": {"rows": 1_000, "columns": 10},
    "medium": {"rows": 60_000, "columns": 20},
    "large": {"rows": 1_000_000, "columns": 20},
}
RTOL, ATOL = 1e-9, 1e-10


def make(rows, columns):
    rng = np.random.default_rng(5)
    return (rng.normal(size=(rows, columns)) * rng.uniform(1, 9, columns) + 3.0,)


def run(table):
    centred = table - table.mean(axis=0)
    scores = centred / np.sqrt((centred**2).mean(axis=0))
    return scores, scores.T @ scores / len(table)


def bytes_moved(rows, columns):
    return 3 * 8 * rows * columns


def check(result, table):
    scores, correlations = result
    assert np.allclose(scores.mean(axis=0), 0, atol=1e-9)
    assert np.allclose(np.diag(correlations), 1)
