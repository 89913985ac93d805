"""A resonant low-pass filter of second order, sample by sample.

The direct form of a recursive filter, y_n = b0 x_n + b1 x_{n-1} + b2 x_{n-2}
- a1 y_{n-1} - a2 y_{n-2}; coefficients from the bilinear transform.
"""

import numpy as np

CLASS = "recurrences along an axis"
SIZES = {"small": {"n": 1_000}, "medium": {"n": 30_000}, "large": {"n": 180_000}}
RTOL, ATOL = 1e-9, 1e-11

FREQUENCY, QUALITY = 0.05, 2.0


def make(n):
    return (np.random.default_rng(21).normal(size=n),)


def coefficients(frequency, quality):
    angle = 2 * np.pi * frequency
    alpha = np.sin(angle) / (2 * quality)
    b1 = 1 - np.cos(angle)
    scale = 1 + alpha
    return b1 / 2 / scale, b1 / scale, -2 * np.cos(angle) / scale, (1 - alpha) / scale


def run(x):
    b0, b1, a1, a2 = coefficients(FREQUENCY, QUALITY)
    y = np.zeros_like(x)
    y[0] = b0 * x[0]
    y[1] = b0 * x[1] + b1 * x[0] - a1 * y[0]
    for n in range(2, len(x)):
        y[n] = b0 * x[n] + b1 * x[n - 1] + b0 * x[n - 2] - a1 * y[n - 1] - a2 * y[n - 2]
    return y


def bytes_moved(n):
    return 2 * 8 * n


def check(y, x):
    """Noise loses most of its power, and a constant passes unchanged."""
    b0, b1, a1, a2 = coefficients(FREQUENCY, QUALITY)
    assert np.isclose((2 * b0 + b1) / (1 + a1 + a2), 1)
    assert y.var() < x.var()
