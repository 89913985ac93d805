"""Calls that go along an axis: ``np.cumsum``, ``np.maximum.accumulate``, ``np.var``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise
from jupyter_npcompile.loops.calls import Call, axis_of, elements, flag_of, named, register
from jupyter_npcompile.loops.kinds import CTYPES, INT, Declined, Number
from jupyter_npcompile.loops.library import reductions
from jupyter_npcompile.loops.library.rearranging import reshaped
from jupyter_npcompile.loops.library.results import NONE, made, place_of, row_of
from jupyter_npcompile.loops.values import Items, Lazy, Ref, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

STEPS = {np.add: "Plus", np.multiply: "Times", np.maximum: "Most", np.minimum: "Least"}
"""What ``running.hpp`` has for ufuncs that accumulate."""


def accumulate(
    t: Names, ufunc: np.ufunc, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """``np.add.accumulate(x, axis)``."""
    given = named("accumulate", ("array", "axis"), args, kwargs)
    axis = given.get("axis", arithmetic.constant(0))
    return _along(t, ufunc, elements(given.get("array", NONE)), axis)


def _along(t: Names, ufunc: np.ufunc, value: Lazy, axis: Value) -> Ref:
    if ufunc not in STEPS:
        raise Declined(f"np.{ufunc.__name__}.accumulate")
    place = place_of(axis, value.ndim)
    kind = np.dtype(value.dtype).kind
    if kind == "c" and ufunc not in (np.add, np.multiply):
        raise Declined("an order of complex numbers")
    dtype = ufunc.accumulate(np.ones(1, value.dtype)).dtype
    c = CTYPES[dtype.name]
    ref = elementwise.materialise(t.writer, value)
    code = f"accumulated<{c}, {STEPS[ufunc]}>(run, {ref.code}, {place}, {dtype.num})"
    return made(t, code, dtype.name, ref.ndim)


def _sums(name: str, ufunc: np.ufunc) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        given = named(f"np.{name}", ("a", "axis"), args, kwargs, none=("axis",))
        value = elements(given.get("a", NONE))
        axis = given.get("axis", arithmetic.constant(0))
        if "axis" not in given and value.ndim > 1:
            value = row_of(t, elementwise.materialise(t.writer, value))
        return _along(t, ufunc, value, axis)

    return call


register(np.cumsum, _sums("cumsum", np.add))
register(np.cumprod, _sums("cumprod", np.multiply))


def _merged(t: Names, ref: Ref, axes: Items) -> tuple[Ref, int]:
    """The first axes, or the last ones, as one: a view where elements lie row by row."""
    places = sorted(place_of(axis, ref.ndim) for axis in axes.items)
    count = len(places)
    if len(set(places)) < count or not 0 < count < ref.ndim:
        raise Declined("these axes")
    lengths = [Scalar(f"{ref.code}.n[{d}]", INT) for d in range(ref.ndim)]
    rest: tuple[Value, ...]
    if places == list(range(count)):
        rest, place = (arithmetic.constant(-1), *lengths[count:]), 0
    elif places == list(range(ref.ndim - count, ref.ndim)):
        rest, place = (*lengths[:-count], arithmetic.constant(-1)), ref.ndim - count
    else:
        raise Declined("these axes")
    t.writer.emit(f"NEED(lies_in_rows({ref.code}));")
    return reshaped(t, ref, Items(rest)), place


def _spread(name: str) -> Call:
    """``np.var`` and ``np.std``."""

    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        if set(kwargs) - {"a", "axis", "ddof", "keepdims"} or not 1 <= len(args) <= 2:
            raise Declined(f"np.{name} with these arguments")
        w = t.writer
        value = elements(args[0])
        axis, keepdims = axis_of(args, kwargs, 1), flag_of(kwargs.get("keepdims"))
        ddof = kwargs.get("ddof", arithmetic.constant(0))
        kind = np.dtype(value.dtype).kind
        if not isinstance(ddof, Scalar) or ddof.type.kind not in "if" or kind == "c":
            raise Declined(f"np.{name} of these")
        ref = elementwise.materialise(w, value)
        dtype = ref.dtype if kind == "f" else "float64"
        c, number = CTYPES[dtype], np.dtype(dtype).num
        if axis is None or ref.ndim == 1:
            if keepdims:
                raise Declined(f"np.{name} with these arguments")
            if axis is not None:
                place_of(axis, 1)
            row = row_of(t, ref)
            where = f"{row.code}.p, {row.code}.s[0], {row.code}.n[0]"
            code = f"variance<{c}>({where}, (double){ddof.code})"
            code = f"math::sqrt({code})" if name == "std" else code
            return Scalar(w.hold(c, code), Number("np", dtype))
        if isinstance(axis, Items) and not keepdims:
            ref, place = _merged(t, ref, axis)
        else:
            place = place_of(axis, ref.ndim)
        code = f"variances<{c}>(run, {ref.code}, {place}, (double){ddof.code}, {number})"
        result = made(t, code, dtype, ref.ndim - 1)
        if name == "std":
            k = w.name("k")
            w.emit(
                f"for (i64 {k} = 0, n = {result.code}.size(); {k} < n; {k}++) "
                f"{result.code}.p[{k}] = math::sqrt({result.code}.p[{k}]);"
            )
        return reductions.keep(w, result, place) if keepdims else result

    return call


register(np.var, _spread("var"))
register(np.std, _spread("std"))
