# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Methods of ufuncs: ``reduce``, ``accumulate``, ``outer``, ``at``, ``reduceat``."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering import reductions, scans
from jupyter_npcompile.tracer.lowering.dtypes import ordered, unordered, wrap
from jupyter_npcompile.tracer.lowering.indexing import BOOL, gather, prepared, select
from jupyter_npcompile.tracer.lowering.lookup import find_kernel
from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.ufuncs import apply
from jupyter_npcompile.tracer.lowering.values import Owner, Value


def _name(trace: Trace) -> str:
    return trace.node.op.split(".")[1]


def reduce(
    trace: Trace,
    array: object,
    axis: object = 0,
    dtype: object = None,
    out: object = None,
    keepdims: bool = False,
    initial: object = None,
    where: object = True,
) -> Any:
    name = _name(trace)
    if name in ("add", "multiply"):
        fold = reductions.sum if name == "add" else reductions.prod
        return fold(trace, array, axis, dtype, None, keepdims, initial, where)
    if name in ("maximum", "minimum"):
        pick = reductions.max if name == "maximum" else reductions.min
        return pick(trace, array, axis, None, keepdims, initial, where)
    if initial is not None:
        trace.unsupported("initial=")
    if name in ("logical_and", "logical_or"):
        test = reductions.all if name == "logical_and" else reductions.any
        return test(trace, array, axis, None, keepdims, where=where)
    if where is not True:
        trace.unsupported("where=")
    return _folded(trace, name, trace.value(array), axis, bool(keepdims))


def _folded(trace: Trace, name: str, x: Value, axis: object, keepdims: bool) -> Value:
    """Reduce by halves: for operations where the order does not matter."""
    if name not in ("fmax", "fmin", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_xor"):
        trace.unsupported("the order of this reduction matters")
    kind = BOOL if name == "logical_xor" else x.dtype
    tensor = trace.cast(x, kind)
    kernel = find_kernel("bitwise_xor" if name == "logical_xor" else name)
    ufunc = getattr(np, "bitwise_xor" if name == "logical_xor" else name)
    for one in sorted(trace.axes(axis, x.ndim), reverse=True):
        tensor = tensor.movedim(one, 0)
        if tensor.shape[0] == 0:
            trace.unsupported("a reduction of nothing")
        while (size := tensor.shape[0]) > 1:
            half = size // 2
            low, high = Owner(tensor[:half], kind), Owner(tensor[half : 2 * half], kind)
            joined = apply(trace, ufunc, kernel, low, high).read()
            tensor = torch.cat([joined, tensor[2 * half :]]) if size % 2 else joined
        tensor = tensor[0]
        if keepdims:
            tensor = tensor.unsqueeze(one)
    return Owner(tensor, kind)


def accumulate(
    trace: Trace, array: object, axis: object = 0, dtype: object = None, out: object = None
) -> Any:
    name = _name(trace)
    x = trace.value(array)
    place = trace.axis(axis, x.ndim)
    if name in ("add", "multiply"):
        return scans.running(trace, x, place, trace.dtype, product=name == "multiply")
    if name in ("logical_and", "logical_or"):
        truth = trace.cast(x, BOOL).to(torch.int8)
        scan = torch.cummin if name == "logical_and" else torch.cummax
        return Owner(scan(truth, place).values != 0, BOOL)
    if x.dtype.kind == "c":
        trace.unsupported("complex numbers have no order in torch")
    tensor = ordered(x.read(), x.dtype)
    if x.dtype.kind == "b":
        tensor = tensor.to(torch.int8)
    scan = torch.cummax if name == "maximum" else torch.cummin
    found = scan(tensor, place).values
    return Owner(found != 0 if x.dtype.kind == "b" else unordered(found, x.dtype), x.dtype)


def outer(trace: Trace, a: object, b: object, /, **kwargs: object) -> Value:
    name = _name(trace)
    x, y = trace.value(a), trace.value(b)
    column = x.read().reshape((*x.shape, *(1,) * y.ndim))
    left = Owner(column, x.dtype, x.kind if x.kind == "python" else "array")
    dtype = kwargs.get("dtype")
    return apply(
        trace,
        getattr(np, name),
        find_kernel(name),
        left,
        y,
        dtype=dtype if isinstance(dtype, np.dtype) else None,
    )


def at(trace: Trace, a: Value, indices: object, b: object, /) -> None:
    name = _name(trace)
    selection = select(trace, a, indices)
    target = selection.part
    if selection.mask is not None or a.dtype.kind in "b":
        trace.unsupported("with a mask, or on booleans")
    given = trace.value(b)
    if np.result_type(a.dtype, given.dtype) != a.dtype and given.kind != "python":
        trace.unsupported("operands of several dtypes")
    tensor = trace.cast(given, a.dtype)
    present = target.read()
    if selection.is_basic:
        value = Owner(tensor, a.dtype)
        result = apply(trace, getattr(np, name), find_kernel(name), Owner(present, a.dtype), value)
        target.write(result.read().expand(present.shape))
        return
    places = prepared(trace, selection)
    tensor = tensor.expand(gather(present, places).shape)
    if name in ("add", "subtract"):
        signed = tensor if name == "add" else -tensor
        found = torch.ops.aten.index_put.default(present, list(places), signed, True)
        target.write(wrap(found, a.dtype))
        return
    linear = torch.arange(present.numel(), dtype=torch.int64).reshape(present.shape)
    flat = gather(linear, places).reshape(-1)
    how = {"maximum": "amax", "minimum": "amin", "multiply": "prod"}[name]
    if a.dtype.kind == "c":
        trace.unsupported("complex numbers")
    found = torch.scatter_reduce(
        ordered(present, a.dtype).reshape(-1),
        0,
        flat,
        ordered(tensor, a.dtype).reshape(-1),
        how,
        include_self=True,
    )
    if how == "prod" and a.dtype.name == "uint64":
        trace.unsupported("uint64")
    target.write(wrap(unordered(found, a.dtype), a.dtype).reshape(present.shape))


def reduceat(
    trace: Trace, array: object, indices: object, axis: object = 0, *rest: object
) -> Tensor:
    x = trace.value(array)
    place = trace.axis(axis, x.ndim)
    starts = trace.known(indices, "the places").tolist()
    if len(starts) > 64:
        trace.unsupported("more than 64 places")
    size = x.shape[place]
    name = _name(trace)
    parts: list[Tensor] = []
    for k, start in enumerate(starts):
        stop = starts[k + 1] if k + 1 < len(starts) else size
        section = x.read().narrow(place, start, max(stop - start, 1))
        parts.append(_section(trace, Owner(section, x.dtype), name, place))
    return torch.stack(parts, dim=place)


def _section(trace: Trace, section: Value, name: str, axis: int) -> Tensor:
    kind = trace.dtype
    if name in ("maximum", "minimum"):
        largest = name == "maximum"
        return reductions.extreme(trace, section, (axis,), False, None, True, largest=largest)
    if name == "add":
        return reductions.sum_as(trace, section, kind, (axis,), False, True)
    tensor = trace.cast(section, kind)
    return wrap(torch.prod(tensor, dim=axis, dtype=tensor.dtype), kind)
