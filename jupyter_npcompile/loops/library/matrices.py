"""Calls that make matrices, and that cut triangles out of them; numbers that are rounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise
from jupyter_npcompile.loops.calls import (
    Call,
    array,
    elements,
    integer,
    named,
    of,
    register,
    whole_number,
)
from jupyter_npcompile.loops.kinds import CTYPES, Declined, Number
from jupyter_npcompile.loops.library.creation import dtype_named, shape_named
from jupyter_npcompile.loops.library.results import NONE
from jupyter_npcompile.loops.library.ufuncs import ufunc
from jupyter_npcompile.loops.values import Items, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

ZERO = arithmetic.constant(0)
MOST_DECIMALS = 15
"""Decimals to which numbers are rounded in C++: powers of ten that are exact."""


@of(np.eye)
def _eye(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.eye", ("N", "M", "k", "dtype"), args, kwargs, none=("M",))
    return _ones_in_line(t, given)


@of(np.identity)
def _identity(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.identity", ("n", "dtype"), args, kwargs)
    return _ones_in_line(t, {("N" if name == "n" else name): v for name, v in given.items()})


def _ones_in_line(t: Names, given: Mapping[str, Value]) -> Value:
    w = t.writer
    dtype = dtype_named(given.get("dtype"), "float64")
    rows = given.get("N", NONE)
    (n,), (m,) = shape_named(t, rows), shape_named(t, given.get("M", rows))
    off = w.hold("i64", whole_number(given.get("k", ZERO)))
    made = elementwise.new(w, dtype, [n, m])
    elementwise.fill(w, made, [n, m], Scalar(f"({CTYPES[dtype]})0", Number("np", dtype)))
    i = w.name("i")
    w.emit(
        f"for (i64 {i} = math::max<i64>(0, -{off}); {i} < {n} && {i} + {off} < {m}; {i}++) "
        f"{made.code}.p[{i} * {m} + {i} + {off}] = ({CTYPES[dtype]})1;"
    )
    return made


def _triangle(name: str, symbol: str) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        given = named(f"np.{name}", ("m", "k"), args, kwargs)
        w = t.writer
        ref = elementwise.materialise(w, elements(given.get("m", NONE)))
        if ref.ndim != 2:
            raise Declined(f"np.{name} of {ref.ndim} dimensions")
        off = w.hold("i64", whole_number(given.get("k", ZERO)))
        w.emit(f"NEED(lies_in_rows({ref.code}));")
        rows, columns = (w.hold("i64", f"{ref.code}.n[{d}]", "n") for d in range(2))
        made = elementwise.new(w, ref.dtype, [rows, columns])
        i, j = w.name("i"), w.name("j")
        c = CTYPES[ref.dtype]
        source = f"{ref.code}.p[{i} * {ref.code}.s[0] + {j} * {ref.code}.s[1]]"
        w.emit(
            f"for (i64 {i} = 0; {i} < {rows}; {i}++) for (i64 {j} = 0; {j} < {columns}; {j}++)",
            f"{made.code}.p[{i} * {columns} + {j}] = {j} - {i} {symbol} {off} ? {source} : ({c})0;",
        )
        return made

    return call


register(np.triu, _triangle("triu", ">="))
register(np.tril, _triangle("tril", "<="))


@of(np.round, np.around)
def _round(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.round", ("a", "decimals"), args, kwargs)
    value = array(given.get("a", NONE))
    decimals = integer(given.get("decimals", ZERO))
    if isinstance(value, Scalar):
        if value.type.dtype != "float64" or value.type.origin != "np" or value.type.mixed:
            raise Declined("np.round of these")
    elif np.dtype(value.dtype).kind != "f":
        raise Declined("np.round of these")
    if abs(decimals) > MOST_DECIMALS:
        raise Declined("np.round to so many decimals")
    if not decimals:
        return ufunc(t, "rint", [value])
    by = arithmetic.constant(10.0 ** abs(decimals))
    there, back = ("multiply", "true_divide") if decimals > 0 else ("true_divide", "multiply")
    whole = ufunc(t, "rint", [ufunc(t, there, [value, by])])
    return ufunc(t, back, [whole, by])


def _triangle_indices(name: str, lower: bool) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        given = named(f"np.{name}", ("n", "k", "m"), args, kwargs, none=("m",))
        w = t.writer
        rows = w.hold("i64", whole_number(given.get("n", NONE)), "n")
        m = w.hold("i64", whole_number(given["m"]), "n") if "m" in given else rows
        off = w.hold("i64", whole_number(given.get("k", ZERO)))
        w.emit(f"NEED({rows} >= 0 && {m} >= 0);")
        count, i, j, at = w.name("n"), w.name("i"), w.name("j"), w.name("k")
        first, end = "(i64)0", f"math::clamp<i64>({i} + {off} + 1, 0, {m})"
        if not lower:
            first, end = f"math::clamp<i64>({i} + {off}, 0, {m})", m
        w.emit(
            f"i64 {count} = 0;",
            f"for (i64 {i} = 0; {i} < {rows}; {i}++) {count} += {end} - {first};",
        )
        made = [elementwise.new(w, "int64", [count]) for _ in range(2)]
        with w.block():
            w.emit(f"i64 {at} = 0;")
            w.emit(
                f"for (i64 {i} = 0; {i} < {rows}; {i}++)",
                f"for (i64 {j} = {first}; {j} < {end}; {j}++, {at}++) {{",
                *(f"{ref.code}.p[{at}] = {k};" for ref, k in zip(made, (i, j), strict=True)),
                "}",
            )
        return Items(tuple(made))

    return call


register(np.triu_indices, _triangle_indices("triu_indices", lower=False))
register(np.tril_indices, _triangle_indices("tril_indices", lower=True))
