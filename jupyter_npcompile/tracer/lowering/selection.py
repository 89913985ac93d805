# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Elements chosen by masks, by indices, or by their place in a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering.dtypes import wrap
from jupyter_npcompile.tracer.lowering.indexing import BOOL, INT64, inside
from jupyter_npcompile.tracer.lowering.reductions import total
from jupyter_npcompile.tracer.lowering.shapes import diagonal
from jupyter_npcompile.tracer.lowering.stores import resolved
from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.values import Owner, Value


def where(trace: Trace, condition: object, x: object = None, y: object = None) -> Any:
    if x is None or y is None:
        trace.unsupported("the size of where(mask) depends on the values")
    truth = trace.cast(trace.value(condition), BOOL)
    return torch.where(truth, trace.cast(x, trace.dtype), trace.cast(y, trace.dtype))


def select(trace: Trace, condlist: Any, choicelist: Any, default: object = 0) -> Tensor:
    conditions = [trace.cast(trace.value(c), BOOL) for c in condlist]
    choices = [trace.cast(trace.value(c), trace.dtype) for c in choicelist]
    found = trace.cast(default, trace.dtype)
    for condition, choice in zip(conditions[::-1], choices[::-1], strict=True):
        found = torch.where(condition, choice, found)
    return found.expand(trace.shape)


def choose(
    trace: Trace, a: object, choices: Any, out: object = None, mode: object = "raise"
) -> Value:
    if isinstance(choices, Value):
        options = [choices.read().select(0, k) for k in range(choices.shape[0])]
        kind = choices.dtype
    else:
        values = [trace.value(c) for c in choices]
        kind = np.result_type(*(v.dtype for v in values))
        options = [trace.cast(v, kind) for v in values]
    places = resolved(trace, trace.cast(trace.value(a), INT64), len(options), mode)
    if mode == "raise":
        trace.check((trace.cast(trace.value(a), INT64) >= 0).all())
    found = options[0]
    for k, option in enumerate(options[1:], 1):
        found = torch.where(places == k, option, found)
    return Owner(found.expand(np.broadcast_shapes(places.shape, found.shape)), kind)


def ndarray_choose(trace: Trace, a: Value, *choices: Any, **kwargs: Any) -> Value:
    return choose(trace, a, choices[0] if len(choices) == 1 else choices, **kwargs)


def take(
    trace: Trace,
    a: object,
    indices: object,
    axis: object = None,
    out: object = None,
    mode: object = "raise",
) -> Value:
    x = trace.value(a)
    tensor = x.read()
    if axis is None or x.ndim == 0:
        tensor, place = tensor.reshape(-1), 0
    else:
        place = trace.axis(axis, x.ndim)
    wanted = trace.cast(trace.value(indices), INT64)
    places = resolved(trace, wanted, tensor.shape[place], mode)
    if tensor.shape[place] == 0:
        trace.unsupported("an axis without elements")
    found = torch.index_select(tensor, place, places.reshape(-1))
    shape = (*tensor.shape[:place], *places.shape, *tensor.shape[place + 1 :])
    return Owner(found.reshape(shape), x.dtype)


def take_along_axis(trace: Trace, arr: object, indices: object, axis: object = -1) -> Value:
    x = trace.value(arr)
    tensor = x.read()
    if axis is None:
        tensor, place = tensor.reshape(-1), 0
    else:
        place = trace.axis(axis, x.ndim)
    wanted = trace.cast(trace.value(indices), INT64)
    places = inside(trace, wanted, tensor.shape[place])
    kept = np.broadcast_shapes(_one(places.shape, place), _one(tensor.shape, place))
    source = tensor.expand(_one(kept, place, tensor.shape[place]))
    index = places.expand(_one(kept, place, places.shape[place]))
    return Owner(torch.gather(source, place, index), x.dtype)


def _one(shape: Sequence[int], axis: int, length: int = 1) -> tuple[int, ...]:
    return tuple(length if k == axis else n for k, n in enumerate(shape))


def compress(
    trace: Trace, condition: object, a: object, axis: object = None, out: object = None
) -> Value:
    x = trace.value(a)
    tensor, place = x.read(), 0
    if axis is None:
        tensor = tensor.reshape(-1)
    else:
        place = trace.axis(axis, x.ndim)
    mask = trace.known(condition, "the size of the result depends on the values: the condition")
    places = np.flatnonzero(mask)
    if not places.size:
        return Owner(tensor.narrow(place, 0, 0), x.dtype)
    return Owner(torch.index_select(tensor, place, trace.constant(places)), x.dtype)


def ndarray_compress(trace: Trace, a: Value, condition: object, axis: object = None) -> Value:
    return compress(trace, condition, a, axis)


# -- matrices by place


def _triangle(trace: Trace, m: object, k: object, *, lower: bool) -> Value:
    x = trace.value(m)
    off = trace.integer(k, "k")
    tensor = x.read()
    if tensor.ndim == 1:
        tensor = tensor.expand(tensor.shape[0], tensor.shape[0])
    rows, columns = tensor.shape[-2:]
    distance = torch.arange(columns).unsqueeze(0) - torch.arange(rows).unsqueeze(1)
    keep = distance <= off if lower else distance >= off
    return Owner(torch.where(keep, tensor, torch.full((), 0, dtype=tensor.dtype)), x.dtype)


def tril(trace: Trace, m: object, k: object = 0) -> Value:
    return _triangle(trace, m, k, lower=True)


def triu(trace: Trace, m: object, k: object = 0) -> Value:
    return _triangle(trace, m, k, lower=False)


def diag(trace: Trace, v: object, k: object = 0) -> Value:
    x = trace.value(v)
    if x.ndim == 1:
        return diagflat(trace, x, k)
    return diagonal(trace, x, k)


def diagflat(trace: Trace, v: object, k: object = 0) -> Value:
    x = trace.value(v)
    off = trace.integer(k, "k")
    flat = x.read().reshape(-1)
    size = flat.shape[0] + abs(off)
    empty = torch.full((size, size), 0, dtype=flat.dtype)
    return Owner(torch.diagonal_scatter(empty, flat, off), x.dtype)


def trace(
    trace: Trace,
    a: object,
    offset: object = 0,
    axis1: object = 0,
    axis2: object = 1,
    dtype: object = None,
    out: object = None,
) -> Tensor:
    x = diagonal(trace, a, offset, axis1, axis2)
    return wrap(total(trace.cast(x, trace.dtype), (x.ndim - 1,)), trace.dtype)
