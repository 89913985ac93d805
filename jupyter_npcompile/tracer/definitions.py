"""NumPy functions in other words, where NumPy's own source cannot be recorded.

They are traced like NumPy's: what they call is what the graph holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index


def _places(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All indices of a shape, the last one running fastest."""
    found: list[tuple[int, ...]] = [()]
    for size in shape:
        found = [(*place, k) for place in found for k in range(size)]
    return found


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Any:
    """``np.apply_along_axis``: the original keeps its rows in an object of NumPy's C code."""
    x = np.asanyarray(arr)
    axis = normalize_axis_index(axis, x.ndim)
    axes = list(range(x.ndim))
    rows = np.transpose(x, axes[:axis] + axes[axis + 1 :] + [axis])
    places = _places(rows.shape[:-1])
    if not places:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    first = np.asanyarray(func1d(rows[places[0]], *args, **kwargs))
    results = np.zeros(rows.shape[:-1] + first.shape, first.dtype)
    results[places[0]] = first
    for place in places[1:]:
        results[place] = np.asanyarray(func1d(rows[place], *args, **kwargs))
    dims = list(range(results.ndim))
    inner = results.ndim - first.ndim
    return np.transpose(results, dims[:axis] + dims[inner:] + dims[axis:inner])


DEFINITIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {"numpy.apply_along_axis": apply_along_axis}
)
"""By operation."""


def is_definition(function: Any) -> bool:
    """Whether a function is one of this module.

    Examples
    --------
    >>> is_definition(apply_along_axis), is_definition(np.sum)
    (True, False)
    """
    return getattr(function, "__module__", None) == __name__
