"""Hamming distances between all pairs of 64-bit codes.

The number of ones of the exclusive or, by sums within ever wider fields of bits
(the population count of many textbooks of computer arithmetic).
"""

import numpy as np

CLASS = "dynamic programming and bits"
SIZES = {"small": {"n": 50}, "medium": {"n": 500}, "large": {"n": 3_000}}
RTOL, ATOL = 0, 0

ONES, TWOS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
FOURS, BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


def make(n):
    return (np.random.default_rng(42).integers(0, 2**64, n, dtype=np.uint64),)


def run(codes):
    bits = codes[:, None] ^ codes[None, :]
    bits = bits - ((bits >> np.uint64(1)) & ONES)
    bits = (bits & TWOS) + ((bits >> np.uint64(2)) & TWOS)
    bits = (bits + (bits >> np.uint64(4))) & FOURS
    return (bits * BYTES) >> np.uint64(56)


def bytes_moved(n):
    return 8 * n * n


def check(distances, codes):
    assert np.array_equal(distances, distances.T)
    assert distances[0, 1] == int(codes[0] ^ codes[1]).bit_count()
    assert np.all(np.diag(distances) == 0)
