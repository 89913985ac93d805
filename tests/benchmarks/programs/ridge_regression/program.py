"""Ridge regression, and how well it predicts new data.

The normal equations, (X^T X + k I) w = X^T y.
"""

import numpy as np

CLASS = "products"
SIZES = {
    "small": {"rows": 300, "columns": 20},
    "medium": {"rows": 5_000, "columns": 150},
    "large": {"rows": 20_000, "columns": 480},
}
RTOL, ATOL = 1e-8, 1e-10

PENALTY = 1.0


def make(rows, columns):
    rng = np.random.default_rng(80)
    x, new = rng.normal(size=(rows, columns)), rng.normal(size=(rows // 4, columns))
    weights = rng.normal(size=columns)
    noise = rng.normal(size=rows + rows // 4)
    return x, x @ weights + noise[:rows], new, new @ weights + noise[rows:]


def run(x, y, new, truth):
    normal = x.T @ x + PENALTY * np.eye(x.shape[1])
    weights = np.linalg.solve(normal, x.T @ y)
    error = truth - new @ weights
    return weights, 1 - np.sum(error**2) / np.sum((truth - truth.mean()) ** 2)


def check(result, x, y, new, truth):
    weights, share = result
    assert 0.8 < share < 1
    assert np.allclose(x.T @ (y - x @ weights), PENALTY * weights)
