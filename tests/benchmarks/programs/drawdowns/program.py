"""Paths of prices from returns, and each path's largest fall from a peak.

A cumulative sum, a running maximum, and their ratio; the definition of the
maximum drawdown.
"""

import numpy as np

CLASS = "recurrences along an axis"
SIZES = {
    "small": {"steps": 100, "paths": 50},
    "medium": {"steps": 1_000, "paths": 1_000},
    "large": {"steps": 2_000, "paths": 4_000},
}
RTOL, ATOL = 1e-9, 1e-11


def make(steps, paths):
    return (np.random.default_rng(23).normal(0.0002, 0.01, (steps, paths)),)


def run(returns):
    prices = np.exp(np.cumsum(returns, axis=0))
    peaks = np.maximum.accumulate(prices, axis=0)
    falls = 1 - prices / peaks
    return prices[-1], falls.max(axis=0), falls.argmax(axis=0)


def bytes_moved(steps, paths):
    return 8 * steps * paths


def check(result, returns):
    last, fall, _ = result
    assert np.allclose(np.log(last), returns.sum(axis=0))
    assert np.all((fall >= 0) & (fall < 1))
