# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Order: sorting, searching, and integers taken apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering.dtypes import ordered, unordered
from jupyter_npcompile.tracer.lowering.indexing import INT64
from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.ufuncs import write
from jupyter_npcompile.tracer.lowering.values import Owner, Value

_FEW = 16
"""Elements that are compared one by one."""


def _real(trace: Trace, x: Value) -> Tensor:
    if x.dtype.kind == "c":
        trace.unsupported("complex numbers have no order in torch")
    return x.read().to(torch.int8) if x.dtype.kind == "b" else ordered(x.read(), x.dtype)


def _turned(tensor: Tensor) -> Tensor:
    """Elements in whose order those of a tensor descend, nan excepted, which stays the last."""
    return -tensor if tensor.is_floating_point() else ~tensor


def _sorted(trace: Trace, x: Value, axis: object, descending: object = None) -> Tensor:
    tensor = _real(trace, x)
    if axis is None:
        tensor, place = tensor.reshape(-1), 0
    else:
        place = trace.axis(axis, x.ndim)
    if tensor.ndim == 0:
        return x.read()
    turned = _turned(tensor) if descending else tensor
    found = torch.sort(turned, dim=place, stable=True).values  # nan comes last, as in NumPy
    found = _turned(found) if descending else found
    return found != 0 if x.dtype.kind == "b" else unordered(found, x.dtype)


def sort(
    trace: Trace,
    a: object,
    axis: object = -1,
    kind: object = None,
    order: object = None,
    *,
    stable: object = None,
    descending: object = None,
) -> Value:
    x = trace.value(a)
    return Owner(_sorted(trace, x, axis, descending), x.dtype)


def ndarray_sort(
    trace: Trace,
    a: Value,
    axis: object = -1,
    kind: object = None,
    order: object = None,
    *,
    stable: object = None,
    descending: object = None,
) -> None:
    write(trace, a, _sorted(trace, a, axis, descending))


def sort_complex(trace: Trace, a: object) -> Value:
    x = trace.value(a)
    if x.dtype.kind == "c":
        trace.unsupported("complex numbers have no order in torch")
    return Owner(_sorted(trace, x, -1), x.dtype)


def argsort(
    trace: Trace,
    a: object,
    axis: object = -1,
    kind: object = None,
    order: object = None,
    *,
    stable: object = None,
    descending: object = None,
) -> Tensor:
    x = trace.value(a)
    if kind not in ("stable", "mergesort") and stable is not True:
        _distinct_only(trace, x, axis)
    tensor = _turned(_real(trace, x)) if descending else _real(trace, x)
    if axis is None:
        return torch.argsort(tensor.reshape(-1), stable=True)
    if tensor.ndim == 0:
        return torch.zeros((), dtype=torch.int64)
    return torch.argsort(tensor, dim=trace.axis(axis, x.ndim), stable=True)


def _distinct_only(trace: Trace, x: Value, axis: object) -> None:
    """Equal elements come in NumPy's own order unless a stable sort is asked for."""
    tensor = _sorted(trace, x, axis)
    place = 0 if axis is None else trace.axis(axis, x.ndim)
    if tensor.ndim == 0 or tensor.shape[place] < 2:
        return
    size = tensor.shape[place]
    low, high = tensor.narrow(place, 0, size - 1), tensor.narrow(place, 1, size - 1)
    same = low == high
    if x.dtype.kind == "f":
        same = same | torch.isnan(low)
    trace.check(~same.any())


def lexsort(trace: Trace, keys: Any, axis: object = -1) -> Tensor:
    parts = (
        [Owner(keys.read().select(0, k), keys.dtype) for k in range(keys.shape[0])]
        if isinstance(keys, Value)
        else [trace.value(key) for key in keys]
    )
    place = trace.axis(axis, parts[0].ndim)
    order: Tensor | None = None
    for part in parts:
        tensor = _real(trace, part)
        if order is None:
            order = torch.argsort(tensor, dim=place, stable=True)
        else:
            turn = torch.argsort(torch.gather(tensor, place, order), dim=place, stable=True)
            order = torch.gather(order, place, turn)
    if order is None:
        trace.unsupported("no keys")
    return order


# -- searching


def _found(trace: Trace, haystack: Tensor, needles: Tensor, *, right: bool) -> Tensor:
    return torch.searchsorted(haystack, needles, right=right)


def searchsorted(
    trace: Trace, a: object, v: object, side: object = "left", sorter: object = None
) -> Tensor:
    x, wanted = trace.value(a), trace.value(v)
    kind = np.result_type(x.dtype, wanted.dtype)
    if kind.kind == "c" or kind.name == "float16":
        trace.unsupported(f"dtype {kind}")
    haystack = ordered(trace.cast(x, kind), kind)
    needles = ordered(trace.cast(wanted, kind), kind)
    if kind.kind == "f":  # NumPy puts NaN behind all numbers
        trace.check(~torch.isnan(needles).any())
    if kind.kind == "b":
        haystack, needles = haystack.to(torch.int8), needles.to(torch.int8)
    if sorter is not None:
        haystack = haystack[trace.cast(trace.value(sorter), INT64)]
    if haystack.shape[0] > 1:  # in an unsorted array NumPy's answer is an accident
        rising = haystack[1:] >= haystack[:-1]
        if kind.kind == "f":
            rising = rising | torch.isnan(haystack[1:])
        trace.check(rising.all())
    if kind.kind == "f" and haystack.shape[0]:
        # Torch looks behind NaN, which comes last, for whatever it seeks.
        trace.check(~torch.isnan(haystack[-1]))
    return _found(trace, haystack.contiguous(), needles.contiguous(), right=side == "right")


