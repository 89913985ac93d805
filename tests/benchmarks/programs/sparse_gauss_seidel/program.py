"""Sweeps of Gauss and Seidel over a sparse system.

Compressed sparse rows without the diagonal: x_i = (b_i - sum_j a_ij x_j) / a_ii,
with the newest values of x, so that the order of rows matters.
"""

import numpy as np

CLASS = "sparse rows"
SIZES = {
    "small": {"n": 100, "sweeps": 2},
    "medium": {"n": 2_000, "sweeps": 4},
    "large": {"n": 15_000, "sweeps": 6},
}
RTOL, ATOL = 1e-10, 1e-13
NO_PEER = {
    "jax": "every row reads what the rows before it wrote, in slices whose length is data; "
    "in JAX one uses another method, Jacobi's or a colouring"
}


def make(n, sweeps):
    """Entries of about 1, and a diagonal that is larger than a row's sum."""
    rng = np.random.default_rng(51)
    lengths = rng.integers(1, 9, n)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    columns = (np.repeat(np.arange(n), lengths) + rng.integers(1, n, starts[-1])) % n
    entries = rng.uniform(-1, 1, starts[-1])
    diagonal = 1 + np.add.reduceat(np.abs(entries), starts[:-1])
    return entries, columns, starts, diagonal, rng.normal(size=n), sweeps


def run(entries, columns, starts, diagonal, right, sweeps):
    x = np.zeros_like(right)
    for _ in range(sweeps):
        for i in range(len(x)):
            first, last = starts[i], starts[i + 1]
            others = entries[first:last] @ x[columns[first:last]]
            x[i] = (right[i] - others) / diagonal[i]
    return x


def check(x, entries, columns, starts, diagonal, right, sweeps):
    image = diagonal * x + np.add.reduceat(entries * x[columns], starts[:-1])
    assert np.linalg.norm(image - right) < 0.5 * np.linalg.norm(right)
