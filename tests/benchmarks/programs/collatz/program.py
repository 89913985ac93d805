"""Steps that each number takes to reach 1 by Collatz's rule.

n' = n / 2 for even n and 3 n + 1 for odd n; numbers that have arrived are
removed from the arrays, which shrink.
"""

import numpy as np

CLASS = "masks and shrinking arrays"
SIZES = {"small": {"n": 30}, "medium": {"n": 10_000}, "large": {"n": 100_000}}
RTOL, ATOL = 0, 0


def make(n):
    return (n,)


def run(n):
    steps = np.zeros(n + 1, dtype=np.int64)
    travelling = np.arange(2, n + 1)
    values = travelling.copy()
    while travelling.size > 0:
        values = np.where(values % 2 == 0, values // 2, 3 * values + 1)
        steps[travelling] += 1
        away = values != 1
        travelling, values = travelling[away], values[away]
    return steps


def check(steps, n):
    powers = 2 ** np.arange(int(np.log2(n)))
    assert np.array_equal(steps[powers], np.arange(len(powers)))
    assert steps[27] == 111
