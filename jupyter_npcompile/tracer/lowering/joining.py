# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Arrays put together, repeated, shifted, padded, and with parts removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering.trace import Trace, known_array
from jupyter_npcompile.tracer.lowering.values import Owner, Value


def _arrays(trace: Trace, arrays: object) -> list[Value]:
    if isinstance(arrays, Value):
        return [Owner(arrays.read().select(0, k), arrays.dtype) for k in range(arrays.shape[0])]
    if not isinstance(arrays, list | tuple):
        trace.unsupported("not a sequence of arrays")
    return [trace.value(x) for x in arrays]


def _joined(
    trace: Trace, values: Sequence[Value], axis: int, shapes: Sequence[Sequence[int]] | None = None
) -> Tensor:
    tensors = [trace.cast(v, trace.dtype) for v in values]
    if shapes is not None:
        tensors = [t.reshape(tuple(s)) for t, s in zip(tensors, shapes, strict=True)]
    return torch.cat(tensors, dim=axis)


def concatenate(
    trace: Trace,
    arrays: object,
    /,
    axis: object = 0,
    out: object = None,
    *,
    dtype: object = None,
    casting: object = "same_kind",
) -> Tensor:
    values = _arrays(trace, arrays)
    if axis is None:
        return _joined(trace, values, 0, [(v.read().numel(),) for v in values])
    return _joined(trace, values, trace.axis(axis, values[0].ndim))


def stack(
    trace: Trace,
    arrays: object,
    axis: object = 0,
    out: object = None,
    *,
    dtype: object = None,
    casting: object = "same_kind",
) -> Tensor:
    values = _arrays(trace, arrays)
    place = trace.axis(axis, values[0].ndim + 1)
    return torch.stack([trace.cast(v, trace.dtype) for v in values], dim=place)


def vstack(trace: Trace, tup: object, *, dtype: object = None, casting: object = None) -> Tensor:
    values = _arrays(trace, tup)
    shapes = [v.shape if v.ndim >= 2 else (1, *(v.shape or (1,))) for v in values]
    return _joined(trace, values, 0, shapes)


def hstack(trace: Trace, tup: object, *, dtype: object = None, casting: object = None) -> Tensor:
    values = _arrays(trace, tup)
    shapes = [v.shape or (1,) for v in values]
    return _joined(trace, values, 0 if len(shapes[0]) == 1 else 1, shapes)


def dstack(trace: Trace, tup: object) -> Tensor:
    values = _arrays(trace, tup)
    shapes = [{0: (1, 1, 1), 1: (1, *v.shape, 1)}.get(v.ndim, (*v.shape, 1)) for v in values]
    shapes = [v.shape if v.ndim > 2 else s for v, s in zip(values, shapes, strict=True)]
    return _joined(trace, values, 2, shapes)


def column_stack(trace: Trace, tup: object) -> Tensor:
    values = _arrays(trace, tup)
    shapes = [v.shape if v.ndim >= 2 else (v.read().numel(), 1) for v in values]
    return _joined(trace, values, 1, shapes)


def append(trace: Trace, arr: object, values: object, axis: object = None) -> Tensor:
    return concatenate(trace, [arr, values], axis=axis)


def block(trace: Trace, arrays: object) -> Tensor:
    ndim = len(trace.shape)

    def joined(part: object, depth: int) -> Tensor:
        if isinstance(part, list):
            return torch.cat([joined(p, depth - 1) for p in part], dim=-depth)
        tensor = trace.cast(trace.value(part), trace.dtype)
        return tensor.reshape((1,) * (ndim - tensor.ndim) + tuple(tensor.shape))

    return joined(arrays, _depth(arrays))


def _depth(part: object) -> int:
    return 1 + _depth(part[0]) if isinstance(part, list) else 0


# -- repetition


def tile(trace: Trace, A: object, reps: object) -> Value:  # noqa: N803
    x = trace.value(A)
    times = trace.integers(reps, "reps")
    times = (1,) * (x.ndim - len(times)) + times
    return Owner(torch.tile(x.read(), times), x.dtype)


def repeat(trace: Trace, a: object, repeats: object, axis: object = None) -> Value:
    x = trace.value(a)
    times = trace.known(repeats, "repeats")
    times = times.astype(np.int64) if times.size == 0 else times
    tensor = x.read()
    if axis is None:
        tensor, place = tensor.reshape(-1), 0
    else:
        place = trace.axis(axis, x.ndim)
    origin = np.repeat(np.arange(tensor.shape[place]), times)
    return Owner(torch.index_select(tensor, place, trace.constant(origin)), x.dtype)


def roll(trace: Trace, a: object, shift: object, axis: object = None) -> Value:
    x = trace.value(a)
    tensor = x.read()
    by = _shift(trace, shift)
    if axis is None:
        return Owner(_rolled(trace, tensor.reshape(-1), by, 0).reshape(tensor.shape), x.dtype)
    shifts, axes = trace.integers(shift, "shift"), trace.axes(axis, x.ndim)
    if len(shifts) == 1:
        shifts = shifts * len(axes)
    if len(axes) == 1:
        axes = axes * len(shifts)
    for one, place in zip(shifts, axes, strict=True):
        tensor = _rolled(trace, tensor, one, place)
    return Owner(tensor, x.dtype)


