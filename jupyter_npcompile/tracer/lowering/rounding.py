# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Rounding, clipping, conversion and approximate comparison."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering import comparisons, elementwise
from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.ufuncs import apply
from jupyter_npcompile.tracer.lowering.values import Owner, Value, common_dtype

FLOAT64 = np.dtype("float64")


def round(trace: Trace, a: object, decimals: object = 0, out: object = None) -> Value:
    x = trace.value(a)
    digits = trace.integer(decimals, "decimals")
    kind = x.dtype
    if kind.kind == "b" or (kind.kind in "iu" and digits >= 0):
        return x if kind.kind != "b" else Owner(trace.cast(x, trace.dtype), trace.dtype)
    if digits == 0:
        return apply(trace, np.rint, elementwise.rint, x)
    if kind.name == "float16":
        trace.unsupported("decimals in half precision")
    inner = FLOAT64 if kind.kind in "iu" else kind
    tensor = trace.cast(x, inner)
    if kind.kind == "c":
        parts = [_scaled(part, digits) for part in (torch.real(tensor), torch.imag(tensor))]
        return Owner(torch.complex(*parts), kind)
    return Owner(trace.convert(_scaled(tensor, digits), inner, kind), kind)


def _scaled(tensor: Tensor, digits: int) -> Tensor:
    power = torch.full((), 10.0 ** abs(digits), dtype=tensor.dtype)
    if digits > 0:
        return torch.round(tensor * power) / power
    return torch.round(tensor / power) * power


def fix(trace: Trace, x: object, out: object = None) -> Value:
    value = trace.value(x)
    if value.dtype.kind != "f":
        return value
    return apply(trace, np.trunc, elementwise.trunc, value)


def clip(
    trace: Trace,
    a: object,
    a_min: object = None,
    a_max: object = None,
    out: object = None,
    *,
    min: object = None,
    max: object = None,
    **kwargs: object,
) -> Value:
    x = trace.value(a)
    low = a_min if min is None else min
    high = a_max if max is None else max
    given = [trace.value(bound) for bound in (low, high) if bound is not None]
    if not given:
        return Owner(x.read(), x.dtype)
    kind = common_dtype(x, *given)
    if kind.kind == "c":
        trace.unsupported("complex numbers have no order in torch")
    found: Value = Owner(trace.cast(x, kind), kind)
    low, high = (_binding(trace, bound, kind) for bound in (low, high))
    if kind.kind == "f" and len(given) == 2 and all(_is_one(x, bound) for bound in given):
        return Owner(_between(found.read(), *(trace.cast(bound, kind) for bound in given)), kind)
    if low is not None:
        bound = Owner(trace.cast(low, kind), kind)
        found = apply(trace, np.maximum, comparisons.maximum, found, bound)
    if high is not None:
        bound = Owner(trace.cast(high, kind), kind)
        found = apply(trace, np.minimum, comparisons.minimum, found, bound)
    return found


def _is_one(x: Value, bound: Value) -> bool:
    """Whether a bound is one number for all elements, for which NumPy has a loop of its own."""
    tensor = bound.read()
    return tensor.ndim == 0 or (tensor.numel() == 1 and x.read().numel() != 1)


