"""Calls that make arrays: ``np.zeros``, ``np.array`` and their like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise
from jupyter_npcompile.loops.calls import Call, elements, of, register
from jupyter_npcompile.loops.kinds import CTYPES, Declined
from jupyter_npcompile.loops.library import stacks
from jupyter_npcompile.loops.values import (
    Applied,
    Gathered,
    Items,
    Known,
    Listed,
    Ref,
    Scalar,
    Value,
)

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


def dtype_named(value: Value | None, default: str) -> str:
    """The dtype that an argument names."""
    if value is None or (isinstance(value, Known) and value.value is None):
        return default
    if isinstance(value, Known):
        try:
            name = np.dtype(value.value).name
        except TypeError:
            raise Declined("a dtype that is not known") from None
        if name in CTYPES and np.dtype(value.value).isnative:
            return str(name)
    raise Declined("a dtype that native loops do not have")


KNOWN = 64
"""Lengths that are known while a loop is translated, at most; others are computed."""


def shape_named(t: Names, value: Value) -> list[str]:
    """The dimensions that an argument names."""
    items = value.items if isinstance(value, Items) else (value,)
    dims = []
    for item in items:
        if not isinstance(item, Scalar) or item.type.kind not in "iu" or item.type.mixed:
            raise Declined("a shape that is not known")
        if type(item.const) is int and 0 <= item.const <= KNOWN:
            dims.append(str(item.const))
            continue
        dims.append(t.writer.hold("i64", f"(i64){item.code}", "n"))
        t.writer.emit(f"NEED({dims[-1]} >= 0);")
    if not dims:
        raise Declined("an array without dimensions")
    return dims


def _filled(t: Names, dtype: str, dims: Sequence[str], number: Scalar | None) -> Ref:
    made = elementwise.new(t.writer, dtype, dims)
    if number is not None:
        stored = elementwise.converted(number, dtype)
        elementwise.fill(t.writer, made, dims, stored)
    return made


def _maker(name: str, start: int | None) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        if set(kwargs) - {"dtype"} or not 1 <= len(args) <= 2:
            raise Declined(f"np.{name} with these arguments")
        dtype = dtype_named(args[1] if len(args) > 1 else kwargs.get("dtype"), "float64")
        number = None if start is None else arithmetic.constant(start)
        return _filled(t, dtype, shape_named(t, args[0]), number)

    return call


def _like(name: str, start: int | None) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        if set(kwargs) - {"dtype"} or len(args) != 1:
            raise Declined(f"np.{name} with these arguments")
        value = elements(args[0])
        dtype = dtype_named(kwargs.get("dtype"), value.dtype)
        number = None if start is None else arithmetic.constant(start)
        return _filled(t, dtype, elementwise.shape_of(t.writer, value), number)

    return call


for _name, _start in (("zeros", 0), ("ones", 1), ("empty", None)):
    register(getattr(np, _name), _maker(_name, _start))
    register(getattr(np, f"{_name}_like"), _like(f"{_name}_like", _start))


@of(np.full)
def _full(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if set(kwargs) - {"dtype"} or not 2 <= len(args) <= 3 or not isinstance(args[1], Scalar):
        raise Declined("np.full with these arguments")
    if args[1].type.is_tagged:
        raise Declined("a number that is Python's or NumPy's, as it comes")
    given = args[2] if len(args) > 2 else kwargs.get("dtype")
    dtype = dtype_named(given, args[1].type.dtype)
    return _filled(t, dtype, shape_named(t, args[0]), args[1])


@of(np.full_like)
def _full_like(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if set(kwargs) - {"dtype"} or len(args) != 2 or not isinstance(args[1], Scalar):
        raise Declined("np.full_like with these arguments")
    value = elements(args[0])
    dtype = dtype_named(kwargs.get("dtype"), value.dtype)
    kinds = "biufc"
    if kinds.index(np.dtype(dtype).kind) < kinds.index(args[1].type.kind):
        raise Declined("np.full_like with a number of a wider type")
    return _filled(t, dtype, elementwise.shape_of(t.writer, value), args[1])


@of(np.asarray)
def _asarray(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = args[0] if len(args) == 1 and not set(kwargs) - {"dtype"} else None
    if isinstance(given, Ref) and dtype_named(kwargs.get("dtype"), given.dtype) == given.dtype:
        return given
    return array_call(t, args, kwargs)


@of(np.array)
def array_call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """``np.array``."""
    if set(kwargs) - {"dtype"} or len(args) != 1:
        raise Declined("np.array with these arguments")
    value = args[0]
    if isinstance(value, Listed):
        given = kwargs.get("dtype")
        return stacks.as_array(t, value, None if given is None else dtype_named(given, ""))
    if isinstance(value, (Ref, Applied, Gathered)):
        dtype = dtype_named(kwargs.get("dtype"), value.dtype)
        shape = elementwise.shape_of(t.writer, value)
        return elementwise.copied(t.writer, elementwise.converted(value, dtype), shape)
    if not isinstance(value, Items) or not value.items:
        raise Declined("np.array with these arguments")
    rows = [item for item in value.items if isinstance(item, Items)]
    if len(rows) == len(value.items) and len({len(row.items) for row in rows}) == 1:
        parts = [item for row in rows for item in row.items]
        return _displayed(t, parts, [str(len(rows)), str(len(rows[0].items))], kwargs)
    arrays = [item for item in value.items if isinstance(item, (Ref, Applied, Gathered))]
    if len(arrays) == len(value.items) and not kwargs:
        return stacks.stacked(t, arrays)
    return _displayed(t, value.items, [str(len(value.items))], kwargs)


def _displayed(
    t: Names, values: Sequence[Value], dims: Sequence[str], kwargs: Mapping[str, Value]
) -> Ref:
    """A new array of numbers, one row after the other."""
    items = [item for item in values if isinstance(item, Scalar)]
    if not items or len(items) != len(values) or any(item.type.mixed for item in items):
        raise Declined("np.array of these")
    common = np.result_type(*(np.dtype(item.type.dtype) for item in items)).name
    dtype = dtype_named(kwargs.get("dtype"), common)
    made = elementwise.new(t.writer, dtype, dims)
    for place, item in enumerate(items):
        stored = elementwise.converted(item, dtype)
        assert isinstance(stored, Scalar)
        t.writer.emit(f"{made.code}.p[{place}] = {stored.code};")
    return made


@of(np.arange)
def _arange(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or not 1 <= len(args) <= 2:
        raise Declined("np.arange with these arguments")
    scalars = [arg for arg in args if isinstance(arg, Scalar)]
    if len(scalars) != len(args) or any(s.type.dtype != "int64" or s.type.mixed for s in scalars):
        raise Declined("np.arange of no integers")
    start = f"(i64){scalars[0].code}" if len(scalars) == 2 else "0"
    w = t.writer
    first = w.hold("i64", start)
    n = w.hold("i64", f"math::max<i64>(checked_sub<i64>((i64){scalars[-1].code}, {first}), 0)", "n")
    made = elementwise.new(w, "int64", [n])
    k = w.name("k")
    w.emit(f"for (i64 {k} = 0; {k} < {n}; {k}++) {made.code}.p[{k}] = {first} + {k};")
    return made


@of(np.copy)
def _copy(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1:
        raise Declined("np.copy with these arguments")
    return elementwise.copied(t.writer, elements(args[0]))
