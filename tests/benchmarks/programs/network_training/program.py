"""A small neural network that learns a function, its backward pass by hand.

One hidden layer of tanh, squared error, gradient descent on all samples; the
chain rule written out.
"""

import numpy as np

CLASS = "learning and inference"
SIZES = {
    "small": {"samples": 50, "hidden": 16, "steps": 10},
    "medium": {"samples": 500, "hidden": 32, "steps": 100},
    "large": {"samples": 5_000, "hidden": 64, "steps": 80},
}
RTOL, ATOL = 1e-7, 1e-9

RATE = 0.05


def make(samples, hidden, steps):
    rng = np.random.default_rng(124)
    x = rng.uniform(-2, 2, (samples, 2))
    y = (np.sin(x[:, 0]) * x[:, 1])[:, None]
    return x, y, rng.normal(size=(2, hidden)), 0.2 * rng.normal(size=(hidden, 1)), steps


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


def check(result, x, y, w1, w2, steps):
    losses = result[0]
    assert losses[-1] < losses[0]