def _between(tensor: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """What equals a bound stays what it is: minus zero at zero."""
    tensor = torch.where((tensor >= low) | torch.isnan(tensor), tensor, low)
    return torch.where((tensor <= high) | torch.isnan(tensor), tensor, high)


def _binding(trace: Trace, bound: object, kind: np.dtype) -> object:
    """A bound that can matter; a Python integer may lie outside of all that a dtype holds."""
    if kind.kind not in "iu" or bound is None:
        return bound
    info = np.iinfo(kind)
    if type(bound) is int:
        return None if not info.min <= bound <= info.max else bound
    if isinstance(bound, Value) and bound.kind == "python" and bound.dtype.name == "int64":
        number = bound.read()
        inside = number >= int(info.min)
        trace.check(inside if kind.itemsize == 8 else inside & (number <= int(info.max)))
    return bound


def nan_to_num(
    trace: Trace,
    x: object,
    copy: object = True,
    nan: Any = 0.0,
    posinf: Any = None,
    neginf: Any = None,
) -> Value:
    value = trace.value(x)
    if copy is not True:
        trace.unsupported("copy=False")
    if value.dtype.kind not in "fc":
        return Owner(value.read(), value.dtype)
    tensor = value.read()
    if value.dtype.kind == "c":
        parts = [
            _tame(trace, part, nan, posinf, neginf)
            for part in (torch.real(tensor), torch.imag(tensor))
        ]
        return Owner(torch.complex(*parts), value.dtype)
    return Owner(_tame(trace, tensor, nan, posinf, neginf), value.dtype)


def _tame(trace: Trace, tensor: Tensor, nan: Any, high: Any, low: Any) -> Tensor:
    info = torch.finfo(tensor.dtype)
    kind = np.dtype(str(tensor.dtype).removeprefix("torch."))
    high = info.max if high is None else high
    low = info.min if low is None else low
    found = torch.where(torch.isnan(tensor), trace.cast(nan, kind), tensor)
    found = torch.where(tensor == math.inf, trace.cast(high, kind), found)
    return torch.where(tensor == -math.inf, trace.cast(low, kind), found)


def astype(trace: Trace, x: object, *args: object, **kwargs: object) -> Value:
    value = trace.value(x)
    if value.dtype == trace.dtype:
        return value
    return Owner(trace.cast(value, trace.dtype), trace.dtype)


# -- comparison up to rounding


def isclose(
    trace: Trace,
    a: object,
    b: object,
    rtol: Any = 1e-5,
    atol: Any = 1e-8,
    equal_nan: Any = False,
) -> Value:
    x, y = trace.value(a), trace.value(b)
    for tolerance in (rtol, atol):  # NumPy warns of others
        value = trace.value(tolerance)
        trace.check(apply(trace, np.isfinite, comparisons.isfinite, value).read().all())
    if y.kind != "python":
        kind = np.result_type(y.dtype, np.float64 if y.dtype.kind in "biu" else y.dtype)
        y = Owner(trace.cast(y, kind), kind)
    size = elementwise.absolute
    off = apply(trace, np.absolute, size, apply(trace, np.subtract, elementwise.subtract, x, y))
    scale = apply(trace, np.absolute, size, y)
    limit = apply(trace, np.multiply, elementwise.multiply, scale, rtol)
    limit = apply(trace, np.add, elementwise.add, limit, atol)
    near = apply(trace, np.less_equal, comparisons.less_equal, off, limit).read()
    near = near & apply(trace, np.isfinite, comparisons.isfinite, y).read()
    same = apply(trace, np.equal, comparisons.equal, x, y).read()
    found = near | same
    if equal_nan is not False:
        both = [apply(trace, np.isnan, comparisons.isnan, v).read() for v in (x, y)]
        found = found | (both[0] & both[1])
    return Owner(found, np.dtype("bool"))


def allclose(
    trace: Trace,
    a: object,
    b: object,
    rtol: Any = 1e-5,
    atol: Any = 1e-8,
    equal_nan: Any = False,
) -> Value:
    found = isclose(trace, a, b, rtol, atol, equal_nan).read()
    return Owner(found.all(), np.dtype("bool"))


def array_equal(trace: Trace, a1: object, a2: object, equal_nan: Any = False) -> Value:
    x, y = trace.value(a1), trace.value(a2)
    if x.shape != y.shape:
        return Owner(torch.full((), False, dtype=torch.bool), np.dtype("bool"))
    same = apply(trace, np.equal, comparisons.equal, x, y).read()
    if equal_nan and x.dtype.kind in "fc" and y.dtype.kind in "fc":
        same = same | (torch.isnan(x.read()) & torch.isnan(y.read()))
    return Owner(same.all(), np.dtype("bool"))


def array_equiv(trace: Trace, a1: object, a2: object) -> Value:
    x, y = trace.value(a1), trace.value(a2)
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return Owner(torch.full((), False, dtype=torch.bool), np.dtype("bool"))
    same = apply(trace, np.equal, comparisons.equal, x, y).read()
    return Owner(same.all(), np.dtype("bool"))
