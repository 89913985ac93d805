# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Writes into arrays: ``x[index] = value`` and the functions that write."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering.indexing import (
    BOOL,
    INT64,
    Selection,
    gather,
    inside,
    prepared,
    select,
)
from jupyter_npcompile.tracer.lowering.shapes import reshaped
from jupyter_npcompile.tracer.lowering.trace import Trace, known_array
from jupyter_npcompile.tracer.lowering.ufuncs import write
from jupyter_npcompile.tracer.lowering.values import Compressed, Value


def setitem(trace: Trace, x: Value, index: object, value: object) -> None:
    selection = select(trace, x, index)
    if isinstance(value, Compressed):
        _store_compressed(trace, selection, value)
        return
    # a source that overlaps the target needs no copy: tensors are never changed
    tensor = trace.cast(trace.value(value), x.dtype, stored=selection.is_basic)
    if selection.is_basic:
        write(trace, selection.part, tensor)
    elif selection.mask is not None:
        _store_masked(trace, selection, tensor)
    else:
        store_at(trace, selection.part, prepared(trace, selection), tensor, selection.fancy)


def _store_compressed(trace: Trace, selection: Selection, value: Compressed) -> None:
    """``x[mask] = y[mask]``: every element stays in its place."""
    part, mask = selection.part, selection.mask
    present = part.read()
    same = mask is not None and not selection.mask_axis and trace.key(mask) == value.key
    if not same or present.shape != value.full.shape:
        trace.unsupported("a boolean mask selects: the shape depends on the data")
    filled = trace.convert(value.filled(), value.dtype, part.dtype)
    part.write(torch.where(value.spread, filled, present))


def _store_masked(trace: Trace, selection: Selection, tensor: Tensor) -> None:
    part, mask = selection.part, selection.mask
    if mask is None:
        raise AssertionError("no mask")
    present = part.read()
    rest = present.ndim - selection.mask_axis - mask.ndim
    truth = mask.read()
    if selection.mask_axis and tensor.numel() != 1:
        trace.unsupported("values for a mask that is not the first index")
    while tensor.ndim > rest and tensor.shape[0] == 1:
        tensor = tensor.squeeze(0)
    if tensor.ndim > rest:
        trace.unsupported("as many values as a mask has True elements: the number can change")
    truth = truth.reshape((*truth.shape, *(1,) * rest))
    part.write(torch.where(truth, tensor, present))


def store_at(
    trace: Trace,
    target: Value,
    places: Sequence[Tensor | None],
    tensor: Tensor,
    origin: Sequence[Any],
) -> None:
    """Store at arrays of indices; the last value wins where indices repeat."""
    present = target.read()
    shape = tuple(gather(present, places).shape)
    while tensor.ndim > len(shape):
        tensor = tensor.squeeze(0)
    uniform = tensor.numel() == 1
    tensor = tensor.expand(shape)
    if uniform or tensor.numel() <= 1 or distinct(origin, target.shape):
        target.write(torch.ops.aten.index_put.default(present, list(places), tensor))
        return
    linear = torch.arange(present.numel(), dtype=torch.int64).reshape(present.shape)
    target.write(last_wins(present, gather(linear, places).reshape(-1), tensor.reshape(-1)))


def last_wins(present: Tensor, places: Tensor, values: Tensor) -> Tensor:
    """Store values at flat places, in order."""
    if places.numel() == 0:
        return present
    turns = torch.arange(places.numel(), dtype=torch.int64)
    none = torch.full((present.numel(),), -1, dtype=torch.int64)
    winner = torch.scatter_reduce(none, 0, places, turns, "amax", include_self=True)
    # others go to a place behind the end: work and derivatives are as many as the values
    behind = torch.where(winner[places] == turns, places, present.numel())
    longer = torch.constant_pad_nd(present.reshape(-1), (0, 1))
    stored: Tensor = torch.ops.aten.index_put.default(longer, [behind], values)
    return stored[: present.numel()].reshape(present.shape)


def distinct(origin: Sequence[Any], shape: Sequence[int]) -> bool:
    """Whether indices name no element twice; one that never repeats itself is enough."""
    known = [None if item is None else known_array(item) for item in origin]
    shapes = {tuple(np.shape(item)) for item in origin if item is not None}
    for places, size in zip(known, shape, strict=True):
        if places is None or shapes != {places.shape} or not isinstance(size, int):
            continue
        if np.unique(np.where(places < 0, places + size, places)).size == places.size:
            return True
    if any(k is None and item is not None for k, item in zip(known, origin, strict=True)):
        return False
    arrays = [np.where(k < 0, k + n, k) for k, n in zip(known, shape, strict=True) if k is not None]
    flat = [part.reshape(-1) for part in np.broadcast_arrays(*arrays)]
    return len(set(zip(*(part.tolist() for part in flat), strict=True))) == flat[0].size


