"""Loops that are written with vectors of their own (``headers/lanes.hpp``), and which may be.

The compiler turns loops into vectors by itself. NumPy's maximum and minimum, which hand NaN on and
tell 0.0 from -0.0, become six instructions there, which wait for each other, and two here. And a
remainder, which is exact, becomes the call of a function for each element. Where an element takes
many sums, two vectors are computed in turns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from jupyter_npcompile.loops.costs import is_wide
from jupyter_npcompile.loops.kinds import CTYPES
from jupyter_npcompile.loops.values import Applied, Lazy, Ref, Scalar, dtype_of, walk

_EXTREMES = re.compile(r"\bnp_(max|min)\b")
_REMAINDER = re.compile(r"\bfloor_mod\b")

_KNOWN = re.compile(
    r"(?:\{\d+\}|[()\s,]|[-+*/](?=[\s{(])|<(?:double|float)>|\b(?:np_max|np_min|floor_mod)\b)*"
)
"""What vectors of our own can do."""

_SUM = re.compile(r"(?:\{\d+\}|[()\s]|[-+*](?=[\s{(]))*")
"""Sums, differences and products."""

_DTYPES = ("float64", "float32")


def lane_of(values: Sequence[Lazy | Scalar], targets: Sequence[Ref]) -> str:
    """The C++ type of some elements of a loop that gains by vectors of its own; else empty.

    ``Lanes<T>`` are as many as are in a register, ``Chains<T>`` those of two, in turns.

    Parameters
    ----------
    values : sequence
        What is computed.
    targets : sequence of Ref
        Where it goes.
    """
    parts = [part for value in values for part in walk(value)]
    dtypes = {dtype_of(part) for part in [*parts, *targets]}
    applied = [part for part in parts if isinstance(part, Applied)]
    if len(dtypes) != 1 or not dtypes <= {*_DTYPES}:
        return ""
    if not all(target.type.unit for target in targets):
        return ""
    if not all(isinstance(part, Applied | Ref | Scalar) for part in parts):
        return ""
    c = CTYPES[dtypes.pop()]
    if any(map(_gains, applied)):
        is_known = all(_KNOWN.fullmatch(part.template) for part in applied)
        return f"Lanes<{c}>" if is_known else ""
    is_long = is_wide(values) and all(_SUM.fullmatch(part.template) for part in applied)
    return f"Chains<{c}>" if is_long else ""


def _gains(value: Applied) -> bool:
    """Whether it is a remainder, or an extreme of two arrays.

    One of an array and a number is two instructions anyway.
    """
    if _REMAINDER.search(value.template):
        return True
    arrays = [operand for operand in value.operands if not isinstance(operand, Scalar)]
    return len(arrays) > 1 and _EXTREMES.search(value.template) is not None
