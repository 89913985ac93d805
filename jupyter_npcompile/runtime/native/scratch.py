"""Places for temporary buffers in one block of memory."""

from __future__ import annotations

from collections.abc import Sequence

ALIGNMENT = 64
"""Of temporary buffers, in bytes: a cache line."""


def aligned(nbytes: int) -> int:
    """The least size of a buffer of that many bytes after which another may begin.

    Examples
    --------
    >>> aligned(100)
    128
    """
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def packed(buffers: Sequence[tuple[int, int, int]]) -> tuple[list[int], int]:
    """Where each buffer begins, and the size of the block.

    Buffers that are not used at the same time may share memory.

    Parameters
    ----------
    buffers : sequence of (int, int, int)
        Of each, its bytes, and the first and the last step that uses it.

    Examples
    --------
    >>> packed([(100, 0, 1), (64, 1, 2), (50, 2, 3)])
    ([0, 128, 0], 192)
    """
    taken: list[tuple[int, int, int, int]] = []  # offset, end, first step, last step
    offsets = [0] * len(buffers)
    size = 0
    for k in sorted(range(len(buffers)), key=lambda k: -buffers[k][0]):
        nbytes, first, last = buffers[k]
        offset = 0
        nbytes = aligned(max(nbytes, 1))
        for low, high, begins, ends in sorted(taken):
            alive = begins <= last and first <= ends
            if alive and offset < high and low < offset + nbytes:
                offset = high
        taken.append((offset, offset + nbytes, first, last))
        offsets[k] = offset
        size = max(size, offset + nbytes)
    return offsets, size
