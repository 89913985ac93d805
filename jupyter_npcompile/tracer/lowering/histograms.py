# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Counting: how often each integer occurs, how many values fall into each bin.

NumPy finds the bin of a value by arithmetic and then corrects it by comparing
with the edges; a search among the edges gives the same bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering.creation import spaced
from jupyter_npcompile.tracer.lowering.dtypes import carrier
from jupyter_npcompile.tracer.lowering.trace import Trace, known_array, plain
from jupyter_npcompile.tracer.lowering.values import Owner, Value

INT64, FLOAT64 = np.dtype("int64"), np.dtype("float64")

EXACT = 2.0**53
"""Integers up to which float64 holds every one."""


def bincount(trace: Trace, x: object, /, weights: object = None, minlength: object = 0) -> Value:
    """The length is the recorded one; another length is left to NumPy."""
    values = trace.value(x)
    places, size = trace.cast(values, INT64), trace.shape[0]
    if size == 0:
        return Owner(torch.zeros(0, dtype=carrier(trace.dtype)), trace.dtype)
    if places.numel():
        trace.check((places >= 0).all() & (places < size).all())
        if size > trace.integer(minlength, "minlength"):
            trace.check((places == size - 1).any())
    amounts = None if weights is None else trace.cast(trace.value(weights), FLOAT64)
    return _counted(places.clamp(0, size - 1), size, amounts, None)


def _counted(places: Tensor, size: int, weights: Tensor | None, valid: Tensor | None) -> Value:
    """Sum what falls into each place; what is not valid counts nothing."""
    if weights is None:
        weights = torch.ones_like(places)
    if valid is not None:
        weights = torch.where(valid, weights, torch.zeros_like(weights))
    kind = INT64 if weights.dtype == torch.int64 else FLOAT64
    none = torch.zeros(size, dtype=weights.dtype)
    return Owner(torch.ops.aten.index_put.default(none, [places], weights, True), kind)


def histogram_bin_edges(
    trace: Trace, a: object, bins: object = 10, range: object = None, weights: object = None
) -> Value:
    return _edges(trace, _flat(trace, a), bins, range, trace.dtype)


def histogram(
    trace: Trace,
    a: object,
    bins: object = 10,
    range: object = None,
    density: object = None,
    weights: object = None,
) -> list[Any]:
    x = _flat(trace, a)
    kinds = [np.dtype(kind.dtype) for kind in trace.node.types]
    edges = _edges(trace, x, bins, range, kinds[1])
    places, valid = _places(trace, x, edges)
    amounts, total = None, INT64
    if weights is not None:
        given = trace.value(weights)
        total = given.dtype
        if total.kind not in "iuf" or total.name in ("float16", "uint64"):
            trace.unsupported(f"weights of dtype {total}")
        amounts = trace.cast(given, INT64 if total.kind in "iu" else FLOAT64).reshape(-1)
    size = edges.shape[0] - 1
    counts = _counted(places, size, amounts, valid)
    if not density:
        return [counts, edges]
    numbers = trace.cast(Owner(trace.cast(counts, total), total), FLOAT64)
    sums = numbers.sum()
    trace.check(sums != 0)
    return [Owner(numbers / _widths(trace, edges) / sums, FLOAT64), edges]


