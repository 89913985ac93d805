# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Reductions over axes: sums, products, extrema, moments, tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering import symbols, turns
from jupyter_npcompile.tracer.lowering.dtypes import carrier, ordered, unordered, wrap
from jupyter_npcompile.tracer.lowering.trace import Trace, count
from jupyter_npcompile.tracer.lowering.values import Owner, Value

HALF, SINGLE, FLOAT64 = (np.dtype(name) for name in ("float16", "float32", "float64"))


def masked(trace: Trace, tensor: Tensor, where: object, neutral: Any) -> Tensor:
    """The tensor with the neutral element wherever a mask is False."""
    if where is True:
        return tensor
    mask = trace.cast(trace.value(where), np.dtype("bool"))
    fill = neutral if isinstance(neutral, Tensor) else torch.full((), neutral, dtype=tensor.dtype)
    return torch.where(mask, tensor, fill)


_WIDE = {
    torch.float32: torch.float64,
    torch.complex64: torch.complex128,
    torch.int8: torch.int64,
    torch.int16: torch.int64,
    torch.int32: torch.int64,
    torch.uint8: torch.int64,
}
"""In what many elements are added up: kernels add single precision in few long
chains, which loses more digits than NumPy's pairs, and saturate small integers."""


def accumulator(trace: Trace, ufunc: np.ufunc, x: Value, dtype: object) -> np.dtype:
    """Dtype in which NumPy combines the elements: `dtype` if given, else that of ``out`` has a say.

    Without ``out`` the result has the dtype of the accumulator, so that one rule does for both.
    """
    if isinstance(dtype, np.dtype):
        return dtype
    try:
        return ufunc.resolve_dtypes((trace.dtype, x.dtype, None), reduction=True)[0]
    except TypeError:  # one element alone is copied, whatever the dtypes are
        trace.unsupported(f"out= of dtype {trace.dtype}")


def total(tensor: Tensor, axes: tuple[int, ...], keepdims: bool = False) -> Tensor:
    """Sum with a result of the tensor's own dtype."""
    if not axes:  # NumPy begins with zero, which takes the sign of -0.0 away
        return tensor + 0 if tensor.is_floating_point() or tensor.is_complex() else tensor
    wide = _WIDE.get(tensor.dtype, tensor.dtype)
    return torch.sum(tensor, dim=axes, keepdim=keepdims, dtype=wide).to(tensor.dtype)


def sum_as(
    trace: Trace, x: Value, dtype: np.dtype, axes: tuple[int, ...], keepdims: bool, where: object
) -> Tensor:
    """Sum as NumPy accumulates it for a result dtype."""
    if dtype.kind == "b":
        truth = masked(trace, trace.cast(x, dtype), where, False)
        return torch.any(truth, dim=axes, keepdim=keepdims) if axes else truth
    turns.demand_few(trace, x, dtype, axes, where)
    inner = SINGLE if dtype == HALF else dtype
    tensor = masked(trace, trace.cast(x, inner), where, 0)
    return wrap(total(tensor, axes, keepdims), dtype).to(carrier(dtype))


def sum(
    trace: Trace,
    a: object,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    keepdims: bool = False,
    initial: object = None,
    where: object = True,
) -> Value:
    x = trace.value(a)
    kind = accumulator(trace, np.add, x, dtype)
    found = sum_as(trace, x, kind, trace.axes(axis, x.ndim), bool(keepdims), where)
    if initial is not None:
        start = trace.cast(initial, kind)
        found = found | start if kind.kind == "b" else wrap(found + start, kind)
    return Owner(found, kind)


def prod(
    trace: Trace,
    a: object,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    keepdims: bool = False,
    initial: object = None,
    where: object = True,
) -> Value:
    x = trace.value(a)
    kind = accumulator(trace, np.multiply, x, dtype)
    axes = trace.axes(axis, x.ndim)
    if kind == HALF:
        trace.unsupported("products in half precision")
    if kind.kind == "b":
        found = masked(trace, trace.cast(x, kind), where, True)
        found = torch.all(found, dim=axes, keepdim=bool(keepdims)) if axes else found
    else:
        found = masked(trace, trace.cast(x, kind), where, 1)
        narrow = found.dtype
        wide = narrow if narrow.is_floating_point else _WIDE.get(narrow, narrow)
        for one in sorted(axes, reverse=True):
            found = torch.prod(found, dim=one, keepdim=bool(keepdims), dtype=wide)
        found = found.to(narrow)
    if initial is not None:
        found = found * trace.cast(initial, kind)
    return Owner(wrap(found, kind), kind)


