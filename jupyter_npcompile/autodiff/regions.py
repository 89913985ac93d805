"""Boxes in arrays: where they begin in each dimension, and how far they reach."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

Region = tuple[tuple[int, ...], tuple[int, ...]]
"""First indices, and lengths."""


def complement(shape: tuple[int, ...], boxes: Iterable[Region]) -> list[Region]:
    """What is left of an array without some boxes.

    Examples
    --------
    >>> complement((4, 5), [((1, 0), (3, 5))])
    [((0, 0), (1, 5))]
    """
    left: list[Region] = [((0,) * len(shape), shape)]
    for start, spans in boxes:
        remaining: list[Region] = []
        for begin, size in left:
            low = [max(a, b) for a, b in zip(begin, start, strict=True)]
            high = [min(a + n, b + m) for a, n, b, m in zip(begin, size, start, spans, strict=True)]
            if any(a >= b for a, b in zip(low, high, strict=True)):
                remaining.append((begin, size))
                continue
            for axis in range(len(shape)):
                for first, last in (
                    (begin[axis], low[axis]),
                    (high[axis], begin[axis] + size[axis]),
                ):
                    if first < last:
                        remaining.append(
                            (replaced(begin, axis, first), replaced(size, axis, last - first))
                        )
                begin = replaced(begin, axis, low[axis])
                size = replaced(size, axis, high[axis] - low[axis])
        left = remaining
    return left


def volume(boxes: Iterable[Region]) -> int:
    """How many elements boxes have, each counted for itself."""
    return sum(math.prod(spans) for _, spans in boxes)


def are_apart(boxes: Sequence[Region], shape: tuple[int, ...]) -> bool:
    """Whether boxes have no element in common."""
    left = volume(complement(shape, boxes))
    return left + volume(boxes) == math.prod(shape)


def replaced(values: tuple[int, ...], axis: int, value: int) -> tuple[int, ...]:
    """The same numbers, but one of them."""
    return (*values[:axis], value, *values[axis + 1 :])
