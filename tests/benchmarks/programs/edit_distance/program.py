"""The edit distance of two texts.

Levenshtein's distance by the table of Wagner and Fischer (1974), entry by entry.
"""

import numpy as np

CLASS = "dynamic programming and bits"
SIZES = {"small": {"n": 25}, "medium": {"n": 150}, "large": {"n": 480}}
RTOL, ATOL = 0, 0


def make(n):
    """Letters as small integers; the second text is the first with every fifth letter changed."""
    rng = np.random.default_rng(40)
    first = rng.integers(0, 4, n)
    second = np.delete(first, np.arange(0, n, 10))
    second[::5] = rng.integers(0, 4, len(second[::5]))
    return first, second


def run(first, second):
    n, m = len(first), len(second)
    table = np.zeros((n + 1, m + 1), dtype=np.int64)
    table[:, 0] = np.arange(n + 1)
    table[0, :] = np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            replace = table[i - 1, j - 1] + (first[i - 1] != second[j - 1])
            table[i, j] = min(replace, table[i - 1, j] + 1, table[i, j - 1] + 1)
    return table[n, m]


def check(distance, first, second):
    assert abs(len(first) - len(second)) <= distance <= len(first)
