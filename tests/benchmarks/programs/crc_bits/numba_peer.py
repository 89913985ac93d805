"""Numba: the same, with integers of a fixed width."""

from numba import njit

from tests.benchmarks.programs.crc_bits.program import POLYNOMIAL


@njit(cache=True)
def run(message):
    register = 0xFFFFFFFF
    for byte in message:
        register ^= byte
        for _ in range(8):
            if register & 1:
                register = (register >> 1) ^ POLYNOMIAL
            else:
                register >>= 1
    return register ^ 0xFFFFFFFF