# -- extrema


def extreme(
    trace: Trace,
    x: Value,
    axes: tuple[int, ...],
    keepdims: bool,
    initial: object,
    where: object,
    *,
    largest: bool,
) -> Tensor:
    """Maximum or minimum; NaN wins."""
    kind = x.dtype
    if kind.kind == "c":
        trace.unsupported("complex numbers have no order in torch")
    tensor = x.read()
    if where is not True:
        if initial is None:
            trace.unsupported("where= without initial=")
        tensor = masked(trace, tensor, where, trace.cast(initial, kind))
    if 0 in (tensor.shape[k] for k in axes):
        found = trace.cast(initial, kind).expand(_kept(tensor.shape, axes, keepdims))
        return found.clone()
    tensor = ordered(tensor, kind)
    if not axes:
        found = tensor
    elif kind.kind == "b":
        found = (torch.any if largest else torch.all)(tensor, dim=axes, keepdim=keepdims)
    else:
        narrow = tensor.dtype
        # Kernels take the minimum of bytes wrongly where a row ends within a vector.
        wide = tensor.to(_WIDE[narrow]) if kind.itemsize < 4 and kind.kind in "iu" else tensor
        found = (torch.amax if largest else torch.amin)(wide, dim=axes, keepdim=keepdims)
        found = found.to(narrow)
    if initial is not None:
        start = ordered(trace.cast(initial, kind), kind)
        found = torch.maximum(found, start) if largest else torch.minimum(found, start)
    return unordered(found, kind)