def histogram2d(
    trace: Trace,
    x: object,
    y: object,
    bins: Any = 10,
    range: Any = None,
    density: object = None,
    weights: object = None,
) -> list[Any]:
    samples = [trace.value(x), trace.value(y)]
    common = np.result_type(*(sample.dtype for sample in samples))
    flat = [Owner(trace.cast(sample, common).reshape(-1), common) for sample in samples]
    each = bins if _is_pair(bins) else (bins, bins)
    ranges = (None, None) if range is None else range
    edges = [
        _edges(trace, sample, b, r, np.dtype(kind.dtype))
        for sample, b, r, kind in zip(flat, each, ranges, trace.node.types[1:], strict=True)
    ]
    found = [_places(trace, sample, edge) for sample, edge in zip(flat, edges, strict=True)]
    rows, columns = (edge.shape[0] - 1 for edge in edges)
    amounts = None if weights is None else trace.cast(trace.value(weights), FLOAT64).reshape(-1)
    counts = _counted(
        found[0][0] * columns + found[1][0], rows * columns, amounts, found[0][1] & found[1][1]
    )
    numbers = trace.cast(counts, FLOAT64).reshape(rows, columns)
    if density:
        sums = numbers.sum()
        trace.check(sums != 0)
        numbers = numbers / _widths(trace, edges[0]).reshape(-1, 1)
        numbers = numbers / _widths(trace, edges[1]).reshape(1, -1) / sums
    return [Owner(numbers, FLOAT64), *edges]


def _is_pair(bins: object) -> bool:
    if isinstance(bins, Value):
        return bins.kind == "array" and bins.ndim == 1 and bins.shape[0] in (1, 2)
    return isinstance(bins, Sequence) and not isinstance(bins, str) and len(bins) in (1, 2)


def _flat(trace: Trace, a: object) -> Value:
    x = trace.value(a)
    if x.dtype.kind not in "iuf" or x.dtype.name in ("float16", "uint64"):
        trace.unsupported(f"dtype {x.dtype}")
    return Owner(trace.cast(x, x.dtype).reshape(-1), x.dtype)


def _edges(trace: Trace, x: Value, bins: object, range: object, kind: np.dtype) -> Value:
    if isinstance(bins, str):
        trace.unsupported(f"bins={bins!r}: their number depends on the values")
    if isinstance(bins, list | tuple) or (isinstance(bins, Value) and bins.ndim == 1):
        edges = trace.value(bins)
        tensor = edges.read()
        trace.check((tensor[:-1] <= tensor[1:]).all())
        return edges
    number = trace.integer(bins, "the number of bins")
    if range is not None:
        return _constant_edges(trace, range, number, kind)
    tensor = x.read()
    if tensor.numel() == 0:
        return _constant_edges(trace, (0, 1), number, kind)
    low, high = trace.cast(Owner(tensor.min(), x.dtype), kind), tensor.max()
    high = trace.cast(Owner(high, x.dtype), kind)
    trace.check(torch.isfinite(low) & torch.isfinite(high))
    if x.dtype.name in ("int64", "uint64"):
        trace.check((low >= -EXACT) & (high <= EXACT))
    same = low == high
    low, high = torch.where(same, low - 0.5, low), torch.where(same, high + 0.5, high)
    edges = spaced(trace, Owner(low, kind), Owner(high, kind), number + 1, kind)
    tensor = edges.read()
    trace.check((tensor[:-1] < tensor[1:]).all())
    return edges


def _constant_edges(trace: Trace, range: object, number: int, kind: np.dtype) -> Value:
    limits = known_array(range)
    if limits is None:
        trace.unsupported("range= is not constant")
    low, high = plain(range)
    if low == high:
        low, high = low - 0.5, high + 0.5
    array = np.linspace(low, high, number + 1, endpoint=True, dtype=kind)
    return Owner(trace.constant(array), kind, known=array)


def _places(trace: Trace, x: Value, edges: Value) -> tuple[Tensor, Tensor]:
    """The bin of each value, and whether it is in one; the last bin has its right edge."""
    common = np.result_type(x.dtype, edges.dtype)
    values, limits = trace.cast(x, common).contiguous(), trace.cast(edges, common).contiguous()
    size = limits.shape[0] - 1
    places = torch.searchsorted(limits, values, right=True) - 1
    valid = (values >= limits[0]) & (values <= limits[-1])
    return places.clamp(0, size - 1), valid


def _widths(trace: Trace, edges: Value) -> Tensor:
    tensor = trace.cast(edges, edges.dtype)
    return trace.cast(Owner(tensor[1:] - tensor[:-1], edges.dtype), FLOAT64)
