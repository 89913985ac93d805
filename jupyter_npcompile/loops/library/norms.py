"""Norms, and whether arrays are close: what ends most loops that converge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.calls import array, axis_of, elements, of
from jupyter_npcompile.loops.kinds import ArrayType, Declined, Number
from jupyter_npcompile.loops.library import inner_products, reductions
from jupyter_npcompile.loops.values import Lazy, Ref, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


@of(np.linalg.norm)
def _norm(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) != 1 or set(kwargs) - {"axis", "keepdims"}:
        raise Declined("np.linalg.norm with these arguments")
    value = elements(args[0])
    if value.dtype != "float64":
        raise Declined("np.linalg.norm of these numbers")
    if axis_of(args, kwargs, 1) is not None:
        squares = elementwise.binary("multiply", *[elementwise.materialise(t.writer, value)] * 2)
        return t.called(np.sqrt, [t.called(np.sum, [squares], kwargs)], {})
    if kwargs:
        raise Declined("np.linalg.norm with these arguments")
    row = _row(t, value)
    made = inner_products.product(t.writer, row, row)
    assert isinstance(made, Scalar)
    return Scalar(f"math::sqrt({made.code})", Number("np", "float64"))


def _row(t: Names, value: Lazy) -> Ref:
    """All elements in one row."""
    ref = elementwise.materialise(t.writer, value)
    if ref.ndim == 1:
        return ref
    if ref.type.is_small:
        return reductions.flat(t.writer, ref)
    type = ArrayType(ref.dtype, ref.ndim, True)
    held = t.writer.name("a")
    t.writer.emit(f"{type.c} {held}({ref.code});")
    t.writer.emit(f"if (!{held}.contiguous()) {held} = dense(run, {held}, NPY_DOUBLE);")
    return reductions.flat(t.writer, Ref(held, type))


@of(np.allclose)
def _allclose(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 2:
        raise Declined("np.allclose with these arguments")
    values = [_double(array(arg)) for arg in args]
    if all(isinstance(value, Scalar) for value in values):
        raise Declined("np.allclose of numbers")
    acc = reductions.fold(
        t.writer,
        elementwise.apply("is_close({0}, {1})", values, "bool"),
        "{acc} = {acc} & {x};",
        "true",
        "bool",
    )
    return Scalar(acc, Number("py", "bool", 1))


def _double(value: Lazy | Scalar) -> Lazy | Scalar:
    """An operand of np.isclose, which compares in double precision."""
    if not isinstance(value, Scalar):
        if value.dtype == "float64":
            return value
    elif value.type.dtype == "float64" or (value.type.dtype == "int64" and value.type.bits <= 53):
        return elementwise.converted(value, "float64")
    raise Declined("np.allclose of these numbers")
