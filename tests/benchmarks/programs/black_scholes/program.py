"""Prices of European call and put options.

Black and Scholes (1973). The normal distribution function is the rational
approximation 26.2.17 of Abramowitz and Stegun, since NumPy has no erf.
"""

import numpy as np

CLASS = "elementwise chains"
SIZES = {"small": {"n": 5_000}, "medium": {"n": 200_000}, "large": {"n": 2_000_000}}
RTOL, ATOL = 1e-10, 1e-10

RATE, VOLATILITY = 0.03, 0.25


def make(n):
    rng = np.random.default_rng(1)
    return rng.uniform(50, 150, n), rng.uniform(50, 150, n), rng.uniform(0.1, 2.0, n)


def normal_cdf(x):
    k = 1 / (1 + 0.2316419 * np.abs(x))
    series = k * (
        0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    upper = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi) * series
    return np.where(x >= 0, 1 - upper, upper)


def run(spot, strike, time):
    spread = VOLATILITY * np.sqrt(time)
    d1 = (np.log(spot / strike) + (RATE + 0.5 * VOLATILITY**2) * time) / spread
    d2 = d1 - spread
    discounted = strike * np.exp(-RATE * time)
    call = spot * normal_cdf(d1) - discounted * normal_cdf(d2)
    put = discounted * normal_cdf(-d2) - spot * normal_cdf(-d1)
    return call, put


def bytes_moved(n):
    return 5 * 8 * n


def check(result, spot, strike, time):
    call, put = result
    parity = spot - strike * np.exp(-RATE * time)
    assert np.allclose(call - put, parity, rtol=0, atol=1e-10 * 150)
