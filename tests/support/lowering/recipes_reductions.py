"""Recipes for reductions, scans, and what sorts and searches."""

from __future__ import annotations

import numpy as np

from tests.support.lowering.arguments import Array, Call
from tests.support.lowering.comparison import EXTREME, Tolerance
from tests.support.lowering.recipes import FACTORS, MANY, recipe
from tests.support.lowering.strategies import (
    ALL,
    FLOATS,
    INTEGERS,
    REAL,
    WIDE_FLOATS,
    Draw,
    a_number,
    a_shape,
    an_array,
    an_axis,
    an_operand,
    masked,
    maybe,
    pick,
    shape_of,
    with_out,
)

METHODS = frozenset(
    str.split("sum prod mean var std max min all any argmax argmin cumsum cumprod searchsorted")
)
"""Functions that are methods of arrays, too."""


def _is_method(draw: Draw, op: str, chance: int = 3) -> bool:
    return op.partition(".")[2] in METHODS and maybe(draw, chance)


def _reduced(draw: Draw, op: str, x: Array, *, several: bool = True) -> Call:
    call = Call((x,), {}, method=_is_method(draw, op))
    if maybe(draw, 2) or (axis := an_axis(draw, x, several=several)) is None:
        return call
    call.kwargs["axis"] = axis
    if maybe(draw):
        call.kwargs["keepdims"] = True
    return call


@recipe("sum nansum", MANY)
@recipe("prod nanprod", FACTORS)
@recipe("max min amax amin nanmax nanmin all any", EXTREME)
def _reduction(draw: Draw, op: str) -> Call:
    values = ("ordinary", "few", "infinite")
    if "prod" in op:
        values = ("near_one", "few")
    elif "sum" not in op:
        values = ("ordinary", "few", "infinite", "special", "wide")
    x = an_array(draw, ALL, None, values)
    call = _reduced(draw, op, x)
    if ("sum" in op or "prod" in op) and maybe(draw, 4):
        call.kwargs["dtype"] = np.dtype(pick(draw, "float64", "float32", "int64", "int8", "uint16"))
    if maybe(draw, 4) and op not in ("numpy.all", "numpy.any"):
        call.kwargs["initial"] = pick(draw, 0, 1, 2.5, -3, np.nan)
    call = with_out(draw, op, call, 6)
    return masked(draw, call, shape_of(x))


@recipe("mean var std nanmean nanvar nanstd", Tolerance(64.0, sums=True))
def _moment(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ("ordinary", "few", "infinite"))
    call = _reduced(draw, op, x)
    if maybe(draw, 5):
        call.kwargs["dtype"] = np.dtype(pick(draw, "float64", "float32", "complex128"))
    if maybe(draw) and "mean" not in op:
        call.kwargs[pick(draw, "ddof", "correction")] = pick(draw, 0, 1, 0.5)
    call = with_out(draw, op, call, 8)
    return masked(draw, call, shape_of(x), 6)


@recipe("ptp count_nonzero argmax argmin nanargmax nanargmin")
def _position(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ("ordinary", "few", "infinite", "special"))
    call = _reduced(draw, op, x, several="ptp" in op or "count" in op)
    return with_out(draw, op, call, 8) if "count" not in op else call


@recipe("cumsum nancumsum", MANY)
@recipe("cumprod nancumprod", FACTORS)
def _scan(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ("near_one", "few") if "prod" in op else ("ordinary", "infinite"))
    call = Call((x,), method=_is_method(draw, op))
    if maybe(draw, 2):
        call.kwargs["axis"] = an_axis(draw, x)
    if maybe(draw, 5):
        call.kwargs["dtype"] = np.dtype(pick(draw, "float64", "float32", "int64", "int8", "uint32"))
    return with_out(draw, op, call, 8)


@recipe("cumulative_sum", MANY)
@recipe("cumulative_prod", FACTORS)
def _cumulative(draw: Draw, op: str) -> Call:
    values = ("near_one", "few") if "prod" in op else ("ordinary", "infinite")
    x = an_array(draw, ALL, None, values, least=1)
    call = Call((x,), {})
    if len(shape_of(x)) != 1 or maybe(draw, 2):
        call.kwargs["axis"] = an_axis(draw, x, none=False)
    if maybe(draw):
        call.kwargs["include_initial"] = True
    return call


@recipe("diff")
def _diff(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ("ordinary", "special"), least=1)
    call = Call((x,))
    if maybe(draw, 2):
        call.kwargs["axis"] = an_axis(draw, x, none=False)
    if maybe(draw):
        call.kwargs["n"] = pick(draw, 0, 1, 2, 3)
    if maybe(draw):
        call.kwargs[pick(draw, "prepend", "append")] = a_number(draw)
    return call


@recipe("median nanmedian", Tolerance(2.0))
def _median(draw: Draw, op: str) -> Call:
    x = an_array(draw, REAL, None, ("ordinary", "few", "infinite"))
    return _reduced(draw, op, x)


@recipe("percentile quantile nanpercentile nanquantile", Tolerance(8.0, sums=True))
def _quantile(draw: Draw, op: str) -> Call:
    x = an_array(draw, (*WIDE_FLOATS, *REAL), None, ("ordinary", "few", "infinite"))
    share = pick(draw, 0.0, 0.3, 0.5, 1.0, [0.1, 0.9], 1, np.float32(0.25), [[0.5]])
    if "percentile" in op:
        share = pick(draw, 0, 30, 50.0, 100, [25, 75], np.float32(12.5))
    if maybe(draw, 2):  # in an array, it is no part of the code
        share = np.asarray(share)
    call = _reduced(draw, op, x)
    return Call((x, share), call.kwargs)


