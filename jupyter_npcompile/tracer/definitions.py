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


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """``np.piecewise``: the original asks for the sizes of what its conditions select."""
    x = np.asanyarray(x)
    several = len(funclist)
    if np.isscalar(condlist) or (not isinstance(condlist[0], list | np.ndarray) and x.ndim != 0):
        condlist = [condlist]
    conditions = np.asarray(condlist, dtype=bool)
    if len(conditions) == several - 1:
        otherwise = ~np.any(conditions, axis=0, keepdims=True)
        conditions = np.concatenate([conditions, otherwise], axis=0)
    elif len(conditions) != several:
        raise ValueError("the numbers of conditions and functions do not match")
    result = np.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        if callable(function):
            result[condition] = function(x[condition], *args, **kw)
        else:
            result[condition] = function
    return result


def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * np.pi) -> Any:
    """``np.unwrap``: the original stores a constant where a step is half a period."""
    p = np.asarray(p)
    steps = np.diff(p, axis=axis)
    later = [slice(None)] * p.ndim
    later[axis] = slice(1, None)
    dtype = np.result_type(steps, period)
    high, odd = divmod(period, 2) if dtype.kind in "iu" else (period / 2, 0)
    low = -high
    moved = np.mod(steps - low, period) + low
    if odd == 0:
        np.copyto(moved, moved + period, where=(moved == low) & (steps > 0))
    correction = moved - steps
    np.copyto(correction, 0, where=np.abs(steps) < (period / 2 if discont is None else discont))
    unwrapped = np.array(p, copy=True, dtype=dtype)
    unwrapped[tuple(later)] = p[tuple(later)] + np.cumsum(correction, axis)
    return unwrapped


DEFINITIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "numpy.apply_along_axis": apply_along_axis,
        "numpy.piecewise": piecewise,
        "numpy.unwrap": unwrap,
    }
)
"""By operation."""


_GATHERED = ("edge", "wrap", "reflect", "symmetric")


def needs_source(op: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Whether a call of a function that has a lowering is better recorded through its source.

    Examples
    --------
    >>> needs_source("numpy.pad", ([1, 2], 1), {"mode": "mean"})
    True
    """
    if op != "numpy.pad":
        return False
    mode = args[2] if len(args) > 2 else kwargs.get("mode", "constant")
    options = kwargs.keys() - {"array", "pad_width", "mode"}
    return mode != "constant" and (mode not in _GATHERED or bool(options))


def is_definition(function: Any) -> bool:
    """Whether a function is one of this module.

    Examples
    --------
    >>> is_definition(apply_along_axis), is_definition(np.sum)
    (True, False)
    """
    return getattr(function, "__module__", None) == __name__
