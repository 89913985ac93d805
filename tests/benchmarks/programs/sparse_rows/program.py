"""A sparse matrix times a vector, row by row, several times.

Compressed sparse rows: the entries and columns of row i are at
starts[i]:starts[i + 1]. The vector is scaled after every product.
"""

import numpy as np

CLASS = "sparse rows"
SIZES = {
    "small": {"n": 100, "times": 2},
    "medium": {"n": 2_000, "times": 5},
    "large": {"n": 20_000, "times": 5},
}
RTOL, ATOL = 1e-10, 1e-13


def make(n, times):
    """Between none and twenty entries a row."""
    rng = np.random.default_rng(50)
    lengths = rng.integers(0, 21, n)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    columns = rng.integers(0, n, starts[-1])
    return rng.uniform(0.1, 1, starts[-1]), columns, starts, np.ones(n), times


def run(entries, columns, starts, vector, times):
    x = vector.copy()
    for _ in range(times):
        image = np.zeros_like(x)
        for i in range(len(x)):
            row = slice(starts[i], starts[i + 1])
            image[i] = np.dot(entries[row], x[columns[row]])
        x = image / np.max(np.abs(image))
    return x


def check(x, entries, columns, starts, vector, times):
    """Rows without entries give 0."""
    assert x.max() == 1
    assert np.all(x[np.diff(starts) == 0] == 0)
