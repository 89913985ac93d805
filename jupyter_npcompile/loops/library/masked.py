"""Ufuncs that compute some elements only: ``np.divide(a, b, out=c, where=b != 0)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise
from jupyter_npcompile.loops.calls import array, elements
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.values import Lazy, Ref, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

OF_ONES: tuple[np.ufunc, ...] = (
    *(np.add, np.subtract, np.multiply, np.true_divide, np.floor_divide, np.remainder, np.power),
    *(np.sqrt, np.exp, np.log, np.log2, np.log10, np.log1p, np.reciprocal, np.square, np.arctan2),
    *(np.hypot, np.maximum, np.minimum, np.absolute, np.sin, np.cos, np.tanh),
)
"""Ufuncs that warn of nothing where their arguments are ones."""


def call(
    t: Names, ufunc: np.ufunc, args: Sequence[Value], kwargs: Mapping[str, Value], out: Value
) -> Value:
    """Write a call with ``out=`` and ``where=``.

    What is not asked for is computed of ones, for floating-point flags tell nobody where they
    come from, and is then not stored.
    """
    name = f"np.{ufunc.__name__} with where="
    if ufunc not in OF_ONES or set(kwargs) != {"where"} or not isinstance(out, Ref):
        raise Declined(name, t.line)
    mask = elementwise.materialise(t.writer, elements(kwargs["where"]))
    if mask.dtype != "bool" or len(args) != ufunc.nin:
        raise Declined(name, t.line)
    operands = [_or_one(t, mask, array(arg)) for arg in args]
    made = array(t.called(ufunc, operands, {}))
    stored = elementwise.converted(made, out.dtype, same_kind=True)
    elementwise.store(t.writer, out, array(t.called(np.where, [mask, stored, out], {})))
    t.note_write(out)
    return out


def _or_one(t: Names, mask: Ref, value: Lazy | Scalar) -> Lazy | Scalar:
    """An operand, with ones where it is not asked for."""
    if isinstance(value, Scalar):
        return value
    if value.dtype == "bool":
        raise Declined("where= of truth values", t.line)
    return array(t.called(np.where, [mask, value, arithmetic.constant(1)], {}))
