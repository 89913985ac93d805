"""Principal components of a table, and what they explain.

Eigenvectors of the covariance matrix, the largest eigenvalues first; the sign
of each is such that its largest entry is positive.
"""

import numpy as np

CLASS = "learning and inference"
SIZES = {
    "small": {"rows": 300, "columns": 12},
    "medium": {"rows": 5_000, "columns": 60},
    "large": {"rows": 60_000, "columns": 200},
}
RTOL, ATOL = 1e-6, 1e-8

COMPONENTS = 3


def make(rows, columns):
    """Noise, stretched along three directions, so that these are well determined."""
    rng = np.random.default_rng(121)
    directions, _ = np.linalg.qr(rng.normal(size=(columns, COMPONENTS)))
    factors = rng.normal(size=(rows, COMPONENTS)) * [9.0, 6.0, 4.0]
    return (factors @ directions.T + 0.5 * rng.normal(size=(rows, columns)) + 2.0,)


def run(table):
    centred = table - table.mean(axis=0)
    covariance = centred.T @ centred / (len(table) - 1)
    values, vectors = np.linalg.eigh(covariance)
    values, vectors = values[::-1][:COMPONENTS], vectors[:, ::-1][:, :COMPONENTS]
    largest = np.argmax(np.abs(vectors), axis=0)
    vectors = vectors * np.sign(vectors[largest, np.arange(COMPONENTS)])
    return centred @ vectors, values / np.trace(covariance)


def bytes_moved(rows, columns):
    return 8 * rows * columns


def check(result, table):
    scores, shares = result
    assert np.all(np.diff(shares) < 0)
    assert 0.5 < shares.sum() < 1
    assert np.allclose(np.corrcoef(scores.T), np.eye(COMPONENTS), atol=1e-6)
