# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Running sums and products, differences, and integrals by trapezoids."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from jupyter_npcompile.tracer.lowering import comparisons, elementwise, reductions
from jupyter_npcompile.tracer.lowering.dtypes import wrap
from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.ufuncs import apply
from jupyter_npcompile.tracer.lowering.values import Owner, Value

HALF = np.dtype("float16")


def running(trace: Trace, x: Value, axis: int, dtype: object, *, product: bool) -> Value:
    """Running sum or product."""
    kind = reductions.accumulator(trace, np.multiply if product else np.add, x, dtype)
    if kind == HALF:
        trace.unsupported("running sums in half precision round at every step")
    tensor = trace.cast(x, kind)
    if kind.kind == "b":
        scan = torch.cummin if product else torch.cummax
        return Owner(scan(tensor.to(torch.int8), axis).values != 0, kind)
    found = (torch.cumprod if product else torch.cumsum)(tensor, dim=axis, dtype=tensor.dtype)
    return Owner(wrap(found, kind), kind)


def _scan(
    trace: Trace,
    a: object,
    axis: object,
    dtype: object,
    *,
    product: bool,
    neutral: Any = None,
) -> Value:
    x = trace.value(a)
    if neutral is not None and x.dtype.kind in "fc":
        tensor = x.read()
        fill = torch.full((), neutral, dtype=tensor.dtype)
        x = Owner(torch.where(torch.isnan(tensor), fill, tensor), x.dtype)
    if axis is None:
        x, place = Owner(x.read().reshape(-1), x.dtype), 0
    else:
        place = trace.axis(axis, x.ndim)
    return running(trace, x, place, dtype, product=product)


def cumsum(
    trace: Trace, a: object, axis: object = None, dtype: object = None, out: object = None
) -> Value:
    return _scan(trace, a, axis, dtype, product=False)


def cumprod(
    trace: Trace, a: object, axis: object = None, dtype: object = None, out: object = None
) -> Value:
    return _scan(trace, a, axis, dtype, product=True)


def nancumsum(
    trace: Trace, a: object, axis: object = None, dtype: object = None, out: object = None
) -> Value:
    return _scan(trace, a, axis, dtype, product=False, neutral=0)


def nancumprod(
    trace: Trace, a: object, axis: object = None, dtype: object = None, out: object = None
) -> Value:
    return _scan(trace, a, axis, dtype, product=True, neutral=1)


def _cumulative(
    trace: Trace, x: object, axis: object, dtype: object, include_initial: object, *, product: bool
) -> Value:
    value = trace.value(x)
    place = 0 if axis is None else trace.axis(axis, value.ndim)
    found = running(trace, value, place, dtype, product=product)
    if not include_initial:
        return found
    tensor = found.read()
    shape = [1 if k == place else n for k, n in enumerate(tensor.shape)]
    first = torch.full(shape, int(product), dtype=tensor.dtype)
    return Owner(torch.cat([first, tensor], dim=place), found.dtype)


def cumulative_sum(
    trace: Trace,
    x: object,
    /,
    *,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    include_initial: object = False,
) -> Value:
    return _cumulative(trace, x, axis, dtype, include_initial, product=False)


def cumulative_prod(
    trace: Trace,
    x: object,
    /,
    *,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    include_initial: object = False,
) -> Value:
    return _cumulative(trace, x, axis, dtype, include_initial, product=True)


def _lengthened(trace: Trace, x: Value, before: object, after: object, axis: int) -> Value:
    """The array with other elements joined to its ends."""
    edges = [None if edge is None else trace.value(edge) for edge in (before, after)]
    if edges == [None, None]:
        return x
    kind = np.result_type(x.dtype, *(edge.dtype for edge in edges if edge is not None))
    one = tuple(1 if k == axis else n for k, n in enumerate(x.shape))
    parts = [trace.cast(x, kind)]
    for place, edge in zip((0, len(edges)), edges, strict=True):
        if edge is not None:
            tensor = trace.cast(edge, kind)
            parts.insert(place, tensor if tensor.ndim else tensor.expand(one))
    return Owner(torch.cat(parts, dim=axis), kind)


def diff(
    trace: Trace,
    a: object,
    n: object = 1,
    axis: object = -1,
    prepend: object = None,
    append: object = None,
) -> Value:
    x = trace.value(a)
    place = trace.axis(axis, x.ndim)
    x = _lengthened(trace, x, prepend, append, place)
    for _ in range(trace.integer(n, "n")):
        tensor = x.read()
        size = max(tensor.shape[place] - 1, 0)
        high = Owner(tensor.narrow(place, min(1, tensor.shape[place]), size), x.dtype)
        low = Owner(tensor.narrow(place, 0, size), x.dtype)
        if x.dtype.kind == "b":
            x = apply(trace, np.not_equal, comparisons.not_equal, high, low)
        else:
            x = apply(trace, np.subtract, elementwise.subtract, high, low)
    return x


def ediff1d(trace: Trace, ary: object, to_end: object = None, to_begin: object = None) -> Value:
    x = trace.value(ary)
    flat = trace.cast(x, x.dtype).reshape(-1)
    later, earlier = Owner(flat[1:], x.dtype), Owner(flat[:-1], x.dtype)
    found = apply(trace, np.subtract, elementwise.subtract, later, earlier).read()
    parts = [
        trace.cast(trace.value(part), x.dtype).reshape(-1)
        for part in (to_begin, to_end)
        if part is not None
    ]
    if to_begin is not None:
        found = torch.cat([parts[0], found])
    if to_end is not None:
        found = torch.cat([found, parts[-1]])
    return Owner(found, x.dtype)