@recipe("average", Tolerance(64.0, sums=True))
def _average(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ("ordinary", "infinite"))
    call = _reduced(draw, op, x, several=False)
    if maybe(draw, 2):
        axis = call.kwargs.get("axis")
        shape = shape_of(x)
        if isinstance(axis, int) and -len(shape) <= axis < len(shape) and maybe(draw, 2):
            shape = (shape[axis],)
        call.kwargs["weights"] = an_array(draw, (*FLOATS, "int64"), shape, ("positive", "few"))
    if maybe(draw, 8):
        call.kwargs["returned"] = True
    return call


# -- order


@recipe("sort sort_complex")
@recipe("sort", prefix="ndarray.")
def _sort(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ("ordinary", "few", "special", "infinite", "wide"), writable=True)
    if op == "numpy.sort_complex":
        return Call((x,))
    call = Call((x,))
    if maybe(draw, 2):
        call.kwargs["axis"] = an_axis(draw, x, none=op == "numpy.sort")
    if maybe(draw, 4):
        call.kwargs["kind"] = pick(draw, "stable", "quicksort", "heapsort")
    return call


@recipe("argsort")
def _argsort(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ("distinct", "distinct", "ordinary", "few", "special"))
    call = Call((x,), method=maybe(draw, 4))
    if maybe(draw, 2):
        call.kwargs["axis"] = an_axis(draw, x)
    if maybe(draw, 2):
        call.kwargs["kind"] = pick(draw, "stable", "mergesort", "quicksort")
    return call


@recipe("lexsort")
def _lexsort(draw: Draw, op: str) -> Call:
    shape = a_shape(draw, 1, 2)
    keys = [an_array(draw, ALL, shape, ("few", "infinite")) for _ in range(pick(draw, 1, 2, 3))]
    return Call((keys[0] if len(shape) > 1 and maybe(draw) else pick(draw, tuple, list)(keys),))


@recipe("searchsorted")
def _searchsorted(draw: Draw, op: str) -> Call:
    kinds = (pick(draw, *ALL),) if maybe(draw, 2) else ALL
    x = an_array(draw, kinds, (pick(draw, 0, 1, 2, 5),), ("sorted",) * 9 + ("infinite",))
    wanted = an_operand(draw, a_shape(draw, 0, 2), kinds, ("ordinary", "few", "infinite"))
    call = Call((x, wanted), method=_is_method(draw, op))
    if maybe(draw, 2):
        call.kwargs["side"] = pick(draw, "left", "right")
    return call


@recipe("digitize")
def _digitize(draw: Draw, op: str) -> Call:
    bins = pick(draw, [0.0, 1.0, 2.0], [2, 1, -1], [0.5], [1, 1, 3], np.array([-1.0, 0.0, 4.0]))
    x = an_operand(draw, a_shape(draw, 0, 2), REAL, ("ordinary", "few", "infinite"))
    return Call((x, bins), {"right": True} if maybe(draw) else {})


@recipe("isin")
def _isin(draw: Draw, op: str) -> Call:
    kinds = (pick(draw, *ALL),) if maybe(draw, 2) else ALL
    x = an_array(draw, kinds, None, ("ordinary", "few", "infinite"))
    size = pick(draw, 0, 1, 3, 20)
    call = Call((x, an_array(draw, kinds, (size,), ("ordinary", "few", "infinite"))))
    if maybe(draw):
        call.kwargs["invert"] = True
    return call


@recipe("ravel_multi_index")
def _ravel_multi_index(draw: Draw, op: str) -> Call:
    sizes = tuple(pick(draw, 2, 3, 4) for _ in range(pick(draw, 1, 2, 3)))
    shape = a_shape(draw, 0, 2)
    parts = tuple(an_array(draw, INTEGERS, shape, (f"small:{n}",)) for n in sizes)
    call = Call((parts, sizes))
    if maybe(draw):
        call.kwargs["order"] = pick(draw, "C", "F")
    if maybe(draw, 6):
        call.kwargs["mode"] = pick(draw, "clip", "wrap")
    return call


@recipe("unravel_index")
def _unravel_index(draw: Draw, op: str) -> Call:
    sizes = tuple(pick(draw, 2, 3, 4) for _ in range(pick(draw, 1, 2, 3)))
    places = an_array(draw, INTEGERS, None, (f"small:{int(np.prod(sizes))}",))
    call = Call((places, sizes))
    if maybe(draw):
        call.kwargs["order"] = pick(draw, "C", "F")
    return call


@recipe("packbits unpackbits")
def _bits(draw: Draw, op: str) -> Call:
    kinds = ("uint8",) if "un" in op else ("bool", *INTEGERS)
    x = an_array(draw, kinds, None, ("wide", "few"), least=1)
    call = Call((x,))
    if maybe(draw, 2):
        call.kwargs["axis"] = an_axis(draw, x)
    if maybe(draw, 2):
        call.kwargs["bitorder"] = pick(draw, "big", "little")
    return call
