"""How long a loop takes for an element: whether several threads may share it depends on that."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from jupyter_npcompile.loops.values import Applied, Lazy, Ref, Scalar, walk

BYTE = 0.02
"""Nanoseconds for a byte that is read or written: from memory 0.03, from a cache 0.005."""

OPERATION, DIVISION, REMAINDER, FUNCTION = 0.02, 0.1, 0.5, 0.6
"""Nanoseconds for arithmetic on eight bytes, in vectors: a sum, a quotient or a root, a quotient
without its remainder, an exponential."""

WIDE = 24
"""Sums and products of an element, from which on they take longer than to read and write it."""

_KINDS = (
    (re.compile(r"\bmath::(?!fabs|abs|sqrt|signbit|max|min|isnan|isinf|isfinite)\w+"), FUNCTION),
    (re.compile(r"\branked<"), FUNCTION),
    (re.compile(r"\bfloor_\w+|%"), REMAINDER),
    (re.compile(r"/|\bmath::sqrt\b"), DIVISION),
)


def element_cost(values: Sequence[Lazy | Scalar], arrays: Sequence[Ref]) -> float:
    """Nanoseconds that one thread takes at least for an element of a loop.

    Parameters
    ----------
    values : sequence
        What is computed.
    arrays : sequence of Ref
        What is read and written in memory.

    Examples
    --------
    >>> from jupyter_npcompile.loops.kinds import ArrayType
    >>> x, y = (Ref(name, ArrayType("float64", 1, True)) for name in "xy")
    >>> round(element_cost([Applied("math::exp({0})", (x,), "float64", 1)], [x, y]), 2)
    0.92
    """
    # By identity: what is used twice is computed once.
    parts = {id(part): part for value in values for part in walk(value)}.values()
    sizes = {ref.code: np.dtype(ref.dtype).itemsize for ref in arrays if ref.ndim}
    done = sum(_cost(part) for part in parts if isinstance(part, Applied))
    return BYTE * sum(sizes.values()) + done


def is_wide(values: Sequence[Lazy | Scalar]) -> bool:
    """Whether the widest vectors that a processor has are worth it.

    By itself g++ takes half of them where a processor has 512 bits: some run slower while they
    use all. That is right where memory or divisions decide, and not for a stencil of 27 points.

    Parameters
    ----------
    values : sequence
        What is computed for an element.

    Examples
    --------
    >>> from jupyter_npcompile.loops.kinds import ArrayType
    >>> total = Ref("x", ArrayType("float64", 1, True))
    >>> for _ in range(WIDE):
    ...     total = Applied("({0} + {0})", (total,), "float64", 1)
    >>> is_wide([total]), is_wide([total.operands[0]])
    (True, False)
    """
    parts = {id(part): part for value in values for part in walk(value)}.values()
    done = [part for part in parts if isinstance(part, Applied)]
    return len(done) >= WIDE and all(_kind(part) == OPERATION for part in done)


def _cost(value: Applied) -> float:
    return _kind(value) * np.dtype(value.dtype).itemsize / 8


def _kind(value: Applied) -> float:
    known = (cost for pattern, cost in _KINDS if pattern.search(value.template))
    return next(known, OPERATION)
