"""Arrays and numbers as Python source."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jupyter_npcompile.tracer.memory import Array

_DEFAULTS = {"bool", "int64", "float64", "complex128"}
"""Dtypes that ``np.array`` finds by itself."""


def source(value: Any) -> str:
    """Write a value so that Python makes it again, dtype and memory order included.

    Strides that no simple expression gives are those of the nearest one.

    Examples
    --------
    >>> source(np.array([1, 2], np.int8))
    'np.array([1, 2], dtype=np.int8)'
    >>> source(np.float32(0.1)), source(np.zeros((2, 0)))
    ('np.float32(0.1)', 'np.zeros((2, 0))')
    >>> source(np.array([1.0, np.nan])[::-1])
    'np.array([1.0, np.nan])[::-1]'
    """
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        return f"{dtype_source(value.dtype)}({number_source(value)})"
    if isinstance(value, float | complex):
        return number_source(value)
    if isinstance(value, tuple):
        inside = ", ".join(source(item) for item in value)
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, list):
        return f"[{', '.join(source(item) for item in value)}]"
    return repr(value)


def dtype_source(dtype: np.dtype[Any]) -> str:
    """Write a dtype.

    Examples
    --------
    >>> dtype_source(np.dtype("bool")), dtype_source(np.dtype("int8"))
    ('np.bool_', 'np.int8')
    """
    return "np.bool_" if dtype.name == "bool" else f"np.{dtype.name}"


def number_source(value: Any) -> str:
    """Write a number, the shortest way that gives it back.

    Examples
    --------
    >>> number_source(np.float32(0.1)), number_source(-math.inf), number_source(1 - 2j)
    ('0.1', '-np.inf', '(1-2j)')
    """
    if isinstance(value, complex | np.complexfloating):
        parts = value.real, value.imag
        if all(math.isfinite(part) for part in parts):
            return repr(complex(value))
        return f"complex({number_source(value.real)}, {number_source(value.imag)})"
    if isinstance(value, float | np.floating):
        if math.isnan(value):
            return "np.nan"
        if math.isinf(value):
            return "np.inf" if value > 0 else "-np.inf"
        short = float(str(value)) if isinstance(value, np.floating) else float(value)
        return repr(short if type(value)(short) == value else float(value))
    return repr(value.item() if isinstance(value, np.generic) else value)


def _array(array: Array) -> str:
    turned = [k for k, stride in enumerate(array.strides) if stride < 0 and array.shape[k] > 1]
    if turned:
        index = ", ".join("::-1" if k in turned else ":" for k in range(max(turned) + 1))
        return f"{_array(np.flip(array, tuple(turned)))}[{index}]"
    steps = _steps(array)
    if steps is not None:
        # Every second (third ...) element of an array of copies.
        wide = np.repeat(array, steps, axis=-1)
        return f"{_dense(wide)}[{'..., ' if array.ndim > 1 else ''}::{steps}]"
    if not array.flags.c_contiguous and array.size:
        if array.T.flags.c_contiguous:
            return f"{_dense(array.T)}.T"
        first = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in array.strides)
        if array[first].size < array.size:
            return f"np.broadcast_to({_array(array[first])}, {array.shape})"
    return _dense(array)


def _steps(array: Array) -> int | None:
    """The step along the last axis of an array that has gaps there and nowhere else."""
    if not array.ndim or array.shape[-1] < 2:
        return None
    step, rest = divmod(array.strides[-1], array.itemsize)
    if step < 2 or rest:
        return None
    wide = np.repeat(array, step, axis=-1)
    return step if wide[..., ::step].strides == array.strides else None


def _dense(array: Array) -> str:
    if array.size == 0:
        kind = "" if array.dtype == float else f", dtype={dtype_source(array.dtype)}"
        return f"np.zeros({array.shape}{kind})"
    given = _nested(array)
    kind = "" if array.dtype.name in _DEFAULTS else f", dtype={dtype_source(array.dtype)}"
    return f"np.array({given}{kind})"


def _nested(array: Any) -> str:
    if np.ndim(array) == 0:
        return number_source(array[()])
    return f"[{', '.join(_nested(part) for part in array)}]"
