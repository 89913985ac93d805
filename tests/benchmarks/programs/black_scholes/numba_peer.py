"""Numba: one parallel loop over the options."""

import numpy as np
from numba import njit, prange

from tests.benchmarks.programs.black_scholes.program import RATE, VOLATILITY


@njit(cache=True)
def normal_cdf(x):
    k = 1 / (1 + 0.2316419 * abs(x))
    series = k * (
        0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    upper = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi) * series
    return 1 - upper if x >= 0 else upper


@njit(parallel=True, cache=True)
def run(spot, strike, time):
    call, put = np.empty_like(spot), np.empty_like(spot)
    for i in prange(spot.size):
        spread = VOLATILITY * np.sqrt(time[i])
        d1 = (np.log(spot[i] / strike[i]) + (RATE + 0.5 * VOLATILITY**2) * time[i]) / spread
        d2 = d1 - spread
        discounted = strike[i] * np.exp(-RATE * time[i])
        call[i] = spot[i] * normal_cdf(d1) - discounted * normal_cdf(d2)
        put[i] = discounted * normal_cdf(-d2) - spot[i] * normal_cdf(-d1)
    return call, put
