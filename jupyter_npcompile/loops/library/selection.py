"""Elements by their order: ``np.median``, ``np.percentile``, ``np.sort``, ``np.unique``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise, hosts
from jupyter_npcompile.loops.calls import Call, elements, named, of, register
from jupyter_npcompile.loops.kinds import CTYPES, Declined, Number
from jupyter_npcompile.loops.library import layers
from jupyter_npcompile.loops.library.creation import array_call
from jupyter_npcompile.loops.library.results import NONE, either, made, place_of, row_of
from jupyter_npcompile.loops.values import Items, Ref, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

FEW = 32
"""Elements of a line that are put in order by pairs that are known beforehand."""

SMALL = 128
"""Elements that are put in order here; NumPy's vector code is faster for more."""


def _ordered(t: Names, value: Value, name: str) -> Ref:
    """An array whose elements have an order."""
    if isinstance(value, Items):
        value = array_call(t, [value], {})
    ref = elementwise.materialise(t.writer, elements(value))
    if np.dtype(ref.dtype).kind not in "iuf" or ref.dtype == "uint64":
        raise Declined(f"np.{name} of {ref.dtype}")
    return ref


@of(np.median)
def _median(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.median", ("a", "axis"), args, kwargs, none=("axis",))
    ref = _ordered(t, given.get("a", NONE), "median")
    if "axis" in given and ref.ndim > 1:
        place = place_of(given["axis"], ref.ndim)
        if (across := layers.across(t.writer, ref, place, "median")) is not None:
            return across
    dtype = ref.dtype if np.dtype(ref.dtype).kind == "f" else "float64"
    c = CTYPES[dtype]
    if "axis" not in given or ref.ndim == 1:
        if "axis" in given:
            place_of(given["axis"], 1)
        row = row_of(t, ref)
        return Scalar(t.writer.hold(c, f"median<{c}>(run, {row.code})"), Number("np", dtype))
    place = place_of(given["axis"], ref.ndim)
    t.writer.emit(f"NEED(lies_in_rows({ref.code}));")
    code = f"medians<{c}>(run, {ref.code}, {place}, {np.dtype(dtype).num})"
    return made(t, code, dtype, ref.ndim - 1)


def _shares(t: Names, value: Value, by: float) -> tuple[str, str, bool]:
    """C++ for a pointer to shares of one and for how many there are, and whether it is a number."""
    w = t.writer
    if isinstance(value, Scalar):
        return f"&{w.hold('double', _share(value, by))}", "1", True
    if isinstance(value, Items) and value.items:
        numbers = [item for item in value.items if isinstance(item, Scalar)]
        if len(numbers) < len(value.items):
            raise Declined("such percentiles")
        name = w.name("q")
        texts = ", ".join(_share(number, by) for number in numbers)
        w.emit(f"const double {name}[{len(numbers)}] = {{{texts}}};")
        return name, str(len(numbers)), False
    some = elements(value)
    if some.ndim != 1 or some.dtype != "float64":
        raise Declined("such percentiles")
    shares = elementwise.binary("true_divide", some, arithmetic.constant(by))
    held = elementwise.materialise(w, shares)
    return f"{held.code}.p", f"{held.code}.n[0]", False


def _share(value: Scalar, by: float) -> str:
    kind = value.type
    if kind.mixed or kind.dtype not in ("int64", "float64") or (by == 1 and kind.kind != "f"):
        raise Declined("such percentiles")
    return f"(double){value.code} / {by}"


def _percentiles(name: str, by: float) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        given = named(f"np.{name}", ("a", "q", "axis"), args, kwargs, none=("axis",))
        w = t.writer
        ref = _ordered(t, given.get("a", NONE), name)
        if ref.dtype == "float32":
            raise Declined(f"np.{name} of float32")
        shares, count, is_number = _shares(t, given.get("q", NONE), by)
        place = 0 if "axis" not in given else place_of(given["axis"], ref.ndim)
        if "axis" not in given:
            ref = row_of(t, ref)
        w.emit(f"NEED(lies_in_rows({ref.code}));")
        lines = [f"{ref.code}.n[{d}]" for d in range(ref.ndim) if d != place]
        where = f"run, {ref.code}, {place}, {shares}, {count}"
        if is_number and not lines:
            number = w.name("v")
            w.emit(f"double {number};", f"percentiles_along({where}, &{number});")
            return Scalar(number, Number("np", "float64"))
        result = elementwise.new(w, "float64", lines if is_number else [count, *lines])
        w.emit(f"percentiles_along({where}, {result.code}.p);")
        return result

    return call


register(np.percentile, _percentiles("percentile", 100.0))
register(np.quantile, _percentiles("quantile", 1.0))


@of(np.sort)
def _sort(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if (len(args) > 1 and args[1] == NONE) or kwargs.get("axis") == NONE:
        raise Declined("np.sort of all of an array")
    given = named("np.sort", ("a", "axis"), args, kwargs)
    ref = _ordered(t, given.get("a", NONE), "sort")
    axis = given.get("axis", arithmetic.constant(-1))
    place = place_of(axis, ref.ndim)
    n = f"{ref.code}.n[{place}]"
    condition = f"{ref.code}.size() <= {SMALL}"
    if ref.ndim > 1:
        condition = f"{n} <= {FEW}"
    code = f"in_order(run, {ref.code}, {place}, {np.dtype(ref.dtype).num})"

    def library() -> Value:
        return hosts.call(t, np.sort, [ref, axis], {})

    return either(t, condition, code, ref.dtype, ref.ndim, library)


@of(np.unique)
def _unique(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1:
        raise Declined("np.unique with these arguments")
    ref = _ordered(t, args[0], "unique")
    if ref.ndim != 1:
        raise Declined("np.unique of several dimensions")
    code = f"distinct(run, {ref.code}, {np.dtype(ref.dtype).num})"

    def library() -> Value:
        return hosts.call(t, np.unique, [ref], {})

    return either(t, f"{ref.code}.n[0] <= {SMALL}", code, ref.dtype, 1, library)
