"""How long a loop takes for an element: whether several threads may share it depends on that."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from jupyter_npcompile.loops.values import Applied, Lazy, Ref, Scalar, walk

BYTE = 0.03
"""Nanoseconds for a byte that is read or written: what memory gives a thread."""

OPERATION, DIVISION, FUNCTION = 0.1, 0.5, 2.0
"""Nanoseconds for arithmetic in vectors: a sum, a quotient or a root, an exponential."""

_FUNCTION = re.compile(r"\bstd::(?!fabs|abs|sqrt|signbit|max|min|isnan|isinf|isfinite)\w+")
_DIVISION = re.compile(r"/|\bstd::sqrt\b|\bfloor_\w+|%")


def element_cost(values: Sequence[Lazy | Scalar], targets: Sequence[Ref]) -> float:
    """Nanoseconds that one thread takes at least for an element of a loop.

    Parameters
    ----------
    values : sequence
        What is computed.
    targets : sequence of Ref
        Where it goes.

    Examples
    --------
    >>> from jupyter_npcompile.loops.kinds import ArrayType
    >>> x, y = (Ref(name, ArrayType("float64", 1, True)) for name in "xy")
    >>> round(element_cost([Applied("std::exp({0})", (x,), "float64", 1)], [y]), 2)
    2.48
    """
    parts = [part for value in values for part in walk(value)]
    arrays = {part.code: part for part in (*parts, *targets) if isinstance(part, Ref)}
    moved = sum(np.dtype(array.dtype).itemsize for array in arrays.values())
    return BYTE * moved + sum(_cost(part) for part in parts if isinstance(part, Applied))


def _cost(value: Applied) -> float:
    if _FUNCTION.search(value.template):
        return FUNCTION
    return DIVISION if _DIVISION.search(value.template) else OPERATION
