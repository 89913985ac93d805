"""Copies of arrays that lie in memory as these do.

Whether ``x.ravel()`` is a view, and in which order ``x.ravel(order="A")`` goes, follows from how
an array lies: a copy that is to stand for it must have gaps where it has gaps.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def copy_as_it_lies(array: Any) -> Any:
    """The same elements in memory of their own.

    Examples
    --------
    >>> x = np.arange(12.0).reshape(3, 4)[:, ::2]
    >>> copy = copy_as_it_lies(x)
    >>> copy.tolist() == x.tolist(), copy.strides == x.strides, np.shares_memory(copy, x)
    (True, True, False)
    """
    if array.flags.forc:
        return array.copy(order="K")
    made = memory_like(array)
    made[...] = array
    return made


def memory_like(array: Any) -> Any:
    """Memory for elements that lie as those of an array do.

    Where elements of the array share memory, those of the result do not.

    Examples
    --------
    >>> memory_like(np.ones((4, 6))[::-2, ::3].T).strides
    (24, -96)
    >>> memory_like(np.broadcast_to(np.arange(3.0), (2, 3))).flags.contiguous
    False
    """
    if array.flags.forc or type(array) is not np.ndarray or array.dtype.kind not in "biufc":
        return np.empty_like(array)
    size = array.dtype.itemsize
    steps = [(n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True)]
    first, last = sum(min(step, 0) for step in steps), sum(max(step, 0) for step in steps)
    if any(stride % size for stride in array.strides) or _repeats(array):
        wide = np.empty((*(n + 1 for n in array.shape), 2), array.dtype)
        inside: tuple[Any, ...] = (*map(slice, array.shape), 0)
        return wide[inside]  # neither it nor its rows are contiguous
    memory = np.empty((last - first) // size + 1, array.dtype)
    return np.ndarray(array.shape, array.dtype, memory, -first, array.strides)


def _repeats(array: Any) -> bool:
    """Whether elements may share memory."""
    extent = 0
    axes = zip(array.shape, array.strides, strict=True)
    for stride, n in sorted((abs(stride), n) for n, stride in axes if n > 1):
        if stride <= extent:
            return True
        extent += (n - 1) * stride
    return False
