# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Medians, quantiles and averages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering import reductions, turns
from jupyter_npcompile.tracer.lowering.trace import Trace, count, known_array
from jupyter_npcompile.tracer.lowering.values import Owner, Value

_MASKED = 600
"""Rows of fewer elements, several at once, are masked arrays in `np.nanmedian` (2.4), which takes
the mean of two elements there, where one is in the middle of it twice."""


def _gathered(trace: Trace, x: Value, axis: object) -> tuple[Tensor, tuple[int, ...]]:
    """The elements of each reduction in a first dimension of its own, sorted."""
    if x.dtype.kind not in "fiub" or x.dtype.name in ("float16", "uint64"):
        trace.unsupported(f"dtype {x.dtype}")
    axes = trace.axes(axis, x.ndim)
    kept = [k for k in range(x.ndim) if k not in axes]
    tensor = x.read().permute((*axes, *kept))
    size = count([x.shape[k] for k in axes])
    tensor = tensor.reshape((size, *tensor.shape[len(axes) :]))
    if tensor.shape[0] == 0:
        trace.unsupported("no elements")
    if tensor.dtype == torch.bool:
        trace.unsupported("booleans")
    return torch.sort(tensor, dim=0).values, axes


def _shaped(tensor: Tensor, x: Value, axes: tuple[int, ...], keepdims: object, lead: int) -> Tensor:
    if not keepdims:
        return tensor
    shape = [1 if k in axes else n for k, n in enumerate(x.shape)]
    return tensor.reshape((*tensor.shape[:lead], *shape))


