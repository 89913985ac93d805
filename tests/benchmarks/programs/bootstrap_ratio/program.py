"""The spread of a ratio of means, by the bootstrap.

Efron (1979): samples drawn again from the sample, with replacement; the
standard error and the middle 95 % of the ratio.
"""

import numpy as np

CLASS = "Monte Carlo"
SIZES = {
    "small": {"n": 50, "samples": 200},
    "medium": {"n": 300, "samples": 3_000},
    "large": {"n": 1_000, "samples": 20_000},
}
RTOL, ATOL = 1e-9, 1e-11


def make(n, samples):
    rng = np.random.default_rng(112)
    x = rng.gamma(4.0, size=n)
    return x, 2 * x + rng.normal(size=n), 113, samples


def run(x, y, seed, samples):
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, len(x), size=(samples, len(x)))
    ratios = y[chosen].mean(axis=1) / x[chosen].mean(axis=1)
    return ratios.std(ddof=1), np.quantile(ratios, [0.025, 0.975])


def bytes_moved(n, samples):
    return 8 * n * samples


def check(result, x, y, seed, samples):
    error, (low, high) = result
    assert low < y.mean() / x.mean() < high
    assert 0 < error < 0.2
