# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""New arrays whose contents follow from constants."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.interpret import function
from jupyter_npcompile.tracer.lowering.shapes import broadcasted
from jupyter_npcompile.tracer.lowering.trace import Trace, known_array, plain
from jupyter_npcompile.tracer.lowering.values import Owner, Value, common_dtype


def zeros(trace: Trace, *args: object, **kwargs: object) -> Tensor:
    return trace.full(trace.shape, 0, trace.dtype)


def ones(trace: Trace, *args: object, **kwargs: object) -> Tensor:
    return trace.full(trace.shape, 1, trace.dtype)


def empty(trace: Trace, *args: object, **kwargs: object) -> Tensor:
    # its contents are undefined: zeros are as good as any, and the same each time
    return trace.full(trace.shape, 0, trace.dtype)


zeros_like = zeros
ones_like = ones
empty_like = empty


def full(
    trace: Trace, shape: object, fill_value: object, *rest: object, **kwargs: object
) -> Tensor:
    known = known_array(fill_value)
    if known is not None and known.ndim == 0:
        return trace.full(trace.shape, known, trace.dtype)
    return trace.cast(fill_value, trace.dtype).expand(trace.shape)


def full_like(trace: Trace, a: object, fill_value: object, *rest: object, **kw: object) -> Tensor:
    return full(trace, None, fill_value)


MOST_KNOWN = 1_000_000
"""Elements of a range that are looked at when it indexes something."""


def arange(trace: Trace, *args: Any, **kwargs: Any) -> Tensor | Owner:
    kwargs = {k: v for k, v in kwargs.items() if k in ("start", "stop", "step")}
    values = [plain(x) for x in args[:3] if not isinstance(x, np.dtype)]
    values += [plain(kwargs[k]) for k in ("start", "stop", "step") if k in kwargs]
    if any(isinstance(x, Value) for x in values):
        trace.unsupported("the bounds of the range are not constant")
    kind, size = trace.dtype, trace.shape[0]
    bounds = dict(zip(("start", "stop", "step"), values, strict=False)) if len(values) > 1 else {}
    start, step = bounds.get("start", 0) or 0, bounds.get("step", 1)
    step = 1 if step is None else step
    if kind.kind == "b" or kind.name == "uint64":
        return trace.constant(np.asarray(function("numpy.arange")(*values, dtype=kind)))
    places = torch.arange(size, dtype=torch.int64)
    # NumPy computes the first two elements and goes on by their difference
    first = np.asarray(start).astype(kind)
    if kind.kind in "iu":
        pace = int(np.asarray(start + step).astype(kind)) - int(first)
        made = trace.convert(places * pace + int(first), np.dtype("int64"), kind)
        if type(size) is not int or size > MOST_KNOWN:
            return made
        elements = np.asarray(function("numpy.arange")(*values, dtype=kind))
        return Owner(made, kind, known=elements)
    inner = np.dtype("float32") if kind.name == "float16" else kind
    pace = np.asarray(start + step).astype(kind).astype(inner) - first.astype(inner)
    if not np.isfinite(pace):  # there is one element, or two
        return trace.constant(np.asarray(function("numpy.arange")(*values, dtype=kind)))
    spread = trace.convert(places, np.dtype("int64"), inner) * trace.scalar(pace, inner)
    return trace.convert(spread + trace.scalar(first, inner), inner, kind)


def linspace(
    trace: Trace,
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    retstep: Any = False,
    dtype: Any = None,
    axis: Any = 0,
    *,
    device: Any = None,
) -> Any:
    number = trace.integer(num, "num")
    if number <= 4096 and known_array(start) is not None and known_array(stop) is not None:
        options = {"endpoint": endpoint, "axis": axis, "retstep": retstep}
        return known(trace, plain(start), plain(stop), number, **options)
    kind = np.result_type(common_dtype(trace.value(start), trace.value(stop)), float(number))
    if kind.kind not in "fc":
        trace.unsupported(f"dtype {kind}")
    ends = bool(endpoint)
    found = spaced(trace, start, stop, number, kind, ends, trace.integer(axis, "axis"))
    if not retstep:
        return found
    parts = number - 1 if ends else number
    if parts <= 0:
        trace.unsupported("a step that is not a number")
    return [found, Owner((trace.cast(stop, kind) - trace.cast(start, kind)) / parts, kind)]


def spaced(
    trace: Trace,
    start: Any,
    stop: Any,
    number: int,
    kind: np.dtype,
    endpoint: bool = True,
    axis: int = 0,
) -> Value:
    """Evenly spaced numbers between two values, as ``np.linspace`` rounds them."""
    low, high = trace.cast(start, kind), trace.cast(stop, kind)
    parts = number - 1 if endpoint else number
    span = high - low
    places = torch.arange(number, dtype=torch.float64).to(span.dtype)
    places = places.reshape((number,) + (1,) * span.ndim)
    if parts > 0:
        step = span / parts
        zero = (step == 0).any()
        found = torch.where(zero, places / parts * span, places * step) + low
    else:
        found = places * span + low
    if endpoint and number > 1:
        found = torch.cat([found[:-1], high.expand(span.shape).unsqueeze(0)])
    if axis != 0:
        found = torch.movedim(found, 0, axis)
    if trace.dtype.kind in "iu" and trace.node.op.endswith("space"):
        found = torch.floor(found)
    return Owner(found, kind)


def known(trace: Trace, *args: Any, **kwargs: Any) -> Any:
    """Let NumPy compute what depends on constants, or on shapes, only."""
    result: Any = function(trace.node.op)(
        *(_stand_in(trace, x) for x in args), **{k: _stand_in(trace, x) for k, x in kwargs.items()}
    )
    if isinstance(result, tuple | list):
        return [_array(trace, part) for part in result]
    return _array(trace, result)


def _array(trace: Trace, result: Any) -> Value:
    array = np.asarray(result)
    return Owner(trace.constant(array), array.dtype, known=array)


def _stand_in(trace: Trace, x: Any) -> Any:
    if trace.node.op.endswith("_from") and isinstance(x, Value) and x.kind == "array":
        return np.empty(x.shape, x.dtype)
    x = plain(x)
    if isinstance(x, Value):
        trace.unsupported("an argument is not constant")
    return x


def logspace(trace: Trace, *args: Any, **kwargs: Any) -> Any:
    return known(trace, *args, **kwargs)


def geomspace(trace: Trace, *args: Any, **kwargs: Any) -> Any:
    return known(trace, *args, **kwargs)


def meshgrid(
    trace: Trace, *xi: object, copy: object = True, sparse: object = False, indexing: object = "xy"
) -> list[Value]:
    found: list[Value] = []
    size = len(xi)
    for k, (x, kind) in enumerate(zip(map(trace.value, xi), trace.node.types, strict=True)):
        place = {0: 1, 1: 0}.get(k, k) if indexing == "xy" and size > 1 else k
        shape = tuple(-1 if axis == place else 1 for axis in range(size))
        flat = _column(trace, x, shape)
        grid = flat if sparse else broadcasted(trace, flat, kind.shape)
        found.append(grid if not copy else Owner(grid.read(), grid.dtype))
    return found


def _column(trace: Trace, x: Value, shape: tuple[int, ...]) -> Value:
    full_shape = tuple(x.read().numel() if n == -1 else n for n in shape)
    old = x.shape
    return trace.view(x, lambda t: t.reshape(full_shape), lambda p, new: new.reshape(old))
