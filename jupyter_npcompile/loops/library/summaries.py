"""Calls that sum up an array: ``np.sum``, ``np.max`` and their like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.calls import (
    Call,
    array,
    axis_of,
    elements,
    flag_of,
    integer,
    of,
    register,
)
from jupyter_npcompile.loops.kinds import CTYPES, Declined, Number
from jupyter_npcompile.loops.library import layers, reductions
from jupyter_npcompile.loops.library.blocks import along_several
from jupyter_npcompile.loops.library.creation import array_call
from jupyter_npcompile.loops.library.results import row_of
from jupyter_npcompile.loops.values import Items, Lazy, Ref, Scalar, Value
from jupyter_npcompile.loops.writer import Writer

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


def reduction(t: Names, name: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """``sum``, ``mean``, ``max``, ``min``, ``any``, ``all``, ``argmax``, ``argmin``."""
    if set(kwargs) - {"axis", "keepdims"} or len(args) > 2:
        raise Declined(f"{name} with these arguments")
    given = args[0]
    value = array(array_call(t, [given], {}) if isinstance(given, Items) else given)
    axis = axis_of(args, kwargs, 1)
    if isinstance(axis, Items):
        return _along_several(t, name, elements(value), axis, kwargs)
    keepdims = flag_of(kwargs.get("keepdims"))
    w = t.writer
    if isinstance(value, Scalar):
        raise Declined(f"{name} of a number")
    if name.startswith("arg"):
        if keepdims:
            raise Declined(f"np.{name} with these arguments")
        if axis is not None and value.ndim > 1:
            return reductions.places_of_extremes(w, value, name[3:], _place(axis, value))
        if axis is not None and integer(axis) not in (0, -1):
            raise Declined(f"np.{name} with these arguments")
        if value.ndim > 1:
            value = row_of(t, elementwise.materialise(w, value))
        return reductions.place_of_extreme(w, value, name[3:])
    mean = name == "mean"
    kind = np.dtype(value.dtype).kind
    dtype = "float64" if mean and kind in "biu" else None
    if mean and dtype is None and value.dtype == "float32":
        raise Declined("np.mean of float32")
    if axis is None or value.ndim == 1:
        if (axis is not None and integer(axis) not in (0, -1)) or keepdims:
            raise Declined(f"{name} with these arguments")
        if mean:
            made = reductions.total(w, value, dtype)
            size = f"({' * '.join(elementwise.shape_of(w, value))})"
            w.emit(f"NEED({size} > 0);")
            c = CTYPES[made.type.dtype]
            over = (
                f"({made.code} / Complex((double){size}))"
                if kind == "c"
                else f"({made.code} / ({c}){size})"
            )
            return Scalar(over, made.type)
        if name == "sum":
            return reductions.total(w, value)
        if name in ("any", "all"):
            return reductions.test(w, value, name)
        return reductions.extreme(w, value, name)
    place = _place(axis, value)
    if name in ("any", "all"):
        truth = elementwise.converted(value, "bool")
        assert not isinstance(truth, Scalar)
        value, name = truth, {"any": "max", "all": "min"}[name]
    if not keepdims and (across := layers.across(w, value, place, name)) is not None:
        return across
    if not mean:
        result = along_several(w, value, [place], name)
    else:
        found = reductions.along(w, value, place, "sum", dtype)
        n = elementwise.shape_of(w, value)[place]
        w.emit(f"NEED({n} > 0);")
        result = _divided(w, found, n)
    if keepdims:
        assert isinstance(result, Ref)
        return reductions.keep(w, result, place)
    return result


def _place(axis: Value, value: Lazy) -> int:
    """An axis, counted from the first."""
    place = integer(axis)
    place = place + value.ndim if place < 0 else place
    if not 0 <= place < value.ndim:
        raise Declined("an axis that is not there")
    return place


def _along_several(
    t: Names, name: str, value: Lazy, axis: Items, kwargs: Mapping[str, Value]
) -> Value:
    """Along some of the axes, one after the other."""
    places = sorted({integer(item) % value.ndim for item in axis.items}, reverse=True)
    if name not in ("sum", "mean", "max", "min") or "keepdims" in kwargs:
        raise Declined(f"{name} along several axes with these arguments")
    if not 0 < len(places) < value.ndim or len(places) < len(axis.items):
        raise Declined(f"{name} along these axes")
    w = t.writer
    mean = name == "mean"
    if mean and value.dtype not in ("float64", "complex128"):
        raise Declined("a mean along several axes of these")
    dims = elementwise.shape_of(w, value)
    count = w.hold("i64", " * ".join(dims[place] for place in places))
    w.emit(f"NEED({count} > 0);")
    made = along_several(w, value, places, "sum" if mean else name)
    if not mean:
        return made
    return _divided(w, made, count)


def _divided(writer: Writer, made: Ref, count: str) -> Ref:
    """A new array, divided by a number of elements where it lies."""
    by = Scalar(writer.hold("double", f"(double){count}"), Number("py", "float64"))
    dims = [writer.hold("i64", f"{made.code}.n[{d}]", "n") for d in range(made.ndim)]
    target = replace(made, is_fresh=False)
    if made.dtype != "float64":
        elementwise.fill(writer, target, dims, elementwise.binary("true_divide", made, by))
        return made
    # The same, bit by bit, for powers of two: and a product takes a fraction of the time.
    with writer.block(f"if (!({count} & ({count} - 1)))"):
        part = Scalar(writer.hold("double", f"1.0 / {by.code}"), by.type)
        elementwise.fill(writer, target, dims, elementwise.binary("multiply", made, part))
    with writer.block("else"):
        elementwise.fill(writer, target, dims, elementwise.binary("true_divide", made, by))
    return made


def _call_reduction(name: str) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        return reduction(t, name, args, kwargs)

    return call


for _name in ("sum", "mean", "max", "min", "any", "all", "argmax", "argmin"):
    register(getattr(np, _name), _call_reduction(_name))


@of(np.count_nonzero)
def _count_nonzero(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1:
        raise Declined("np.count_nonzero with these arguments")
    return reductions.count(t.writer, elements(args[0]))


@of(np.ptp)
def _ptp(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if not 1 <= len(args) <= 2 or set(kwargs) - {"axis"}:
        raise Declined("np.ptp with these arguments")
    value = elementwise.materialise(t.writer, elements(args[0]))
    if np.dtype(value.dtype).kind != "f":
        raise Declined("np.ptp of these")
    most, least = (reduction(t, name, [value, *args[1:]], kwargs) for name in ("max", "min"))
    if isinstance(most, Scalar) and isinstance(least, Scalar):
        return Scalar(f"({most.code} - {least.code})", most.type)
    return elementwise.binary("subtract", elements(most), elements(least))
