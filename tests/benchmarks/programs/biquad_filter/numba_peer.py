"""Numba: the same lines."""

import numpy as np
from numba import njit

from tests.benchmarks.programs.biquad_filter.program import FREQUENCY, QUALITY
from tests.benchmarks.programs.biquad_filter.program import coefficients as python_coefficients

coefficients = njit(cache=True)(python_coefficients)


@njit(cache=True)
def run(x):
    b0, b1, a1, a2 = coefficients(FREQUENCY, QUALITY)
    y = np.zeros_like(x)
    y[0] = b0 * x[0]
    y[1] = b0 * x[1] + b1 * x[0] - a1 * y[0]
    for n in range(2, len(x)):
        y[n] = b0 * x[n] + b1 * x[n - 1] + b0 * x[n - 2] - a1 * y[n - 1] - a2 * y[n - 2]
    return y
