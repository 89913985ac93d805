"""How often NumPy rounds while it adds up: once for each row, or hardly at all.

Along the axis whose elements lie closest together, NumPy adds in pairs (half precision in
single). What remains is added row by row, in the dtype of the result: of 5 000 half-precision
numbers that are 0.1, the sum is 256. A kernel adds in another order, and with more digits; so
where there are many rows, and few digits, only NumPy's own sum is NumPy's sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.values import Owner, Value

LOW = "efF"
"""Dtypes of few digits: half and single precision, and complex numbers of the latter."""

HALF = np.dtype("float16")

ROWS = 512
"""As many rows in single precision round to what the first comparison takes for rounding."""


class Present(Owner):
    """A mask of what is there at all: NumPy puts zero in the place of the rest, and adds that."""


def demand_few(
    trace: Trace, x: Value, dtype: np.dtype, axes: Sequence[int], where: object = True
) -> None:
    """Make sure that a sum is NumPy's, whatever the numbers are.

    Parameters
    ----------
    trace : Trace
        Where it is lowered.
    x : Value
        What is added up.
    dtype : numpy.dtype
        In which NumPy adds.
    axes : sequence of int
        Over which.
    where : object
        The mask: NumPy begins anew at each of its gaps.

    Raises
    ------
    UnsupportedError
        When NumPy rounds too often.
    """
    if dtype.char not in LOW or not axes:
        return
    gaps = where is not True and not isinstance(where, Present)
    several = gaps or (dtype == HALF and x.dtype != HALF)
    demand_count(
        trace,
        dtype,
        math.prod(x.shape[k] for k in axes) if several else in_turn(x.shape, x.strides, axes),
    )


def demand_count(trace: Trace, dtype: np.dtype, count: int) -> None:
    """Make sure that NumPy adds only so many numbers or rows one after the other."""
    if dtype.char not in LOW or trace.regroups:
        return
    if dtype == HALF and count > 1:
        trace.unsupported("half precision is added up row by row, and rounded each time")
    if count > ROWS:
        trace.unsupported(f"more than {ROWS} rows in single precision, each of which is rounded")


def in_turn(shape: Sequence[int], strides: Sequence[int], axes: Sequence[int]) -> int:
    """How many parts of a sum NumPy adds one after the other.

    Examples
    --------
    >>> in_turn((5, 3), (12, 4), (0,)), in_turn((5, 3), (12, 4), (1,))
    (5, 1)
    >>> in_turn((5, 3), (12, 4), (0, 1)), in_turn((5, 3), (24, 4), (0, 1))
    (1, 5)
    >>> in_turn((5, 3), (), (1,))
    3
    """
    if len(strides) != len(shape):
        return math.prod(shape[k] for k in axes)
    order = sorted((k for k, n in enumerate(shape) if n != 1), key=lambda k: (abs(strides[k]), -k))
    if order and order[0] in axes:
        last = order.pop(0)
        while order and order[0] in axes and strides[order[0]] == strides[last] * shape[last]:
            last = order.pop(0)
    return math.prod(shape[k] for k in order if k in axes)
