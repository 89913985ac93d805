"""Numba: one pass over the pixels; one thread, since pixels share bins."""

import numpy as np
from numba import njit

from tests.benchmarks.programs.mutual_information.program import BINS


@njit(cache=True)
def run(first, second):
    counts = np.zeros((BINS, BINS))
    for i in range(first.size):
        row, column = int(first[i] * BINS), int(second[i] * BINS)
        counts[min(row, BINS - 1), min(column, BINS - 1)] += 1
    joint = counts / counts.sum()
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    information = 0.0
    for i in range(BINS):
        for j in range(BINS):
            if joint[i, j] > 0:
                information += joint[i, j] * np.log(joint[i, j] / (rows[i] * columns[j]))
    return information, counts
