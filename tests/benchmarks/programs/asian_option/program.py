"""The price of an Asian option by Monte Carlo.

Geometric Brownian motion, the payoff of the path's arithmetic mean, and the
standard error of the estimate.
"""

import numpy as np

CLASS = "Monte Carlo"
SIZES = {
    "small": {"paths": 500, "steps": 12},
    "medium": {"paths": 10_000, "steps": 50},
    "large": {"paths": 60_000, "steps": 100},
}
RTOL, ATOL = 1e-9, 1e-11

RATE, VOLATILITY, STRIKE, YEARS = 0.03, 0.2, 100.0, 1.0


def make(paths, steps):
    return 110, paths, steps


def run(seed, paths, steps):
    rng = np.random.default_rng(seed)
    dt = YEARS / steps
    shocks = rng.standard_normal((paths, steps))
    moves = (RATE - 0.5 * VOLATILITY**2) * dt + VOLATILITY * np.sqrt(dt) * shocks
    prices = 100.0 * np.exp(np.cumsum(moves, axis=1))
    payoffs = np.exp(-RATE * YEARS) * np.maximum(prices.mean(axis=1) - STRIKE, 0)
    return payoffs.mean(), payoffs.std() / np.sqrt(paths)


def check(result, seed, paths, steps):
    """An Asian option with this strike is worth about 5.5 (6.2 with twelve steps)."""
    price, error = result
    assert abs(price - 5.8) < 0.7 + 4 * error
