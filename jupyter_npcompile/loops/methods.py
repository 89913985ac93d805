"""Methods and attributes of arrays and numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise
from jupyter_npcompile.loops.calls import elements, number
from jupyter_npcompile.loops.creation import dtype_named
from jupyter_npcompile.loops.kinds import PYTHON, Declined, Number
from jupyter_npcompile.loops.products import product
from jupyter_npcompile.loops.random_numbers import draw
from jupyter_npcompile.loops.rearranging import reshaped, transposed
from jupyter_npcompile.loops.summaries import reduction
from jupyter_npcompile.loops.values import (
    Applied,
    Gathered,
    Items,
    Known,
    Lazy,
    Ref,
    Scalar,
    Source,
    Value,
)

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

METHODS: dict[str, Callable[[Names, Lazy, Sequence[Value], Mapping[str, Value]], Value]] = {}


for _name in ("sum", "mean", "max", "min", "any", "all", "argmax", "argmin"):

    def _method(
        t: Names,
        owner: Lazy,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        name: str = _name,
    ) -> Value:
        return reduction(t, name, [owner, *args], kwargs)

    METHODS[_name] = _method


def _method_copy(
    t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if args or kwargs:
        raise Declined("copy with these arguments")
    return elementwise.copied(t.writer, owner)


def _method_dot(t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) != 1 or kwargs:
        raise Declined("dot with these arguments")
    return product(t, owner, elements(args[0]))


def _method_astype(
    t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if len(args) != 1 or kwargs:
        raise Declined("astype with these arguments")
    dtype = dtype_named(args[0], "")
    shape = elementwise.shape_of(t.writer, owner)
    return elementwise.copied(t.writer, elementwise.converted(owner, dtype), shape)


def _method_fill(
    t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if len(args) != 1 or kwargs or not isinstance(owner, Ref):
        raise Declined("fill with these arguments")
    elementwise.store(t.writer, owner, elementwise.converted(number(args[0]), owner.dtype))
    t.note_write(owner)
    return Known(None)


def _method_reshape(
    t: Names, owner: Lazy, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if kwargs or not args:
        raise Declined("reshape with these arguments")
    return reshaped(t, owner, args[0] if len(args) == 1 else Items(tuple(args)))


METHODS["reshape"] = _method_reshape


METHODS["copy"] = _method_copy


METHODS["dot"] = _method_dot


METHODS["astype"] = _method_astype


METHODS["fill"] = _method_fill


def method(
    t: Names, owner: Value, name: str, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """Call a method of an array, a number or a random generator."""
    if isinstance(owner, Source):
        return draw(t, owner, name, args, kwargs)
    if isinstance(owner, (Ref, Gathered, Applied)) and name in METHODS:
        return METHODS[name](t, owner, args, kwargs)
    if (
        isinstance(owner, Scalar)
        and name == "item"
        and not args
        and owner.type.origin == "np"
        and owner.type.dtype in PYTHON
    ):
        return Scalar(owner.code, Number("py", owner.type.dtype, owner.type.bits))
    raise Declined(f"the method {name}")


def attribute(t: Names, owner: Value, name: str) -> Value | None:
    """An attribute of an array; None when it is none that is known."""
    if isinstance(owner, (Ref, Gathered, Applied)):
        if name == "shape":
            dims = elementwise.shape_of(t.writer, owner)
            return Items(tuple(Scalar(d, Number("py", "int64", 40)) for d in dims))
        if name == "size":
            dims = elementwise.shape_of(t.writer, owner)
            return Scalar(f"({' * '.join(dims)})", Number("py", "int64", 40))
        if name == "ndim":
            return arithmetic.constant(owner.ndim)
        if name == "dtype":
            return Known(np.dtype(owner.dtype))
        if name == "T":
            return transposed(t, owner)
        if name in ("real", "imag") and owner.dtype == "complex128":
            return elementwise.apply(f"{{0}}.{name[:2]}", (owner,), "float64")
    if isinstance(owner, Scalar) and name in ("real", "imag") and owner.type.dtype == "complex128":
        code = f"{owner.code}.{name[:2]}"
        return Scalar(code, Number(owner.type.origin, "float64"), owner.tag)
    return None
