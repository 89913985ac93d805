"""The first-run check: what a compiled segment gave, against what NumPy gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.tracer.memory import Array

ULPS = 512.0
"""Rounding differences up to this many units in the last place of the largest
element pass: compiled reductions add in another order."""


@dataclass(frozen=True, slots=True)
class Rounding:
    """How large rounding errors may be.

    Parameters
    ----------
    magnitude : float
        Of the largest number that went in.
    precision : float
        Relative spacing of the coarsest floating-point type in the graph.
    """

    magnitude: float = 0.0
    precision: float = 0.0


NO_ROUNDING = Rounding()
_NUMERIC = (np.ndarray, np.generic, int, float, complex)
_NOTHING = np.empty(0)


def precision(graph: Graph) -> float:
    """Relative spacing of the coarsest floating-point type in a graph."""
    types = {type.dtype for node in (*graph.inputs, *graph.nodes) for type in node.types}
    floats = [np.dtype(name) for name in types if np.dtype(name).kind in "fc"]
    return max((float(np.finfo(dtype).eps) for dtype in floats), default=0.0)


class DifferenceError(AssertionError):
    """A compiled result differs from NumPy's (``first_run_check="raise"``)."""


def difference(
    name: str,
    expected: Any,
    actual: Any,
    rounding: Rounding = NO_ROUNDING,
    inputs: frozenset[int] = frozenset(),
) -> str | None:
    """Say how a compiled value differs from NumPy's, or None when it does not.

    Type, dtype, shape, strides and flags must be the same, integers and
    booleans exactly equal; floating-point values may differ by rounding.

    Parameters
    ----------
    name : str
        What the value is called.
    expected, actual : object
        NumPy's value and the compiled one.
    rounding : Rounding
        What the value was computed from, to judge cancellation.
    inputs : frozenset of int
        ``id`` of arrays that stand for inputs: a replay passes inputs through.

    Examples
    --------
    >>> difference("y", np.float64(1.0), 1.0)
    'y: type float64 became float'
    >>> difference("y", np.arange(3), np.arange(3)) is None
    True
    """
    if id(expected) in inputs:
        return None
    if type(expected) is not type(actual):
        return f"{name}: type {type(expected).__name__} became {type(actual).__name__}"
    if isinstance(expected, tuple | list):
        if len(expected) != len(actual):
            return f"{name}: length {len(expected)} became {len(actual)}"
        found = (
            difference(f"{name}[{k}]", before, after, rounding, inputs)
            for k, (before, after) in enumerate(zip(expected, actual, strict=True))
        )
        return next(filter(None, found), None)
    if isinstance(expected, dict):
        if list(expected) != list(actual):
            return f"{name}: keys {list(expected)} became {list(actual)}"
        found = (
            difference(f"{name}[{k!r}]", expected[k], actual[k], rounding, inputs) for k in expected
        )
        return next(filter(None, found), None)
    if isinstance(expected, np.ndarray):
        return _layout(name, expected, actual) or _values(name, expected, actual, rounding)
    if isinstance(expected, np.generic | int | float | complex):
        return _values(name, np.asarray(expected), np.asarray(actual), rounding)
    return None


def _layout(name: str, expected: Array, actual: Array) -> str | None:
    if expected.dtype != actual.dtype:
        return f"{name}: dtype {expected.dtype} became {actual.dtype}"
    if expected.shape != actual.shape:
        return f"{name}: shape {expected.shape} became {actual.shape}"
    visible = [k for k, n in enumerate(expected.shape) if n > 1] if expected.size else []
    if any(expected.strides[k] != actual.strides[k] for k in visible):
        return f"{name}: strides {expected.strides} became {actual.strides}"
    if (expected.base is None) != (actual.base is None):
        before, after = ("owns its memory", "is a view")[:: 1 if expected.base is None else -1]
        return f"{name}: an array that {before} became one that {after}"
    return None


def _values(name: str, expected: Array, actual: Array, rounding: Rounding) -> str | None:
    if expected.dtype != actual.dtype:
        return f"{name}: dtype {expected.dtype} became {actual.dtype}"
    if expected.size == 0:
        return None
    if expected.dtype.kind not in "fc":
        wrong = expected != actual
    else:
        with np.errstate(all="ignore"):
            finite = np.isfinite(expected)
            largest = np.max(np.abs(expected), initial=0.0, where=finite)
            epsilon = max(float(np.finfo(expected.dtype).eps), rounding.precision)
            tolerance = ULPS * epsilon * max(float(largest), rounding.magnitude)
            close = np.abs(expected - actual) <= tolerance
            same = (expected == actual) | (np.isnan(expected) & np.isnan(actual))
            wrong = ~(same | (finite & np.isfinite(actual) & close))
    count = int(np.count_nonzero(wrong))
    if not count:
        return None
    index = tuple(int(k[0]) for k in np.nonzero(np.atleast_1d(wrong)))
    first = np.atleast_1d(expected)[index], np.atleast_1d(actual)[index]
    where = f"[{', '.join(map(str, index))}]" if expected.ndim else ""
    return (
        f"{name}: {count} of {expected.size} values differ, first {name}{where}: "
        f"{first[0]!s} became {first[1]!s}"
    )


def magnitude(values: Mapping[Any, Any]) -> float:
    """The largest finite magnitude among arrays and numbers: the scale of rounding errors."""
    largest = 0.0
    for value in values.values():
        array = np.asarray(value) if isinstance(value, _NUMERIC) else _NOTHING
        if array.dtype.kind in "fc" and array.size:
            with np.errstate(all="ignore"):
                finite = np.abs(array[np.isfinite(array)])
            largest = max(largest, float(np.max(finite, initial=0.0)))
    return largest