def median(
    trace: Trace,
    a: object,
    axis: object = None,
    out: object = None,
    overwrite_input: object = False,
    keepdims: object = False,
) -> Value:
    if overwrite_input:
        trace.unsupported("overwrite_input=True")
    x = trace.value(a)
    rows, axes = _gathered(trace, x, axis)
    size = rows.shape[0]
    kind = x.dtype if x.dtype.kind == "f" else np.dtype("float64")
    middle = rows[(size - 1) // 2 : size // 2 + 1]
    middle = trace.convert(middle, x.dtype, kind)
    found = reductions.total(middle, (0,)) / middle.shape[0]
    if kind.kind == "f" and x.dtype.kind == "f":
        found = torch.where(torch.isnan(rows[-1]), rows[-1], found)
    return Owner(_shaped(found, x, axes, keepdims, 0), kind)


def nanmedian(
    trace: Trace,
    a: object,
    axis: object = None,
    out: object = None,
    overwrite_input: object = False,
    keepdims: object = False,
) -> Value:
    x = trace.value(a)
    if overwrite_input:
        trace.unsupported("overwrite_input=True")
    if x.dtype.kind != "f":
        return median(trace, x, axis, keepdims=keepdims)
    rows, axes = _gathered(trace, x, axis)
    last = _numbers(trace, rows) - 1
    low = torch.gather(rows, 0, (last // 2).unsqueeze(0))[0]
    high = torch.gather(rows, 0, ((last + 1) // 2).unsqueeze(0))[0]
    found = (low + high) / 2.0
    if len(axes) == x.ndim or rows.shape[0] >= _MASKED:
        found = torch.where(last % 2 == 0, low, found)
    found = found + 0.0  # it is a sum in NumPy, which begins with zero
    return Owner(_shaped(found, x, axes, keepdims, 0), x.dtype)


def _numbers(trace: Trace, rows: Tensor) -> Tensor:
    """How many elements of each row are numbers, one at least: NumPy warns where there is none."""
    found = (~torch.isnan(rows)).sum(dim=0, dtype=torch.int64)
    trace.check((found > 0).all())
    return found.clamp(min=1)


def percentile(trace: Trace, a: object, q: object, *args: Any, **kwargs: Any) -> Value:
    wanted = trace.value(q)
    known = known_array(wanted)
    if known is None:
        return _quantile(trace, a, _shares(trace, wanted) / 100, *args, **kwargs)
    return _quantile(trace, a, np.asarray(np.true_divide(known, 100)), *args, **kwargs)


def nanpercentile(trace: Trace, a: object, q: object, *args: Any, **kwargs: Any) -> Value:
    return percentile(trace, a, q, *args, **kwargs, skipping=True)


def nanquantile(trace: Trace, a: object, q: object, *args: Any, **kwargs: Any) -> Value:
    return quantile(trace, a, q, *args, **kwargs, skipping=True)


def quantile(trace: Trace, a: object, q: object, *args: Any, **kwargs: Any) -> Value:
    wanted = trace.value(q)
    known = known_array(wanted)
    return _quantile(trace, a, _shares(trace, wanted) if known is None else known, *args, **kwargs)


def _shares(trace: Trace, q: Value) -> Tensor:
    """The parts of elements below quantiles that only the run shows."""
    # With q in single precision, NumPy finds the place between elements in single precision.
    if q.ndim > 1 or 0 in q.shape or not (q.dtype.kind in "iu" or q.dtype.name == "float64"):
        trace.unsupported("this form of q")
    return trace.cast(q, np.dtype("float64"))


def _quantile(
    trace: Trace,
    a: object,
    q: np.ndarray | Tensor,
    axis: object = None,
    out: object = None,
    overwrite_input: object = False,
    method: object = "linear",
    keepdims: object = False,
    *,
    weights: object = None,
    interpolation: object = None,
    skipping: bool = False,
) -> Value:
    x = trace.value(a)
    if method != "linear" or overwrite_input or weights is not None or interpolation is not None:
        trace.unsupported("only for the linear method, without weights")
    if isinstance(q, np.ndarray) and (q.ndim > 1 or q.dtype.kind not in "fiu"):
        trace.unsupported("this form of q")
    rows, axes = _gathered(trace, x, axis)
    kind = trace.dtype
    if isinstance(q, Tensor):
        trace.check(((q >= 0) & (q <= 1)).all())  # else NumPy raises
        if skipping and x.dtype.kind == "f":
            last = _numbers(trace, rows) - 1
            types = x.dtype, kind
            parts = [_among_numbers(trace, rows, last, share, types) for share in q.reshape(-1)]
            joined = torch.stack(parts)
        else:
            joined = _at(trace, rows, q.reshape(-1), x.dtype, kind)
        joined = joined if q.ndim else joined[0]
        return Owner(_shaped(joined, x, axes, keepdims, q.ndim), kind)
    if not q.size:
        none = trace.cast(Owner(rows, x.dtype), kind)[:0]
        return Owner(_shaped(none, x, axes, keepdims, q.ndim), kind)
    if skipping and x.dtype.kind == "f":
        last = _numbers(trace, rows) - 1
        types = x.dtype, kind
        parts = [_among_numbers(trace, rows, last, float(share), types) for share in q.flat]
        joined = torch.stack(parts) if q.ndim else parts[0]
        return Owner(_shaped(joined, x, axes, keepdims, q.ndim), kind)
    size = rows.shape[0]
    places = np.asarray((size - 1) * q).astype(np.float64)  # in q's digits, as in NumPy
    low = np.clip(np.floor(places).astype(np.int64), 0, size - 1)
    high = np.clip(low + 1, 0, size - 1)
    share = np.where(places < size - 1, places - low, places + 1)  # see `_share`
    found = [
        _between(trace, (rows[int(i)], rows[int(j)]), float(t), x.dtype, kind)
        for i, j, t in zip(low.flat, high.flat, share.flat, strict=True)
    ]
    joined = torch.stack(found) if q.ndim else found[0]
    joined = _or_nan(trace, rows, joined, x.dtype, kind)
    return Owner(_shaped(joined, x, axes, keepdims, q.ndim), kind)


def _at(trace: Trace, rows: Tensor, shares: Tensor, source: np.dtype, kind: np.dtype) -> Tensor:
    """Quantiles, one after the other, of all elements of sorted rows."""
    last = rows.shape[0] - 1
    place = shares * last
    low = torch.floor(place).to(torch.int64).clamp(0, last)
    high = (low + 1).clamp(max=last)
    share = _share(place, low, last).reshape(-1, *[1] * (rows.ndim - 1))
    ends = torch.index_select(rows, 0, low), torch.index_select(rows, 0, high)
    return _or_nan(trace, rows, _between(trace, ends, share, source, kind), source, kind)


def _among_numbers(
    trace: Trace, rows: Tensor, last: Tensor, q: float | Tensor, types: tuple[np.dtype, np.dtype]
) -> Tensor:
    """A quantile of the numbers in sorted rows, where ``nan`` comes last."""
    place = last.to(torch.float64) * q
    low = torch.floor(place).to(torch.int64)
    high = torch.minimum(low + 1, last)
    ends = (
        torch.gather(rows, 0, low.unsqueeze(0))[0],
        torch.gather(rows, 0, high.unsqueeze(0))[0],
    )
    return _between(trace, ends, _share(place, low, last), *types)


def _share(place: Tensor, low: Tensor, last: int | Tensor) -> Tensor:
    """How far places lie from elements before them.

    NumPy (2.4) counts the last element from the end, as number -1. So its share is the number of
    elements; two times the same element lie at its sides, and only the sign of a zero shows it.
    """
    return torch.where(place < last, place - low, place + 1)


def _between(
    trace: Trace,
    ends: tuple[Tensor, Tensor],
    share: float | Tensor,
    source: np.dtype,
    kind: np.dtype,
) -> Tensor:
    """What lies between two elements, as NumPy computes it: from the nearer end.

    Their distance is one in the dtype of the elements, also where the result has more digits.
    """
    low, high = ends
    distance = high - low
    if source.kind == "f":
        _demand_finite(trace, low, high)
    elif source.kind == "i":
        # Where it has no room, NumPy's wraps around, and warns if it is a number.
        trace.check(((distance >= 0) & (distance <= int(np.iinfo(source).max))).all())
    a, b, step = (trace.convert(part, source, kind) for part in (low, high, distance))
    if isinstance(share, Tensor):
        near, far = share.to(a.dtype), (1 - share).to(a.dtype)
        return torch.where(share < 0.5, a + step * near, b - step * far)
    return a + step * share if share < 0.5 else b - step * (1 - share)


def _or_nan(trace: Trace, rows: Tensor, found: Tensor, source: np.dtype, kind: np.dtype) -> Tensor:
    """NaN where it is the last of a sorted row."""
    if source.kind != "f":
        return found
    last = trace.convert(rows[-1], source, kind)
    return torch.where(torch.isnan(last), last, found)


def _demand_finite(trace: Trace, a: Tensor, b: Tensor) -> None:
    """What lies between infinities is NaN or infinite, as releases of NumPy differ in."""
    trace.check(~(torch.isinf(a) | torch.isinf(b)).any())


def average(
    trace: Trace,
    a: object,
    axis: object = None,
    weights: object = None,
    returned: object = False,
    *,
    keepdims: object = False,
) -> Any:
    x = trace.value(a)
    axes = trace.axes(axis, x.ndim)
    kind = trace.dtype
    keep = bool(keepdims)
    if weights is None:
        found = reductions.mean_of(trace, x, kind, axes, keep, True)
        if not returned:
            return found
        number = math.prod(x.shape[k] for k in axes)
        return [found, trace.full(trace.shape, number, np.dtype(trace.node.types[1].dtype))]
    w = trace.cast(_weights(trace, x, trace.value(weights), axis), kind)
    tensor = trace.cast(x, kind)
    turns.demand_few(trace, x, kind, axes)
    scale = reductions.total(w.expand(tensor.shape), axes, keep)
    trace.check((scale != 0).all())
    found = reductions.total(tensor * w, axes, keep) / scale
    return [found, scale] if returned else found


def _weights(trace: Trace, x: Value, weights: Value, axis: object) -> Value:
    """Weights in the shape of the array; they may lie along some axes of it."""
    tensor = weights.read()
    if tuple(tensor.shape) != x.shape:
        order = [a % x.ndim for a in trace.integers(axis, "axis")]
        places = sorted(range(len(order)), key=lambda k: order[k])
        tensor = tensor.permute(places)
        sizes = iter(tensor.shape)
        tensor = tensor.reshape([next(sizes) if k in order else 1 for k in range(x.ndim)])
    return Owner(tensor, weights.dtype)