# -- functions and methods


def fill(trace: Trace, a: Value, value: object) -> None:
    write(trace, a, trace.cast(trace.value(value), a.dtype, stored=True))


def copyto(
    trace: Trace, dst: Value, src: object, casting: object = "same_kind", where: object = True
) -> None:
    mask = trace.value(where) if isinstance(where, list | tuple) else where
    write(trace, dst, trace.cast(trace.value(src), dst.dtype), mask)


def putmask(trace: Trace, a: Value, mask: object, values: object) -> None:
    _repeat_where(trace, a, mask, values)


def _repeat_where(trace: Trace, a: Value, mask: object, values: object) -> None:
    present = a.read()
    truth = trace.cast(trace.value(mask), BOOL).reshape(present.shape)
    source = trace.cast(trace.value(values), a.dtype).reshape(-1)
    if source.numel() == 0:
        return
    turns = torch.arange(present.numel(), dtype=torch.int64) % source.numel()
    a.write(torch.where(truth, source[turns].reshape(present.shape), present))


def place(trace: Trace, arr: Value, mask: object, vals: object) -> None:
    present = arr.read()
    truth = trace.cast(trace.value(mask), BOOL).reshape(-1)
    source = trace.cast(trace.value(vals), arr.dtype).reshape(-1)
    if source.numel() == 0:
        trace.check(~truth.any())
        return
    turns = (torch.cumsum(truth.to(torch.int64), 0) - 1).clamp(min=0) % source.numel()
    flat = torch.where(truth, source[turns], present.reshape(-1))
    arr.write(flat.reshape(present.shape))


def put(trace: Trace, a: Value, indices: object, values: object, mode: object = "raise") -> None:
    flat = reshaped(trace, a, (a.read().numel(),))
    wanted = trace.value(indices)
    places = resolved(trace, trace.cast(wanted, INT64).reshape(-1), flat.shape[0], mode)
    source = trace.cast(trace.value(values), a.dtype).reshape(-1)
    if places.numel() == 0 or source.numel() == 0:
        return
    turns = torch.arange(places.numel(), dtype=torch.int64) % source.numel()
    flat.write(last_wins(flat.read(), places, source[turns]))


def resolved(trace: Trace, places: Tensor, size: int, mode: object) -> Tensor:
    """Indices by the rule of ``mode=``."""
    if mode == "wrap":
        return torch.remainder(places, size)
    if mode == "clip":
        return places.clamp(0, size - 1)
    return inside(trace, places, size)


def put_along_axis(trace: Trace, arr: Value, indices: object, values: object, axis: object) -> None:
    wanted = trace.cast(trace.value(indices), INT64)
    source = trace.cast(trace.value(values), arr.dtype)
    target: Value = arr
    if axis is None:
        target, along = reshaped(trace, arr, (arr.read().numel(),)), 0
    else:
        along = trace.axis(axis, arr.ndim)
    present = target.read()
    places = inside(trace, wanted, present.shape[along])
    shape = list(np.broadcast_shapes(places.shape, _without(present.shape, along)))
    linear = torch.arange(present.numel(), dtype=torch.int64).reshape(present.shape)
    widened = [
        n if k == along else m for k, (n, m) in enumerate(zip(present.shape, shape, strict=True))
    ]
    flat = torch.gather(linear.expand(widened), along, places.expand(shape))
    values_ = source.expand(shape).reshape(-1)
    target.write(last_wins(present, flat.reshape(-1), values_))


def _without(shape: Sequence[int], axis: int) -> tuple[int, ...]:
    return tuple(1 if k == axis else n for k, n in enumerate(shape))


def fill_diagonal(trace: Trace, a: Value, val: object, wrap: object = False) -> None:
    source = trace.cast(trace.value(val), a.dtype).reshape(-1)
    shape = a.shape
    step, end = shape[-1] + 1, a.read().numel()
    if len(shape) == 2:
        end = end if wrap else min(end, shape[1] * shape[1])
    else:
        step = 1 + sum(math.prod(shape[:k]) for k in range(1, len(shape)))
    places = torch.arange(0, end, step, dtype=torch.int64)
    turns = torch.arange(places.numel(), dtype=torch.int64) % source.numel()
    flat = a.read().reshape(-1)
    write(trace, a, torch.index_put(flat, [places], source[turns]).reshape(shape))
