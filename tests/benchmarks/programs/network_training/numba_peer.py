"""Numba: the same lines; products by BLAS."""

import numpy as np
from numba import njit

from tests.benchmarks.programs.network_training.program import RATE


@njit(cache=True)
def run(x, y, w1, w2, steps):
    b1, b2 = np.zeros(w1.shape[1]), np.zeros(1)
    losses = np.empty(steps)
    for k in range(steps):
        hidden = np.tanh(x @ w1 + b1)
        error = hidden @ w2 + b2 - y
        losses[k] = np.mean(error**2)
        slope = 2 * error / len(x)
        back = (slope @ w2.T) * (1 - hidden**2)
        w2 = w2 - RATE * hidden.T @ slope
        b2 = b2 - RATE * slope.sum(axis=0)
        w1 = w1 - RATE * x.T @ back
        b1 = b1 - RATE * back.sum(axis=0)
    return losses, w1, b1, w2, b2
