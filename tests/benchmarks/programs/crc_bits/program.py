"""The checksum of a message, bit by bit.

The cyclic redundancy check CRC-32 of IEEE 802.3, reflected polynomial 0xEDB88320.
"""

import zlib

import numpy as np

CLASS = "dynamic programming and bits"
SIZES = {"small": {"n": 300}, "medium": {"n": 10_000}, "large": {"n": 100_000}}
RTOL, ATOL = 0, 0

POLYNOMIAL = 0xEDB88320


def make(n):
    return (np.random.default_rng(41).integers(0, 256, n, dtype=np.uint8),)


def run(message):
    register = 0xFFFFFFFF
    for byte in message:
        register ^= int(byte)
        for _ in range(8):
            if register & 1:
                register = (register >> 1) ^ POLYNOMIAL
            else:
                register >>= 1
    return register ^ 0xFFFFFFFF


def check(checksum, message):
    assert checksum == zlib.crc32(message.tobytes())