def _kept(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    if keepdims:
        return tuple(1 if k in axes else n for k, n in enumerate(shape))
    return tuple(n for k, n in enumerate(shape) if k not in axes)


def max(
    trace: Trace,
    a: object,
    axis: object = None,
    out: object = None,
    keepdims: bool = False,
    initial: object = None,
    where: object = True,
) -> Value:
    x = trace.value(a)
    axes = trace.axes(axis, x.ndim)
    found = extreme(trace, x, axes, bool(keepdims), initial, where, largest=True)
    return Owner(found, x.dtype)


def min(
    trace: Trace,
    a: object,
    axis: object = None,
    out: object = None,
    keepdims: bool = False,
    initial: object = None,
    where: object = True,
) -> Value:
    x = trace.value(a)
    axes = trace.axes(axis, x.ndim)
    found = extreme(trace, x, axes, bool(keepdims), initial, where, largest=False)
    return Owner(found, x.dtype)


def ptp(
    trace: Trace, a: object, axis: object = None, out: object = None, keepdims: bool = False
) -> Value:
    x = trace.value(a)
    axes, keep = trace.axes(axis, x.ndim), bool(keepdims)
    high = extreme(trace, x, axes, keep, None, True, largest=True)
    low = extreme(trace, x, axes, keep, None, True, largest=False)
    return Owner(wrap(high - low, x.dtype), x.dtype)


def _position(trace: Trace, a: object, axis: object, keepdims: bool, *, largest: bool) -> Tensor:
    x = trace.value(a)
    if x.dtype.kind == "c":
        trace.unsupported("complex numbers have no order in torch")
    tensor = x.read()
    tensor = tensor.to(torch.uint8) if x.dtype.kind == "b" else ordered(tensor, x.dtype)
    find = torch.argmax if largest else torch.argmin
    if axis is None:
        found = find(tensor.reshape(-1), dim=0)
        return found.reshape((1,) * x.ndim) if keepdims else found
    if x.ndim == 0:
        return torch.zeros((), dtype=torch.int64)
    return find(tensor, dim=trace.axis(axis, x.ndim), keepdim=bool(keepdims))


def argmax(
    trace: Trace, a: object, axis: object = None, out: object = None, *, keepdims: bool = False
) -> Tensor:
    return _position(trace, a, axis, keepdims, largest=True)


def argmin(
    trace: Trace, a: object, axis: object = None, out: object = None, *, keepdims: bool = False
) -> Tensor:
    return _position(trace, a, axis, keepdims, largest=False)


# -- moments


def divisor(
    trace: Trace, shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool, where: object
) -> float | Tensor:
    """How many elements a reduction takes, per result where there is a mask."""
    if where is True:
        number = count([shape[k] for k in axes])
        symbolic = symbols.tensor(number)
        return float(number) if symbolic is None else symbolic.to(torch.float64)
    mask = trace.cast(trace.value(where), np.dtype("bool")).expand(shape)
    return total(mask.to(torch.int64), axes, keepdims).to(torch.float64)


def _over(tensor: Tensor, number: float | Tensor) -> Tensor:
    if isinstance(number, float):
        return tensor / torch.full((), number, dtype=_real(tensor.dtype))
    return tensor / number.to(_real(tensor.dtype))


def _real(dtype: torch.dtype) -> torch.dtype:
    return {torch.complex64: torch.float32, torch.complex128: torch.float64}.get(dtype, dtype)


def mean_of(
    trace: Trace, x: Value, dtype: np.dtype, axes: tuple[int, ...], keepdims: bool, where: object
) -> Tensor:
    """Mean in a floating-point dtype; half precision is summed in single."""
    if dtype == HALF and where is not True:
        trace.unsupported("a mean of some numbers in half precision")
    inner = SINGLE if dtype == HALF else dtype
    found = sum_as(trace, x, inner, axes, keepdims, where)
    number = divisor(trace, x.shape, axes, keepdims, where)
    if where is not True and isinstance(number, Tensor):  # NumPy warns of the mean of nothing
        trace.check((number > 0).all())
    return _over(found, number).to(carrier(dtype))


def mean(
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
    return mean_of(trace, x, trace.dtype, trace.axes(axis, x.ndim), bool(keepdims), where)


def variance(
    trace: Trace,
    x: Value,
    axes: tuple[int, ...],
    dtype: object,
    ddof: object,
    keepdims: bool,
    where: object,
    mean: object,
) -> Tensor:
    """Mean squared distance from the mean, as NumPy computes it."""
    kind = dtype if isinstance(dtype, np.dtype) else x.dtype
    kind = FLOAT64 if kind.kind in "biu" else kind
    if kind == HALF:
        trace.unsupported("variance in half precision")
    middle = mean_of(trace, x, kind, axes, True, where) if mean is None else trace.cast(mean, kind)
    off = trace.cast(x, kind) - middle
    if kind.kind == "c":
        squares = torch.real(off) * torch.real(off) + torch.imag(off) * torch.imag(off)
    else:
        squares = off * off
    turns.demand_few(trace, x, kind, axes, where)
    found = total(masked(trace, squares, where, 0), axes, keepdims)
    number = divisor(trace, x.shape, axes, keepdims, where)
    if isinstance(number, float) and isinstance(ddof, int | float):
        left: float | Tensor = number - ddof if number > ddof else 0.0
    else:
        if isinstance(number, Tensor):  # NumPy warns where no degree of freedom is left
            trace.check((number > trace.cast(ddof, FLOAT64)).all())
        amount = torch.full((), number) if isinstance(number, float) else number
        left = torch.clamp(amount.to(torch.float64) - trace.cast(ddof, FLOAT64), min=0.0)
    return _over(found, left)


def var(
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
    return variance(
        trace, x, trace.axes(axis, x.ndim), dtype, less, bool(keepdims), where, mean
    ).to(carrier(trace.dtype))


def std(
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
    found = variance(trace, x, trace.axes(axis, x.ndim), dtype, less, bool(keepdims), where, mean)
    return trace.root(found).to(carrier(trace.dtype))


# -- tests


def all(
    trace: Trace,
    a: object,
    axis: object = None,
    out: object = None,
    keepdims: bool = False,
    *,
    where: object = True,
) -> Value:
    x = trace.value(a)
    truth = masked(trace, trace.cast(x, np.dtype("bool")), where, True)
    axes = trace.axes(axis, x.ndim)
    found = torch.all(truth, dim=axes, keepdim=bool(keepdims)) if axes else truth
    return Owner(found, np.dtype("bool"))


def any(
    trace: Trace,
    a: object,
    axis: object = None,
    out: object = None,
    keepdims: bool = False,
    *,
    where: object = True,
) -> Value:
    x = trace.value(a)
    truth = masked(trace, trace.cast(x, np.dtype("bool")), where, False)
    axes = trace.axes(axis, x.ndim)
    found = torch.any(truth, dim=axes, keepdim=bool(keepdims)) if axes else truth
    return Owner(found, np.dtype("bool"))


def count_nonzero(
    trace: Trace, a: object, axis: object = None, *, keepdims: bool = False
) -> Tensor:
    x = trace.value(a)
    truth = trace.cast(x, np.dtype("bool")).to(torch.int64)
    return total(truth, trace.axes(axis, x.ndim), bool(keepdims))
