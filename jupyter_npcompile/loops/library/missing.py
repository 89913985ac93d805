"""Sums of what is no NaN: ``np.nansum``, ``np.nanmean`` and their like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise, hosts
from jupyter_npcompile.loops.calls import Call, array, elements, named, register
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.library.results import NONE
from jupyter_npcompile.loops.library.ufuncs import ufunc
from jupyter_npcompile.loops.values import Applied, Ref, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


def _without(t: Names, ref: Ref, other: float) -> Value:
    """The elements, and another number for NaN."""
    return t.called(np.where, [ufunc(t, "isnan", [ref]), arithmetic.constant(other), ref], {})


def _given(
    name: str, t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> tuple[Ref, dict[str, Value]]:
    """The array, and along which axis."""
    names = ("a", "axis", "keepdims")
    if len(args) > 2:
        raise Declined(f"{name} with these arguments")
    given = named(name, names, args, kwargs, none=("axis",))
    ref = elementwise.materialise(t.writer, elements(given.pop("a", NONE)))
    if ref.dtype != "float64":
        raise Declined(f"{name} of {ref.dtype}")
    return ref, given


def _count(t: Names, ref: Ref, along: Mapping[str, Value]) -> Value:
    """How many numbers there are along an axis; some everywhere, or NumPy warns."""
    numbers = ufunc(t, "logical_not", [ufunc(t, "isnan", [ref])])
    found = t.called(np.sum, [numbers], along)
    if isinstance(found, Applied):
        found = elementwise.materialise(t.writer, found)
    least = found if isinstance(found, Scalar) else t.called(np.min, [found], {})
    assert isinstance(least, Scalar)
    t.writer.emit(f"NEED({least.code} > 0);")
    return found


def _sum(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    ref, along = _given("np.nansum", t, args, kwargs)
    return t.called(np.sum, [_without(t, ref, 0.0)], along)


def _mean(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    ref, along = _given("np.nanmean", t, args, kwargs)
    count = _count(t, ref, along)
    total = t.called(np.sum, [_without(t, ref, 0.0)], along)
    return ufunc(t, "true_divide", [array(total), array(count)])


def _median(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    ref, along = _given("np.nanmedian", t, args, kwargs)
    _count(t, ref, along)
    return hosts.call(t, np.nanmedian, [ref], along)


def _extreme(function: Any, other: float) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        ref, along = _given(f"np.nan{function.__name__}", t, args, kwargs)
        _count(t, ref, along)
        return t.called(function, [_without(t, ref, other)], along)

    return call


def _spread(function: Any) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        name = f"np.nan{function.__name__}"
        ddof = kwargs.get("ddof", arithmetic.constant(0))
        ref, along = _given(name, t, args, {k: v for k, v in kwargs.items() if k != "ddof"})
        if not isinstance(ddof, Scalar) or ddof.type.kind not in "iu" or ddof.type.mixed:
            raise Declined(f"{name} with these arguments")
        if along:
            return _along(t, function, ref, ddof, along)
        w = t.writer
        count = _count(t, ref, {})
        assert isinstance(count, Scalar)
        number = w.name("x")
        kept = w.hold("i64", count.code)
        rest = w.hold("i64", f"{kept} - (i64){ddof.code}")
        w.emit(f"NEED({rest} > 0);")
        total = t.called(np.sum, [_without(t, ref, 0.0)], {})
        assert isinstance(total, Scalar)
        mean = w.hold("double", f"{total.code} / (double){kept}")
        parts = elementwise.apply(
            f"({{0}} != {{0}} ? 0.0 : square({{0}} - {mean}))", [ref], "float64"
        )
        squares = t.called(np.sum, [parts], {})
        assert isinstance(squares, Scalar)
        w.emit(f"double {number} = {squares.code} / (double){rest};")
        if function is np.std:
            w.emit(f"{number} = math::sqrt({number});")
        return Scalar(number, squares.type)

    return call


def _along(t: Names, function: Any, ref: Ref, ddof: Scalar, along: Mapping[str, Value]) -> Value:
    """The variance along an axis, or its root, as NumPy computes it."""
    keeps = {**along, "keepdims": arithmetic.constant(True)}
    count = array(_count(t, ref, keeps))
    total = array(t.called(np.sum, [_without(t, ref, 0.0)], keeps))
    mean = array(t.settled(ufunc(t, "true_divide", [total, count])))
    differs = elementwise.apply("({0} != {0} ? 0.0 : square({0} - {1}))", [ref, mean], "float64")
    squares = array(t.called(np.sum, [differs], along))
    left = elementwise.binary("subtract", array(_count(t, ref, along)), ddof)
    rest = elementwise.materialise(t.writer, left)
    least = t.called(np.min, [rest], {})
    assert isinstance(least, Scalar)
    t.writer.emit(f"NEED({least.code} > 0);")
    made = ufunc(t, "true_divide", [squares, rest])
    return ufunc(t, "sqrt", [made]) if function is np.std else made


def _numbers(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """``np.nan_to_num``."""
    if len(args) != 1 or set(kwargs) - {"nan", "posinf", "neginf"}:
        raise Declined("np.nan_to_num with these arguments")
    value = elements(args[0])
    if value.dtype != "float64":
        raise Declined(f"np.nan_to_num of {value.dtype}")
    largest = float(np.finfo(np.float64).max)
    codes = []
    for name, other in (("nan", 0.0), ("neginf", -largest), ("posinf", largest)):
        number = kwargs.get(name, arithmetic.constant(other))
        if not isinstance(number, Scalar) or number.type.kind not in "if":
            raise Declined("np.nan_to_num with these numbers")
        codes.append(t.writer.hold("double", f"(double){number.code}"))
    nan, low, high = codes
    code = f"number_for({{0}}, {nan}, {low}, {high})"
    return elementwise.apply(code, [value], "float64")


register(np.nan_to_num, _numbers)
register(np.nansum, _sum)
register(np.nanmean, _mean)
register(np.nanmedian, _median)
register(np.nanmax, _extreme(np.max, -np.inf))
register(np.nanmin, _extreme(np.min, np.inf))
register(np.nanvar, _spread(np.var))
register(np.nanstd, _spread(np.std))
