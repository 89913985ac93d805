"""All primes up to a number.

The sieve of Eratosthenes.
"""

import numpy as np

CLASS = "masks and shrinking arrays"
SIZES = {"small": {"n": 3_000}, "medium": {"n": 2_000_000}, "large": {"n": 60_000_000}}
RTOL, ATOL = 0, 0
NO_PEER = {
    "jax": "the stride of a store and the length of the result are data: "
    "with masks of fixed shape it is another, far slower algorithm"
}

COUNTS = {3_000: 430, 2_000_000: 148_933, 60_000_000: 3_562_115}


def make(n):
    return (n,)


def run(n):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    for p in range(2, int(np.sqrt(n)) + 1):
        if prime[p]:
            prime[p * p :: p] = False
    return np.flatnonzero(prime)


def bytes_moved(n):
    return n


def check(primes, n):
    assert len(primes) == COUNTS[n]