def digitize(trace: Trace, x: object, bins: object, right: object = False) -> Tensor:
    known = trace.known(bins, "the order of the bins")
    steps = np.diff(known)
    if (steps > 0).any() and (steps < 0).any():
        trace.unsupported("bins that are not monotonic")
    side = "left" if right else "right"
    if (steps < 0).any():
        reverse = Owner(trace.constant(known[::-1].copy()), known.dtype)
        return len(known) - searchsorted(trace, reverse, x, side)
    return searchsorted(trace, bins, x, side)


def isin(
    trace: Trace,
    element: object,
    test_elements: object,
    assume_unique: object = False,
    invert: object = False,
    *,
    kind: object = None,
) -> Tensor:
    x, tests = trace.value(element), trace.value(test_elements)
    common = np.result_type(x.dtype, tests.dtype)
    tensor = trace.cast(x, common)
    pool = trace.cast(tests, common).reshape(-1)
    if pool.numel() <= _FEW:
        found = (tensor.unsqueeze(-1) == pool).any(dim=-1)
    elif common.kind == "c" or common.name == "float16":
        trace.unsupported(f"dtype {common}")
    else:
        pool = torch.sort(pool).values
        place = torch.searchsorted(pool, tensor.contiguous()).clamp(max=pool.numel() - 1)
        found = torch.take(pool, place) == tensor
    return ~found if invert else found


# -- integers taken apart


def ravel_multi_index(
    trace: Trace, multi_index: Any, dims: object, mode: object = "raise", order: object = "C"
) -> Tensor:
    sizes = trace.integers(dims, "the dimensions")
    modes = list(mode) if isinstance(mode, tuple | list) else [mode] * len(sizes)
    parts = (
        [multi_index.read().select(0, k) for k in range(multi_index.shape[0])]
        if isinstance(multi_index, Value)
        else [trace.cast(trace.value(part), INT64) for part in multi_index]
    )
    found = torch.full((), 0, dtype=torch.int64)
    triples = list(zip(parts, sizes, modes, strict=True))
    for part, size, how in triples if order == "C" else triples[::-1]:
        place = part.to(torch.int64)
        if how == "wrap":
            place = torch.remainder(place, size)
        elif how == "clip":
            place = place.clamp(0, size - 1)
        else:
            trace.check(((place >= 0) & (place < size)).all())
        found = found * size + place
    return found


def unravel_index(
    trace: Trace, indices: object, shape: object, order: object = "C"
) -> list[Tensor]:
    sizes = trace.integers(shape, "the shape")
    rest = trace.cast(trace.value(indices), INT64)
    trace.check(((rest >= 0) & (rest < math.prod(sizes))).all())
    found: list[Tensor] = []
    for size in sizes[::-1] if order == "C" else sizes:
        found.append(torch.remainder(rest, size))
        rest = torch.div(rest, size, rounding_mode="floor")
    return found[::-1] if order == "C" else found


def _weights(trace: Trace, order: object) -> Tensor:
    powers = [1 << k for k in (range(7, -1, -1) if order == "big" else range(8))]
    return trace.constant(np.array(powers, np.int64))


def packbits(trace: Trace, a: object, /, axis: object = None, bitorder: object = "big") -> Tensor:
    x = trace.value(a)
    truth = trace.cast(x, np.dtype("bool")).to(torch.int64)
    truth, place = (truth.reshape(-1), 0) if axis is None else (truth, trace.axis(axis, x.ndim))
    truth = truth.movedim(place, -1)
    missing = -truth.shape[-1] % 8
    if missing:
        fill = torch.full((*truth.shape[:-1], missing), 0, dtype=torch.int64)
        truth = torch.cat([truth, fill], dim=-1)
    bits = truth.reshape((*truth.shape[:-1], truth.shape[-1] // 8, 8))
    packed = (bits * _weights(trace, bitorder)).sum(dim=-1, dtype=torch.int64)
    return packed.to(torch.uint8).movedim(-1, place)


def unpackbits(
    trace: Trace,
    a: object,
    /,
    axis: object = None,
    count: object = None,
    bitorder: object = "big",
) -> Tensor:
    x = trace.value(a)
    tensor, place = x.read().to(torch.int64), 0
    if axis is None:
        tensor = tensor.reshape(-1)
    else:
        place = trace.axis(axis, x.ndim)
    tensor = tensor.movedim(place, -1)
    bits = (tensor.unsqueeze(-1) & _weights(trace, bitorder)) != 0
    flat = bits.reshape((*tensor.shape[:-1], 8 * tensor.shape[-1])).to(torch.uint8)
    if count is not None:
        number, size = trace.integer(count, "count"), flat.shape[-1]
        kept = number if number >= 0 else size + number
        missing = torch.zeros((*flat.shape[:-1], max(kept - size, 0)), dtype=torch.uint8)
        flat = torch.cat([flat[..., :kept], missing], dim=-1)
    return flat.movedim(-1, place)