def _shift(trace: Trace, shift: object) -> int:
    return sum(trace.integers(shift, "shift"))


def _rolled(trace: Trace, tensor: Tensor, by: int, axis: int) -> Tensor:
    size = tensor.shape[axis]
    by = by % size if size else 0
    if by == 0:
        return tensor
    return torch.cat(
        [tensor.narrow(axis, size - by, by), tensor.narrow(axis, 0, size - by)], dim=axis
    )


# -- margins


def pad(trace: Trace, array: object, pad_width: object, mode: Any = "constant", **kw: Any) -> Value:
    x = trace.value(array)
    widths = _widths(trace, pad_width, x.ndim)
    tensor = x.read()
    if mode == "constant":
        fills = kw.get("constant_values", 0)
        known = known_array(fills)
        if known is not None and known.ndim:
            pairs = np.broadcast_to(known, (x.ndim, 2))
            parts = [[trace.scalar(v, x.dtype) for v in pair] for pair in pairs]
        else:
            one = trace.cast(fills, x.dtype)
            parts = [[one, one]] * x.ndim
        for axis, (before, after) in enumerate(widths):
            edges = [
                part.expand(*tensor.shape[:axis], n, *tensor.shape[axis + 1 :])
                for part, n in zip(parts[axis], (before, after), strict=True)
            ]
            if before or after:
                tensor = torch.cat([edges[0], tensor, edges[1]], dim=axis)
        return Owner(tensor, x.dtype)
    if mode not in ("edge", "wrap", "reflect", "symmetric") or kw:
        trace.unsupported(f"mode={mode!r} with these options")
    for axis, (before, after) in enumerate(widths):
        if before or after:
            origin = np.pad(np.arange(tensor.shape[axis]), (before, after), mode=mode)
            tensor = torch.index_select(tensor, axis, trace.constant(origin))
    return Owner(tensor, x.dtype)


def _widths(trace: Trace, width: object, ndim: int) -> list[tuple[int, int]]:
    if isinstance(width, dict):
        trace.unsupported("a dictionary of widths")
    pairs = np.broadcast_to(trace.known(width, "pad_width"), (ndim, 2))
    return [(int(a), int(b)) for a, b in pairs]


# -- insertion and removal


def _places(trace: Trace, obj: object, size: int) -> Any:
    if isinstance(obj, slice):
        return slice(
            *(
                None if b is None else trace.integer(b, "a bound")
                for b in (obj.start, obj.stop, obj.step)
            )
        )
    known = trace.known(obj, "the index")
    return known.item() if known.ndim == 0 else known


def delete(trace: Trace, arr: object, obj: object, axis: object = None) -> Value:
    x = trace.value(arr)
    tensor, place = x.read(), 0
    if axis is None:
        tensor = tensor.reshape(-1)
    else:
        place = trace.axis(axis, x.ndim)
    size = tensor.shape[place]
    kept = np.delete(np.arange(size), _places(trace, obj, size))
    return Owner(torch.index_select(tensor, place, trace.constant(kept)), x.dtype)


def insert(trace: Trace, arr: object, obj: object, values: object, axis: object = None) -> Value:
    x = trace.value(arr)
    tensor, place = x.read(), 0
    if axis is None:
        tensor = tensor.reshape(-1)
    else:
        place = trace.axis(axis, x.ndim)
    size = tensor.shape[place]
    new = trace.cast(trace.value(values), x.dtype)
    where = _places(trace, obj, size)
    origin = np.insert(np.arange(size), where, -1)
    number = int((origin == -1).sum())
    if tensor.ndim > 1 and type(where) is int:
        new = new.reshape((1,) * (tensor.ndim - new.ndim) + tuple(new.shape))
        new = torch.movedim(new, 0, place)
        number = len(origin) - size if new.shape[place] == 1 else new.shape[place]
        origin = np.insert(np.arange(size), [where] * number, -1)
    elif type(where) is int and new.ndim:
        number = new.numel()
        origin = np.insert(np.arange(size), [where] * number, -1)
    shape = [*tensor.shape[:place], number, *tensor.shape[place + 1 :]]
    both = torch.cat([tensor, new.expand(shape)], dim=place)
    # NumPy puts several values in the order of their places (stable)
    turns = np.zeros(number, np.int64)
    if type(where) is not int and not isinstance(where, slice):
        order = np.argsort(np.where(where < 0, where + size, where), kind="stable")
        turns[:] = order if len(order) == number else np.arange(number)
    else:
        turns[:] = np.arange(number)
    origin = origin.copy()
    origin[origin == -1] = size + turns
    return Owner(torch.index_select(both, place, trace.constant(origin)), x.dtype)
