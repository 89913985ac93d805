"""How much two images say about each other.

The mutual information of their joint histogram: sum p log(p / (p_x p_y)).
"""

import numpy as np

CLASS = "histograms"
SIZES = {"small": {"n": 4_000}, "medium": {"n": 100_000}, "large": {"n": 1_600_000}}
RTOL, ATOL = 1e-9, 1e-12

BINS = 64


def make(n):
    rng = np.random.default_rng(101)
    first = rng.random(n)
    return first, (first + 0.3 * rng.random(n)) / 1.3


def run(first, second):
    counts, _, _ = np.histogram2d(first, second, bins=BINS, range=[[0, 1], [0, 1]])
    joint = counts / counts.sum()
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    there = joint > 0
    return np.sum(joint[there] * np.log(joint[there] / product[there])), counts


def bytes_moved(n):
    return 2 * 8 * n


def check(result, first, second):
    information, counts = result
    assert counts.sum() == len(first)
    assert 0 < information < np.log(BINS)
