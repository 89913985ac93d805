"""How far compiled numbers are from NumPy's, as a part of the largest."""

from __future__ import annotations

from typing import Any

import numpy as np

from jupyter_npcompile.runtime.check import blocks


def distance(expected: Any, actual: Any) -> float:
    """The largest difference of two values of the same form, as a part of the largest number.

    Parameters
    ----------
    expected, actual : object
        Arrays, numbers, and lists, tuples and dicts of them. What is not finite, or
        no floating-point number, counts as equal.

    Examples
    --------
    >>> distance([np.array([2.0, 4.0]), 1], [np.array([2.0, 4.5]), 1])
    0.125
    """
    if isinstance(expected, tuple | list):
        parts = [distance(*pair) for pair in zip(expected, actual, strict=False)]
        return max(parts, default=0.0)
    if isinstance(expected, dict):
        return max((distance(expected[key], actual[key]) for key in expected), default=0.0)
    if not isinstance(expected, np.ndarray | np.inexact | float | complex):
        return 0.0
    before, after = np.asarray(expected), np.asarray(actual)
    if before.dtype.kind not in "fc" or before.shape != after.shape or not before.size:
        return 0.0
    largest = furthest = 0.0
    with np.errstate(all="ignore"):
        for index in blocks(before):
            one, other = before[index], after[index]
            finite = np.isfinite(one) & np.isfinite(other)
            largest = max(largest, float(np.max(np.abs(one), initial=0.0, where=finite)))
            apart = np.abs(one - other)
            furthest = max(furthest, float(np.max(apart, initial=0.0, where=finite)))
    return furthest / largest if largest else 0.0
