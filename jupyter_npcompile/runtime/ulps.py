"""How far floating-point numbers lie apart, in units in the last place."""

from __future__ import annotations

import numpy as np

from jupyter_npcompile.tracer.memory import Array

_INTEGERS = {2: np.uint16, 4: np.uint32, 8: np.uint64}


def distance(expected: Array, actual: Array) -> int | None:
    """The largest number of steps between neighbouring values of two arrays.

    Exact: 1 for neighbours, 0 for equal values and for zeros of either sign;
    the infinities are the neighbours of the largest numbers. Elements where
    either is ``nan`` do not count.

    Parameters
    ----------
    expected, actual : numpy.ndarray
        Of the same dtype and shape.

    Returns
    -------
    int or None
        None when nothing can be counted: other dtypes, and nothing but ``nan``.

    Examples
    --------
    >>> distance(np.array([1.0, 2.0]), np.array([1.0, np.nextafter(2.0, 3.0)]))
    1
    >>> distance(np.float32([-0.0]), np.float32([0.0]))
    0
    >>> distance(np.array([1]), np.array([2])) is None
    True
    """
    if expected.dtype.kind == "c":
        parts = [distance(expected.real, actual.real), distance(expected.imag, actual.imag)]
        return max((part for part in parts if part is not None), default=None)
    if expected.dtype.kind != "f" or expected.dtype.itemsize not in _INTEGERS:
        return None
    counted = ~(np.isnan(expected) | np.isnan(actual))
    if not counted.any():
        return None
    before, after = _ordered(expected[counted]), _ordered(actual[counted])
    steps = np.where(before > after, before - after, after - before)
    return int(steps.max())


def _ordered(values: Array) -> Array:
    """Unsigned integers in the order of the floating-point values, without gaps."""
    unsigned = _INTEGERS[values.dtype.itemsize]
    bits = np.ascontiguousarray(values).view(unsigned)
    middle = unsigned(1 << (values.dtype.itemsize * 8 - 1))
    ordered: Array = np.where(bits >= middle, unsigned(0) - (bits - middle) + middle, bits + middle)
    return ordered
