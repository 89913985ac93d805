# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Methods of ufuncs: ``reduce``, ``accumulate``, ``outer``, ``at``, ``reduceat``."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering import reductions, scans, stores
from jupyter_npcompile.tracer.lowering.dtypes import ordered, unordered, wrap
from jupyter_npcompile.tracer.lowering.indexing import BOOL, gather, prepared, select
from jupyter_npcompile.tracer.lowering.trace import Trace, count
from jupyter_npcompile.tracer.lowering.ufuncs import apply
from jupyter_npcompile.tracer.lowering.values import Owner, Value


def _name(trace: Trace) -> str:
    return trace.node.op.split(".")[1]


MAX_STEPS = 64
"""Steps one after the other that are written out; torch has no general scan."""

_SCANNED = ("add", "multiply", "maximum", "minimum", "logical_and", "logical_or")
_HALVED = ("fmax", "fmin", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_xor", "gcd")

_ROUNDED = ("logaddexp", "logaddexp2", "hypot")
"""Ufuncs whose order matters to rounding only."""

_SIGNLESS = ("gcd", "hypot")
"""Ufuncs whose identity changes a single element: ``reduce`` begins with it."""


def _step(trace: Trace, name: str, left: Tensor, right: Tensor, kind: np.dtype) -> Tensor:
    """The ufunc between two tensors of one dtype, in that dtype."""
    ufunc, kernel = getattr(np, name), trace.kernel(name)
    return trace.cast(apply(trace, ufunc, kernel, Owner(left, kind), Owner(right, kind)), kind)


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
    if name in ("logical_and", "logical_or") and initial is None:
        test = reductions.all if name == "logical_and" else reductions.any
        return test(trace, array, axis, None, keepdims, where=where)
    x = trace.value(array)
    kind = _kind(trace, name, x, dtype)
    axes = sorted(trace.axes(axis, x.ndim))
    kept = [k for k in range(x.ndim) if k not in axes]
    rows = _rows(trace.cast(x, kind), axes, kept)
    mask = None
    if where is not True:
        truth = trace.cast(trace.value(where), BOOL).expand(x.shape)
        mask = _rows(truth, axes, kept)
    if initial is None and name in _SIGNLESS and rows.shape[0] == 1:
        initial = getattr(np, name).identity
    found = _folded(trace, name, rows, kind, initial, mask)
    if keepdims:
        found = found.reshape([1 if k in axes else n for k, n in enumerate(x.shape)])
    return Owner(found, kind)


def _kind(trace: Trace, name: str, x: Value, dtype: object) -> np.dtype:
    """The dtype in which the elements are combined."""
    if name.startswith("logical"):
        return dtype if isinstance(dtype, np.dtype) else BOOL
    return reductions.accumulator(trace, getattr(np, name), x, dtype)


def _rows(tensor: Tensor, axes: list[int], kept: list[int]) -> Tensor:
    """What is combined in a first dimension of its own."""
    moved = tensor.permute((*axes, *kept))
    return moved.reshape((count(moved.shape[: len(axes)]), *moved.shape[len(axes) :]))


def _folded(
    trace: Trace, name: str, rows: Tensor, kind: np.dtype, initial: object, mask: Tensor | None
) -> Tensor:
    def begin(initial: object) -> Tensor:
        return trace.cast(trace.value(initial, kind), kind).expand(rows.shape[1:])

    identity = getattr(np, name).identity
    if initial is None and (rows.shape[0] == 0 or mask is not None):
        if identity is None:
            trace.unsupported("a reduction of nothing")
        initial = Owner(trace.scalar(identity, kind), kind)  # -1 stands for all bits
    if mask is None and initial is None and name in _HALVED:
        return _halved(trace, name, rows, kind)
    if trace.regroups and name in _ROUNDED and rows.shape[0] > 0:
        if mask is not None:
            rows = torch.where(mask, rows, identity)
        found = _halved(trace, name, rows, kind)
        return found if initial is None else _step(trace, name, begin(initial), found, kind)
    if kind.name == "float16" and name in ("subtract", "divide"):
        trace.unsupported("NumPy keeps single precision between the steps")
    if rows.shape[0] > MAX_STEPS:
        trace.unsupported(f"more than {MAX_STEPS} steps one after the other")
    steps = list(rows.unbind(0))
    found = steps.pop(0) if initial is None else begin(initial)
    for k, step in enumerate(steps):
        joined = _step(trace, name, found, step, kind)
        found = joined if mask is None else torch.where(mask[k], joined, found)
    return found


def _halved(trace: Trace, name: str, rows: Tensor, kind: np.dtype) -> Tensor:
    """Combine by halves: for operations where the order does not matter."""
    while (size := rows.shape[0]) > 1:
        half = size // 2
        joined = _step(trace, name, rows[:half], rows[half : 2 * half], kind)
        rows = torch.cat([joined, rows[2 * half :]]) if size % 2 else joined
    return rows[0]


def accumulate(
    trace: Trace, array: object, axis: object = 0, dtype: object = None, out: object = None
) -> Any:
    name = _name(trace)
    x = trace.value(array)
    place = trace.axis(axis, x.ndim)
    if name in ("add", "multiply"):
        return scans.running(trace, x, place, dtype, product=name == "multiply")
    if name not in _SCANNED:
        return _accumulated(trace, name, x, place, _kind(trace, name, x, dtype))
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


def _doubled(trace: Trace, name: str, rows: Tensor, kind: np.dtype) -> Tensor:
    """All partial results along the first dimension: each pass doubles how far they reach."""
    reach = 1
    while reach < rows.shape[0]:
        joined = _step(trace, name, rows[:-reach], rows[reach:], kind)
        rows = torch.cat([rows[:reach], joined])
        reach *= 2
    return rows


def _accumulated(trace: Trace, name: str, x: Value, axis: int, kind: np.dtype) -> Value:
    if trace.regroups and name in _ROUNDED:
        partial = _doubled(trace, name, trace.cast(x, kind).movedim(axis, 0), kind)
        return Owner(partial.movedim(0, axis), kind)
    if x.shape[axis] > MAX_STEPS:
        trace.unsupported(f"more than {MAX_STEPS} steps one after the other")
    steps = trace.cast(x, kind).unbind(axis)
    found = list(steps[:1])
    for step in steps[1:]:
        found.append(_step(trace, name, found[-1], step, kind))
    return Owner(torch.stack(found, dim=axis) if found else trace.cast(x, kind), kind)


def outer(trace: Trace, a: object, b: object, /, **kwargs: object) -> Value:
    name = _name(trace)
    x, y = trace.value(a), trace.value(b)
    column = x.read().reshape((*x.shape, *(1,) * y.ndim))
    left, right = Owner(column, x.dtype), Owner(y.read(), y.dtype)  # arrays, so not weak
    dtype = kwargs.get("dtype")
    return apply(
        trace,
        getattr(np, name),
        trace.kernel(name),
        left,
        right,
        dtype=dtype if isinstance(dtype, np.dtype) else None,
    )


def at(trace: Trace, a: Value, indices: object, b: object = None, /) -> None:
    name = _name(trace)
    ufunc = getattr(np, name)
    selection = select(trace, a, indices)
    target = selection.part
    if selection.mask is not None:
        trace.unsupported("with a mask")
    operands = [] if ufunc.nin == 1 else [_strong(trace.value(b))]
    if selection.is_basic:
        target.write(_applied(trace, name, Owner(target.read(), a.dtype), operands))
        return
    places = prepared(trace, selection)
    present = target.read()
    chosen = gather(present, places)
    if stores.distinct(selection.fancy, target.shape):
        found = _applied(trace, name, Owner(chosen, a.dtype), operands)
        target.write(torch.ops.aten.index_put.default(present, list(places), found))
        return
    if name not in _GATHERING or a.dtype.kind == "b":
        trace.unsupported("an index that may name an element twice")
    given = operands[0]
    wraps = name in ("add", "subtract", "multiply") and given.dtype.kind in "bi"
    if np.result_type(a.dtype, given.dtype) != a.dtype and not wraps:
        trace.unsupported("operands of several dtypes")
    tensor = trace.cast(given, a.dtype).expand(chosen.shape)
    target.write(_gathered(trace, name, a.dtype, present, places, tensor))


_GATHERING = {
    "add": "sum",
    "subtract": "sum",
    "maximum": "amax",
    "minimum": "amin",
    "multiply": "prod",
}
"""Ufuncs whose repeated application torch knows as a scatter."""


def _strong(x: Value) -> Value:
    """``at`` makes arrays of Python numbers, with the dtype that arrays have."""
    return Owner(x.read(), x.dtype) if x.kind == "python" else x


def _applied(trace: Trace, name: str, present: Value, operands: list[Value]) -> Tensor:
    result = apply(trace, getattr(np, name), trace.kernel(name), present, *operands)
    return trace.cast(result, present.dtype).expand(present.shape)


def _gathered(
    trace: Trace, name: str, kind: np.dtype, present: Tensor, places: Any, tensor: Tensor
) -> Tensor:
    if name in ("add", "subtract"):
        signed = tensor if name == "add" else -tensor
        return wrap(torch.ops.aten.index_put.default(present, list(places), signed, True), kind)
    how = _GATHERING[name]
    if kind.kind == "c" or (how == "prod" and kind.name == "uint64"):
        trace.unsupported(f"dtype {kind}")
    linear = torch.arange(present.numel(), dtype=torch.int64).reshape(present.shape)
    found = torch.scatter_reduce(
        ordered(present, kind).reshape(-1),
        0,
        gather(linear, places).reshape(-1),
        ordered(tensor, kind).reshape(-1),
        how,
        include_self=True,
    )
    return wrap(unordered(found, kind), kind).reshape(present.shape)


def reduceat(
    trace: Trace,
    array: object,
    indices: object,
    axis: object = 0,
    dtype: object = None,
    out: object = None,
) -> Any:
    x = trace.value(array)
    place = trace.axis(axis, x.ndim)
    starts = trace.known(indices, "the places").tolist()
    if len(starts) > MAX_STEPS:
        trace.unsupported(f"more than {MAX_STEPS} places")
    size = x.shape[place]
    name = _name(trace)
    kind = _kind(trace, name, x, dtype)
    parts: list[Tensor] = []
    for k, start in enumerate(starts):
        stop = starts[k + 1] if k + 1 < len(starts) else size
        section = x.read().narrow(place, start, max(stop - start, 1))
        parts.append(_section(trace, Owner(section, x.dtype), name, place, kind))
    if not parts:
        return Owner(trace.cast(Owner(x.read().narrow(place, 0, 0), x.dtype), kind), kind)
    return Owner(torch.stack(parts, dim=place), kind)


def _section(trace: Trace, section: Value, name: str, axis: int, kind: np.dtype) -> Tensor:
    if name in ("maximum", "minimum"):
        largest = name == "maximum"
        return reductions.extreme(trace, section, (axis,), False, None, True, largest=largest)
    if name == "add":
        return reductions.sum_as(trace, section, kind, (axis,), False, True)
    tensor = trace.cast(section, kind)
    if name == "multiply":
        return wrap(torch.prod(tensor, dim=axis, dtype=tensor.dtype), kind)
    return _folded(trace, name, tensor.movedim(axis, 0), kind, None, None)
