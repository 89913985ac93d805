"""How each lowered function is called with random arguments, by the name of its row."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from jupyter_npcompile.tracer.lowering.ufuncs import named
from jupyter_npcompile.tracer.table import ROWS
from tests.support.lowering.arguments import Call
from tests.support.lowering.comparison import EXACT, EXTREME, Tolerance
from tests.support.lowering.strategies import (
    ALL,
    ANY_VALUES,
    FLOATS,
    REAL,
    Draw,
    Dtypes,
    a_number,
    a_shape,
    an_array,
    an_operand,
    dtype_of,
    masked,
    maybe,
    pick,
    shape_of,
    two_shapes,
    with_out,
)


@dataclass(frozen=True)
class Recipe:
    """How a function is called, and how close its results must be.

    Parameters
    ----------
    draw : callable
        ``draw(draw, op)`` gives a `Call`.
    tolerance : Tolerance
        Of the results.
    """

    draw: Callable[[Draw, str], Call]
    tolerance: Tolerance = EXACT


RECIPES: dict[str, Recipe] = {}
"""The recipes by row; modules of recipes add theirs."""


def recipe(
    names: str, tolerance: Tolerance = EXACT, prefix: str = "numpy."
) -> Callable[[Callable[[Draw, str], Call]], Callable[[Draw, str], Call]]:
    """Say that rows are called in the way that the decorated function draws."""

    def register(function: Callable[[Draw, str], Call]) -> Callable[[Draw, str], Call]:
        for name in names.split():
            assert prefix + name not in RECIPES, name
            RECIPES[prefix + name] = Recipe(function, tolerance)
        return function

    return register


# -- ufuncs

ROUNDED = {
    name: Tolerance(ulp)
    for names, ulp in (
        ("sin cos tan tanh arcsin arccos arctan arcsinh exp exp2 log log2 log10 log1p expm1", 4.0),
        ("sinh cosh arccosh arctanh arctan2 hypot cbrt power pow float_power", 4.0),
        ("deg2rad rad2deg radians degrees", 2.0),
        ("floor_divide remainder mod divmod fmod", 0.0),
        ("divide reciprocal sqrt square multiply absolute sign", 2.0),
        ("logaddexp logaddexp2", 64.0),
    )
    for name in names.split()
} | dict.fromkeys(("maximum", "minimum", "fmax", "fmin"), EXTREME)
"""Ufuncs whose results may differ in the last places."""


@functools.cache
def loops(ufunc: np.ufunc) -> Dtypes:
    """Dtypes that a ufunc takes for its first operand."""
    found = []
    for dtype in ALL:
        kinds: list[np.dtype | None] = [np.dtype(dtype)] * ufunc.nin + [None] * ufunc.nout
        if ufunc in (np.ldexp,):
            kinds[1] = np.dtype("int32")
        try:
            ufunc.resolve_dtypes(tuple(kinds))
        except TypeError:
            continue
        found.append(dtype)
    return tuple(found)


def _ufunc(draw: Draw, op: str) -> Call:
    ufunc = named(op)
    assert ufunc is not None
    dtypes = loops(ufunc)
    if ufunc.nin == 1:
        x = an_operand(draw, a_shape(draw), dtypes)
        call = Call((x,))
        shape = shape_of(x)
    else:
        one, two = two_shapes(draw)
        shape = np.broadcast_shapes(one, two)
        second = ("int32", "int64", "int8") if ufunc is np.ldexp else dtypes
        if ufunc in (np.power, np.pow):
            x = an_operand(draw, one, dtypes, (*ANY_VALUES, "near_one"))
            y = an_operand(draw, two, second, ("ordinary", "few", "special", "small:5"))
        else:
            x, y = an_operand(draw, one, dtypes), an_operand(draw, two, second)
        if dtype_of(x) != dtype_of(y) and maybe(draw, 2) and ufunc is not np.ldexp:
            y = an_operand(draw, two, (dtype_of(x),))
        call = Call((x, y))
    if maybe(draw, 6):
        wanted = np.dtype(pick(draw, "float32", "float64", "int64", "complex128", "bool"))
        call.kwargs["dtype"] = wanted
        call.kwargs["casting"] = pick(draw, "same_kind", "unsafe")
    call = with_out(draw, op, call)
    if "out" in call.kwargs:
        call = masked(draw, call, shape, 3)
    return call


for _row in ROWS:
    if _row.lowering is not None and named(_row.name) is not None:
        _name = _row.name.removeprefix("numpy.")
        RECIPES[_row.name] = Recipe(_ufunc, ROUNDED.get(_name, EXACT))

MANY = Tolerance(16.0, sums=True)
"""Sums of several terms, in any order."""

FACTORS = Tolerance(64.0, zeros=True)
"""Products of several factors, in any order, on which the signs of complex zeros hang."""


def draw_index(draw: Draw, size: int) -> int:
    """A place among so many, seldom outside."""
    return pick(draw, *range(max(size, 1)), *range(max(size, 1)), size)


# -- rounding and comparison


@recipe("round around", Tolerance(2.0))
def _round(draw: Draw, op: str) -> Call:
    x = an_operand(draw, a_shape(draw), ALL, ("ordinary", "special", "infinite"))
    digits = pick(draw, None, 0, 1, 2, -1, -2)
    call = Call((x,) if digits is None else (x, digits), method=False)
    return with_out(draw, op, call, 6)


@recipe("fix")
def _fix(draw: Draw, op: str) -> Call:
    return Call((an_array(draw, REAL, None, ("ordinary", "special")),))


@recipe("clip", EXTREME)
def _clip(draw: Draw, op: str) -> Call:
    one, two = two_shapes(draw)
    dtypes = (pick(draw, *ALL),) if maybe(draw, 2) else ALL
    bounds = [pick(draw, True, True, False), pick(draw, True, True, False)]
    low, high = (
        an_operand(draw, two, dtypes, ("ordinary", "special")) if b else None for b in bounds
    )
    x = an_array(draw, dtypes, one, ("ordinary", "special"))
    call = Call((x, low, high), method=maybe(draw, 4))
    if maybe(draw, 6):
        call = Call((x,), {"min": low, "max": high})
    return with_out(draw, op, call, 6)


@recipe("nan_to_num")
def _nan_to_num(draw: Draw, op: str) -> Call:
    call = Call((an_array(draw, ALL, None, ("infinite", "special")),))
    for name in ("nan", "posinf", "neginf"):
        if maybe(draw):
            call.kwargs[name] = a_number(draw)
    if maybe(draw, 5):
        call.kwargs["copy"] = pick(draw, True, False)
    return call


@recipe("isclose allclose array_equal array_equiv")
def _alike(draw: Draw, op: str) -> Call:
    one, two = two_shapes(draw)
    values = ("few", "infinite", "special")
    if op.startswith("numpy.array"):
        two = one if maybe(draw, 2) else two
        kind = (pick(draw, *ALL),)
        return Call((an_array(draw, kind, one, values), an_array(draw, kind, two, values)))
    call = Call((an_operand(draw, one, ALL, values), an_operand(draw, two, ALL, values)))
    if maybe(draw):
        call.kwargs["equal_nan"] = pick(draw, True, False)
    if maybe(draw):
        call.kwargs[pick(draw, "rtol", "atol")] = pick(draw, 0.0, 1e-3, 1, 0.5)
    return call


@recipe("interp", Tolerance(8.0))
def _interp(draw: Draw, op: str) -> Call:
    size = pick(draw, 1, 2, 3, 6)
    x = an_operand(draw, a_shape(draw, 0, 2), (*FLOATS, "int64"), ("ordinary", "infinite"))
    knots = an_array(draw, ("float64", "float64", "int64"), (size,), ("rising", "rising", "sorted"))
    heights = an_array(draw, (*FLOATS, "int64", "complex128"), (size,), ("ordinary", "infinite"))
    call = Call((x, knots, heights))
    for name in ("left", "right"):
        if maybe(draw):
            call.kwargs[name] = a_number(draw, ("float",))
    return call


_CONVERTERS = """
    bool_ bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 intc intp uintc ulong uint int_
    byte long short ubyte uintp ushort float16 float32 float64 half single double
    complex64 complex128 csingle cdouble
"""


@recipe(_CONVERTERS)
def _convert(draw: Draw, op: str) -> Call:
    values = ("ordinary", "few", "wide") if "c" not in op else ("ordinary", "special")
    return Call((an_operand(draw, a_shape(draw), ALL, values),))


@recipe("astype")
@recipe("astype", prefix="ndarray.")
def _astype(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ("ordinary", "few", "wide", "special"))
    call = Call((x, np.dtype(pick(draw, *ALL))))
    if maybe(draw, 4):
        call.kwargs["copy"] = pick(draw, True, False)
    if maybe(draw, 5) and op.startswith("ndarray"):
        call.kwargs["order"] = pick(draw, "C", "F", "A", "K")
    return call
