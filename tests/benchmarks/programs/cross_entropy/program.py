"""Mean cross-entropy of class scores, and its gradient.

The loss of a sample is log sum_j exp(s_j) - s_label; its gradient with respect
to the scores is softmax(s) minus the label's indicator, over the number of samples.
"""

import numpy as np

CLASS = "reductions"
SIZES = {
    "small": {"samples": 200, "classes": 30},
    "medium": {"samples": 20_000, "classes": 40},
    "large": {"samples": 250_000, "classes": 50},
}
RTOL, ATOL = 1e-10, 1e-14


def make(samples, classes):
    rng = np.random.default_rng(4)
    return rng.normal(size=(samples, classes)), rng.integers(0, classes, samples)


def run(scores, labels):
    rows = np.arange(len(labels))
    shifted = scores - scores.max(axis=1, keepdims=True)
    exponentials = np.exp(shifted)
    totals = exponentials.sum(axis=1)
    loss = np.mean(np.log(totals) - shifted[rows, labels])
    gradient = exponentials / totals[:, None]
    gradient[rows, labels] -= 1
    return loss, gradient / len(labels)


def bytes_moved(samples, classes):
    return 2 * 8 * samples * classes


def check(result, scores, labels):
    loss, gradient = result
    assert loss > 0
    assert np.allclose(gradient.sum(axis=1), 0)
