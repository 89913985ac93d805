# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Reductions that leave NaN out."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering import reductions, turns
from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.values import Owner, Value


def _present(x: Value) -> Tensor | None:
    """Which elements count; None if all do."""
    return ~torch.isnan(x.read()) if x.dtype.kind in "fc" else None


def _filled(x: Value, number: float) -> Value:
    present = _present(x)
    if present is None:
        return x
    fill = torch.full((), number, dtype=x.read().dtype)
    return Owner(torch.where(present, x.read(), fill), x.dtype, strides=x.strides)


def nansum(
    trace: Trace,
    a: object,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    keepdims: bool = False,
    initial: object = None,
    where: object = True,
) -> Value:
    x = _filled(trace.value(a), 0.0)
    return reductions.sum(trace, x, axis, dtype, None, keepdims, initial, where)


def nanprod(
    trace: Trace,
    a: object,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    keepdims: bool = False,
    initial: object = None,
    where: object = True,
) -> Value:
    x = _filled(trace.value(a), 1.0)
    return reductions.prod(trace, x, axis, dtype, None, keepdims, initial, where)


def _extreme(trace: Trace, a: object, axis: object, keepdims: bool, *, largest: bool) -> Value:
    x = trace.value(a)
    function = reductions.max if largest else reductions.min
    if x.dtype.kind != "f":
        return function(trace, x, axis, None, keepdims)
    found = function(trace, _filled(x, -math.inf if largest else math.inf), axis, None, keepdims)
    _some(trace, x, axis)  # NumPy warns where every element is NaN
    return found


def _some(trace: Trace, x: Value, axis: object) -> None:
    present = _present(x)
    if present is not None:
        axes = trace.axes(axis, x.ndim)
        trace.check(torch.any(present, dim=axes).all() if axes else present.all())


def nanmax(
    trace: Trace,
    a: object,
    axis: object = None,
    out: object = None,
    keepdims: bool = False,
    initial: object = None,
    where: object = True,
) -> Value:
    if initial is not None or where is not True:
        trace.unsupported("initial= and where=")
    return _extreme(trace, a, axis, keepdims, largest=True)


def nanmin(
    trace: Trace,
    a: object,
    axis: object = None,
    out: object = None,
    keepdims: bool = False,
    initial: object = None,
    where: object = True,
) -> Value:
    if initial is not None or where is not True:
        trace.unsupported("initial= and where=")
    return _extreme(trace, a, axis, keepdims, largest=False)


def nanargmax(
    trace: Trace, a: object, axis: object = None, out: object = None, *, keepdims: bool = False
) -> Tensor:
    x = trace.value(a)
    _some(trace, x, axis)
    return reductions.argmax(trace, _filled(x, -math.inf), axis, None, keepdims=keepdims)


def nanargmin(
    trace: Trace, a: object, axis: object = None, out: object = None, *, keepdims: bool = False
) -> Tensor:
    x = trace.value(a)
    _some(trace, x, axis)
    return reductions.argmin(trace, _filled(x, math.inf), axis, None, keepdims=keepdims)


def _where(trace: Trace, x: Value, where: object) -> object:
    present = _present(x)
    if present is None:
        return where
    if where is True:
        return turns.Present(present, np.dtype("bool"))
    present = present & trace.cast(trace.value(where), np.dtype("bool"))
    return Owner(present, np.dtype("bool"))


def nanmean(
    trace: Trace,
    a: object,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    keepdims: bool = False,
    *,
    where: object = True,
) -> Tensor:
    x = trace.value(a)
    _some(trace, x, axis)
    return reductions.mean(trace, x, axis, dtype, None, keepdims, where=_where(trace, x, where))


def nanvar(
    trace: Trace,
    a: object,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    ddof: object = 0,
    keepdims: bool = False,
    *,
    where: object = True,
    mean: object = None,
    correction: object = None,
) -> Tensor:
    x = trace.value(a)
    less = ddof if correction is None else correction
    _enough(trace, x, axis, less)
    mask = _where(trace, x, where)
    x = _filled(x, 0)  # a derivative of NaN is NaN, also where it is not used
    return reductions.var(trace, x, axis, dtype, None, less, keepdims, where=mask, mean=mean)


def nanstd(
    trace: Trace,
    a: object,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    ddof: object = 0,
    keepdims: bool = False,
    *,
    where: object = True,
    mean: object = None,
    correction: object = None,
) -> Tensor:
    x = trace.value(a)
    less = ddof if correction is None else correction
    _enough(trace, x, axis, less)
    mask = _where(trace, x, where)
    x = _filled(x, 0)
    return reductions.std(trace, x, axis, dtype, None, less, keepdims, where=mask, mean=mean)


def _enough(trace: Trace, x: Value, axis: object, less: object) -> None:
    """NumPy warns where no degree of freedom is left."""
    present = _present(x)
    if present is None:
        return
    if not isinstance(less, int | float):
        trace.unsupported("ddof is not constant")
    axes = trace.axes(axis, x.ndim)
    number = reductions.total(present.to(torch.int64), axes)
    trace.check((number > less).all())
