"""Operations on what a mask selects, computed on all elements in their places.

``x[mask]`` has a size that depends on the data, which no compiled graph can
have. But what is done with it element by element can be done to every element,
and a sum or a maximum can leave the others out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.graph.nodes import Node
from jupyter_npcompile.tracer.lowering.trace import Trace, is_number
from jupyter_npcompile.tracer.lowering.ufuncs import named
from jupyter_npcompile.tracer.lowering.values import Compressed, Owner, Value
from jupyter_npcompile.tracer.propagation import canonical

Call = Callable[[list[Any], dict[str, Any]], Any]

ELEMENTWISE = frozenset(
    {"numpy.clip", "numpy.round", "numpy.around", "numpy.nan_to_num", "numpy.astype", "numpy.copy"}
    | {"numpy.where", "numpy.real", "numpy.imag", "ndarray.astype", "ndarray.real", "ndarray.imag"}
)
"""Functions, besides ufuncs, whose results stand where their operands stand."""

REDUCTIONS = frozenset(
    {"numpy.sum", "numpy.prod", "numpy.mean", "numpy.var", "numpy.std", "numpy.all", "numpy.any"}
    | {"numpy.max", "numpy.min", "numpy.amax", "numpy.amin"}
)
"""Reductions that can leave elements out."""


def has_compressed(args: object) -> bool:
    """Whether an argument, at any depth, is something that a mask selected."""
    return any(True for _ in _found(args))


def _found(args: object) -> Iterator[Compressed]:
    if isinstance(args, Compressed):
        yield args
    elif isinstance(args, tuple | list):
        for arg in args:
            yield from _found(arg)
    elif isinstance(args, dict):
        yield from _found(tuple(args.values()))


def call(trace: Trace, node: Node, args: list[Any], kwargs: dict[str, Any], run: Call) -> Any:
    """Lower an operation of which an operand was selected by a mask.

    Parameters
    ----------
    trace : Trace
        State of the lowering.
    node : Node
        The operation.
    args, kwargs
        Its arguments, decoded.
    run : callable
        ``run(args, kwargs)`` lowers it for ordinary arguments.
    """
    op = canonical(node.op)
    if node.op == "setitem" and not has_compressed(args[:2]):
        return run(args, kwargs)
    if named(node.op) is not None or op in ELEMENTWISE:
        return _each(trace, node, args, kwargs, run)
    if op in REDUCTIONS:
        return _reduced(trace, op, args, kwargs, run)
    if op == "numpy.count_nonzero" and not kwargs and len(args) == 1:
        return _counted(trace, args[0])
    trace.unsupported("a boolean mask selects: the shape depends on the data")


def _each(trace: Trace, node: Node, args: list[Any], kwargs: dict[str, Any], run: Call) -> Any:
    """Element by element, in place if ``out`` is a selection, too."""
    selections = list(_found((args, kwargs)))
    first = selections[0]
    out = kwargs.get("out")
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    rest = first.full.ndim - first.mask.ndim
    if node.op == "numpy.where" and len(args) != 3:
        trace.unsupported("a boolean mask selects: the shape depends on the data")
    for arg in (*args, *kwargs.values()):
        if isinstance(arg, Value) and not isinstance(arg, Compressed) and arg.ndim > rest:
            trace.unsupported("a selection meets an array whose size does not depend on the data")
        if isinstance(arg, tuple | list) and arg is not kwargs.get("out"):
            trace.unsupported("a selection meets a list")
    if any(s.key != first.key or s.full.shape != first.full.shape for s in selections):
        trace.unsupported("selections by different masks")
    if "where" in kwargs or (out is not None and not isinstance(out, Compressed)):
        trace.unsupported("where= or out= with a selection")
    plain = [_ordinary(arg) for arg in args]
    made = run(plain, {name: _ordinary(arg) for name, arg in kwargs.items() if name != "out"})
    if isinstance(made, tuple | list):
        kinds = [kind.dtype for kind in node.types]
        return [_placed(trace, p, first, kind) for p, kind in zip(made, kinds, strict=True)]
    if out is None:
        return _placed(trace, made, first, node.type.dtype)
    if isinstance(made, Tensor):
        made = trace.result(made, node.type.dtype)
    out.write(trace.convert(made.read(), made.dtype, out.dtype))
    return out


def _ordinary(arg: Any) -> Any:
    return Owner(arg.filled(), arg.dtype) if isinstance(arg, Compressed) else arg


def _placed(trace: Trace, made: Any, like: Compressed, dtype: str) -> Compressed:
    kind = np.dtype(dtype)
    if isinstance(made, Value):
        made = trace.convert(made.read(), made.dtype, kind)
    if made.shape != like.full.shape:
        trace.unsupported("a selection meets an array whose size does not depend on the data")
    return Compressed(made, like.mask, like.key, kind)


def _reduced(trace: Trace, op: str, args: list[Any], kwargs: dict[str, Any], run: Call) -> Any:
    x = args[0]
    if not isinstance(x, Compressed) or has_compressed((args[1:], kwargs)):
        trace.unsupported("a boolean mask selects: the shape depends on the data")
    axis = args[1] if len(args) > 1 else kwargs.get("axis")
    covered = x.mask.ndim
    if len(args) > 2 or kwargs.get("keepdims") or kwargs.get("where", True) is not True:
        trace.unsupported("a reduction of a selection with options")
    if axis is not None:
        whole = x.full.ndim == covered
        if axis != 0 and not (whole and axis == -1):
            trace.unsupported("a reduction of a selection along another axis")
        axis = tuple(range(covered))
    options = {
        **kwargs,
        "axis": axis,
        "where": Owner(x.spread.expand(x.full.shape), np.dtype(bool)),
    }
    name = op.removeprefix("numpy.").removeprefix("a")
    if name in ("max", "min"):
        trace.check(x.mask.any())  # NumPy raises for an empty selection
        options.setdefault("initial", _neutral(trace, x.dtype, largest="max" in name))
    elif name in ("mean", "var", "std"):
        least = options.get("ddof", options.get("correction", 0))
        if not is_number(least) or isinstance(least, complex):
            trace.unsupported("ddof is not constant")
        trace.check(x.mask.sum() > least)  # NumPy warns
    return run([Owner(x.filled(), x.dtype)], options)


def _neutral(trace: Trace, dtype: np.dtype, *, largest: bool) -> Any:
    """The value that no maximum or minimum takes if there is another."""
    if dtype.kind == "f":
        return -np.inf if largest else np.inf
    if dtype.kind == "b":
        return not largest
    if dtype.kind == "c":
        trace.unsupported("complex numbers have no order in torch")
    info = np.iinfo(dtype)
    return int(info.min) if largest else int(info.max)


def _counted(trace: Trace, x: Any) -> Tensor:
    truth: Tensor = trace.convert(x.full, x.dtype, np.dtype(bool))
    return torch.sum(truth & x.spread, dtype=torch.int64)
