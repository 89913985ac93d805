"""Recipes for the methods of ufuncs, from ``reduce`` to ``outer``."""

from __future__ import annotations

from typing import Any

import numpy as np

from jupyter_npcompile.tracer.lowering.ufuncs import named
from jupyter_npcompile.tracer.table import ROWS
from tests.support.lowering.arguments import Array, Call
from tests.support.lowering.comparison import EXACT, EXTREME, Tolerance
from tests.support.lowering.recipes import (
    FACTORS,
    MANY,
    RECIPES,
    ROUNDED,
    Recipe,
    draw_index,
    loops,
)
from tests.support.lowering.strategies import (
    Draw,
    a_shape,
    an_array,
    an_axis,
    an_operand,
    dtype_of,
    indices,
    masked,
    maybe,
    pick,
    shape_of,
    with_out,
)

_TAME = ("near_one", "few")
_ANY = ("ordinary", "few", "infinite")


def _ufunc(op: str) -> np.ufunc:
    found = named(op.rpartition(".")[0])
    assert found is not None
    return found


def _array(draw: Draw, op: str, least: int = 0) -> Array:
    ufunc = _ufunc(op)
    values = _ANY if ufunc in (np.add, np.subtract) or _tolerance(op) in (EXTREME, EXACT) else _TAME
    return an_array(draw, loops(ufunc), None, values, least=least)


def _reduce(draw: Draw, op: str) -> Call:
    x = _array(draw, op)
    ordered = _ufunc(op).identity is None and not op.startswith(("numpy.max", "numpy.min"))
    call = Call((x,), {"axis": an_axis(draw, x, several=not ordered)})
    if maybe(draw):
        call.kwargs["keepdims"] = True
    if maybe(draw, 4):
        call.kwargs["initial"] = pick(draw, 0, 1, 2.5, np.float32(3))
    call = with_out(draw, op, call, 6)
    return masked(draw, call, shape_of(x))


def _accumulate(draw: Draw, op: str) -> Call:
    x = _array(draw, op)
    return with_out(draw, op, Call((x,), {"axis": an_axis(draw, x, none=False)}), 6)


def _reduceat(draw: Draw, op: str) -> Call:
    x = _array(draw, op, 1)
    axis = an_axis(draw, x, none=False)
    size = shape_of(x)[axis] if -len(shape_of(x)) <= axis < len(shape_of(x)) else 1
    places = [draw_index(draw, size) for _ in range(pick(draw, 1, 2, 3))]
    return Call((x, places), {"axis": axis})


def _at(draw: Draw, op: str) -> Call:
    ufunc = _ufunc(op)
    kinds = loops(ufunc)
    if not maybe(draw, 6):  # what stores floating-point numbers as others is NumPy's
        kinds = tuple(kind for kind in kinds if np.dtype(kind).kind in "fc") or kinds
    values = ("few", "near_one", "near_one", "near_one")  # of few numbers NumPy often warns
    x = an_array(draw, kinds, None, values, writable=True, least=1)
    shape = a_shape(draw, 1, 2)
    places: Any = indices(draw, shape_of(x)[0], shape)
    if maybe(draw, 2):
        places, shape = pick(draw, [0], [0, -1], slice(0, 2), 0), shape_of(x)[1:]
    if ufunc.nin == 1:
        return Call((x, places))
    kinds = (dtype_of(x),) * 3 + loops(ufunc)
    if ufunc is np.ldexp:
        kinds = ("int32",)
    return Call((x, places, an_operand(draw, pick(draw, shape, ()), kinds, ("few", "near_one"))))


def _outer(draw: Draw, op: str) -> Call:
    ufunc = _ufunc(op)
    second = ("int32", "int8") if ufunc is np.ldexp else loops(ufunc)
    x = an_operand(draw, a_shape(draw, 0, 2), loops(ufunc))
    return Call((x, an_operand(draw, a_shape(draw, 0, 2), second)))


_METHODS = {
    "reduce": _reduce,
    "accumulate": _accumulate,
    "reduceat": _reduceat,
    "at": _at,
    "outer": _outer,
}


def _tolerance(op: str) -> Tolerance:
    name, _, method = op.removeprefix("numpy.").rpartition(".")
    once = ROUNDED.get(name, EXACT)
    if method == "outer":
        return once
    if name in ("add", "subtract"):
        return MANY
    return once if once in (EXACT, EXTREME) else FACTORS


for _row in ROWS:
    if _row.lowering is not None and _row.lowering.startswith("ufunc_methods:"):
        _draw = _METHODS[_row.name.rpartition(".")[2]]
        RECIPES[_row.name] = Recipe(_draw, _tolerance(_row.name))
