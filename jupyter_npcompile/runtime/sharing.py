"""Which arrays of a result share memory with others."""

from __future__ import annotations

from typing import Any

import numpy as np


def shares(value: Any, inputs: list[Any]) -> list[tuple[bool, bool]]:
    """How the arrays in a result are related to the arguments, and to each other."""
    arrays = arrays_in(value)
    others = [*(value for value in inputs if type(value) is np.ndarray), *arrays]
    return [(a is b, np.may_share_memory(a, b)) for a in arrays for b in others]


def are_new(arrays: list[Any], inputs: list[Any]) -> bool:
    """Whether no array is a view, or one of the inputs.

    Examples
    --------
    >>> x = np.ones(3)
    >>> are_new([x + 1], [x]), are_new([x + 1, x], [x]), are_new([x[1:]], [])
    (True, False, False)
    """
    return all(
        array.base is None and not any(array is value for value in inputs) for array in arrays
    )


def arrays_in(value: Any) -> list[Any]:
    """The arrays in a result.

    Examples
    --------
    >>> len(arrays_in((np.ones(2), [3, {"a": np.ones(3)}])))
    2
    """
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, tuple | list):
        return [array for item in value for array in arrays_in(item)]
    return [value] if type(value) is np.ndarray else []
