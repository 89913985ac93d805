"""The likelihood of a sequence under a hidden Markov model.

The forward algorithm with scaling (Rabiner 1989): alpha_t is proportional to
(alpha_{t-1} A) * B[:, o_t], and the logarithm of the likelihood the sum of the
logarithms of the scales.
"""

import numpy as np

CLASS = "learning and inference"
SIZES = {
    "small": {"states": 5, "steps": 80},
    "medium": {"states": 20, "steps": 3_000},
    "large": {"states": 60, "steps": 25_000},
}
RTOL, ATOL = 1e-9, 1e-12

SYMBOLS = 10


def make(states, steps):
    rng = np.random.default_rng(123)
    start = rng.dirichlet(np.ones(states))
    moves = rng.dirichlet(np.ones(states), size=states)
    emissions = rng.dirichlet(np.ones(SYMBOLS), size=states)
    return start, moves, emissions, rng.integers(0, SYMBOLS, steps)


def run(start, moves, emissions, observed):
    alpha = start * emissions[:, observed[0]]
    scale = alpha.sum()
    alpha = alpha / scale
    likelihood = np.log(scale)
    for symbol in observed[1:]:
        alpha = (alpha @ moves) * emissions[:, symbol]
        scale = alpha.sum()
        alpha = alpha / scale
        likelihood += np.log(scale)
    return likelihood, alpha


def check(result, start, moves, emissions, observed):
    likelihood, alpha = result
    assert likelihood < 0
    assert np.isclose(alpha.sum(), 1)
