"""Samples of large results, for a check that cannot hold both sides."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.check import Mismatch, Rounding, layout_mismatches, mismatches
from jupyter_npcompile.tracer.memory import Array

KEPT = 2**18
"""Elements of an array that are compared, about; and as many at both ends together at most."""

ENDS = 2**12
"""Elements at each end of the memory, where loops over vectors begin and end."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Some elements of an array, and how it lies in memory.

    Parameters
    ----------
    dtype : numpy.dtype
        Of its elements.
    shape, strides : tuple of int
        As the array has them.
    is_view : bool
        Whether it views the memory of another.
    values : numpy.ndarray
        Every so many elements, in the order of its axes, and all those at both ends.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    is_view: bool
    values: Array

    @property
    def size(self) -> int:
        """How many elements the array has."""
        return math.prod(self.shape)

    @property
    def base(self) -> Sample | None:
        """None where the array owns its memory."""
        return self if self.is_view else None

    @classmethod
    def of(cls, array: Array) -> Sample:
        """Take a sample; small arrays are copied whole."""
        values = array.flat
        if array.size <= KEPT + 2 * ENDS:
            taken = array.flatten()
        else:
            step = array.size // KEPT | 1
            parts = values[:ENDS], values[ENDS:-ENDS:step], values[-ENDS:]
            taken = np.concatenate(parts)
        return cls(array.dtype, array.shape, array.strides, array.base is not None, taken)


def sampled(value: Any) -> Any:
    """The same value, nested or not, with samples in place of arrays.

    Examples
    --------
    >>> sampled([np.arange(3), 2])[0].shape
    (3,)
    """
    if type(value) in (tuple, list):
        return type(value)(sampled(item) for item in value)
    if type(value) is dict:
        return {key: sampled(item) for key, item in value.items()}
    return Sample.of(value) if isinstance(value, np.ndarray) else value


def sample_mismatches(
    name: str, expected: Any, actual: Any, rounding: Rounding
) -> Iterator[Mismatch]:
    """As `mismatches`, for what `sampled` made.

    Examples
    --------
    >>> from jupyter_npcompile.runtime.check import NO_ROUNDING
    >>> one, other = sampled(np.zeros(3)), sampled(np.array([0.0, 1.0, 0.0]))
    >>> [str(found) for found in sample_mismatches("y", one, other, NO_ROUNDING)]
    ['y: 1 of 3 values differ, first y[1]: 0.0 became 1.0']
    """
    if isinstance(expected, Sample) and isinstance(actual, Sample):
        yield from layout_mismatches(name, expected, actual)
        if (expected.dtype, expected.shape) == (actual.dtype, actual.shape):
            yield from mismatches(name, expected.values, actual.values, rounding)
    elif isinstance(expected, tuple | list) and type(expected) is type(actual):
        for k, (before, after) in enumerate(zip(expected, actual, strict=False)):
            yield from sample_mismatches(f"{name}[{k}]", before, after, rounding)
        if len(expected) != len(actual):
            yield from mismatches(name, [0] * len(expected), [0] * len(actual), rounding)
    elif isinstance(expected, dict) and list(expected) == list(actual):
        for key in expected:
            inner = f"{name}[{key!r}]"
            yield from sample_mismatches(inner, expected[key], actual[key], rounding)
    else:
        yield from mismatches(name, expected, actual, rounding)
