"""Calls of ufuncs: loop dtypes, ``dtype=``, ``where=`` and ``out=``.

Which loop runs is NumPy's decision (``ufunc.resolve_dtypes``); the lowering of
a ufunc is a *kernel* ``f(loop, *tensors)`` that computes in the loop's dtypes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.tracer.lowering.dtypes import carrier, supported, wrap
from jupyter_npcompile.tracer.lowering.trace import Trace, is_number
from jupyter_npcompile.tracer.lowering.values import Owner, Value, View

Kernel = Callable[..., Any]
_COMPARISONS = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)


@dataclass(frozen=True)
class Loop:
    """The inner loop that NumPy chose.

    Parameters
    ----------
    trace : Trace
        For checks and constants.
    inputs, outputs : tuple of numpy.dtype
        What it reads and writes.
    half : bool
        Whether it stands for a loop in half precision, computed in single.
    """

    trace: Trace
    inputs: tuple[np.dtype, ...]
    outputs: tuple[np.dtype, ...]
    half: bool = False

    @property
    def dtype(self) -> np.dtype:
        """What it reads first."""
        return self.inputs[0]


@cache
def named(op: str) -> np.ufunc | None:
    """The ufunc that an operation calls, or None if it calls something else.

    Examples
    --------
    >>> named("numpy.sin"), named("numpy.add.reduce")
    (<ufunc 'sin'>, None)
    """
    space, _, name = op.partition(".")
    if space == "ndarray" and name in ("conj", "conjugate"):
        return np.conjugate
    found = getattr(np, name, None) if space == "numpy" else None
    return found if isinstance(found, np.ufunc) and found.signature is None else None


def resolve(
    trace: Trace,
    ufunc: np.ufunc,
    operands: Sequence[Any],
    dtype: np.dtype | None = None,
    casting: Any = "same_kind",
) -> Loop:
    """Choose the loop for operands, as NumPy does.

    Parameters
    ----------
    trace : Trace
        State of the lowering.
    ufunc : numpy.ufunc
        What is called.
    operands : sequence
        Values and Python numbers.
    dtype : numpy.dtype, optional
        The ``dtype`` argument of the call.
    casting : str
        The ``casting`` argument of the call.
    """
    weak = {"int64": int, "float64": float, "complex128": complex, "bool": np.dtype("bool")}
    kinds: list[Any] = []
    for operand in operands:
        if is_number(operand):
            kinds.append(np.dtype("bool") if type(operand) is bool else type(operand))
        elif operand.kind == "python":
            kinds.append(weak.get(operand.dtype.name, operand.dtype))
        else:
            kinds.append(operand.dtype)
    if all(isinstance(kind, type) for kind in kinds):  # Python numbers only: not weak then
        kinds = [np.dtype(kind) for kind in kinds]
    options: dict[str, Any] = {"casting": casting}
    if dtype is not None:
        options["signature"] = (*[None] * ufunc.nin, *[dtype] * ufunc.nout)
    resolved = ufunc.resolve_dtypes((*kinds, *[None] * ufunc.nout), **options)
    if not all(supported(kind) for kind in resolved):
        trace.unsupported(f"dtype {next(k for k in resolved if not supported(k))}")
    inputs = resolved[: ufunc.nin]
    if ufunc in _COMPARISONS:
        inputs = _wide_enough(trace, operands, inputs)
    return Loop(trace, inputs, resolved[ufunc.nin :])


def _wide_enough(
    trace: Trace, operands: Sequence[Any], inputs: tuple[np.dtype, ...]
) -> tuple[np.dtype, ...]:
    """Comparisons with Python integers that the dtype cannot hold are exact."""
    if inputs[0].kind not in "iu" or not any(type(x) is int for x in operands):
        return inputs
    bounds = np.iinfo(inputs[0])
    if all(type(x) is not int or bounds.min <= x <= bounds.max for x in operands):
        return inputs
    wide = [np.min_scalar_type(x) if type(x) is int else x.dtype for x in operands]
    if any(kind.kind not in "iu" for kind in wide):
        trace.unsupported("an integer of more than 64 bits")
    return tuple(np.dtype("uint64" if kind.name == "uint64" else "int64") for kind in wide)


def compute(loop: Loop, kernel: Kernel, operands: Sequence[Any]) -> list[Tensor]:
    """Run a kernel over operands converted to the loop's dtypes."""
    trace = loop.trace
    half = any(kind.char == "e" for kind in (*loop.inputs, *loop.outputs))
    if half:  # NumPy computes half precision in single precision, too
        wide = tuple(_widened(kind) for kind in loop.inputs)
        inner = Loop(trace, wide, tuple(_widened(kind) for kind in loop.outputs), half)
        tensors = [
            trace.cast(_narrow(trace, x, narrow), kind)
            for x, kind, narrow in zip(operands, wide, loop.inputs, strict=True)
        ]
    else:
        inner = loop
        if getattr(kernel, "commutes", False) and is_number(operands[0]):
            operands = operands[::-1]
        tensors = [
            _operand(trace, x, kind, last=k > 0, accepts=getattr(kernel, "scalars", ""))
            for k, (x, kind) in enumerate(zip(operands, loop.inputs, strict=True))
        ]
    found = kernel(inner, *tensors)
    several = found if isinstance(found, tuple | list) else [found]
    results = []
    for tensor, kind in zip(several, loop.outputs, strict=True):
        if half:
            tensor = tensor.to(carrier(kind))
        if tensor.dtype != carrier(kind):
            trace.unsupported(f"the kernel gives {tensor.dtype}, where NumPy gives {kind}")
        results.append(wrap(tensor, kind))
    return results


def _widened(kind: np.dtype) -> np.dtype:
    return np.dtype("float32") if kind.name == "float16" else kind


def _narrow(trace: Trace, x: Any, kind: np.dtype) -> Value:
    return Owner(trace.cast(x, kind), kind)


def _operand(trace: Trace, x: Any, kind: np.dtype, *, last: bool, accepts: str) -> Any:
    """An operand of a kernel; the last may stay a Python number, which reads better."""
    if not last or kind.kind not in accepts or not is_number(x):
        return trace.cast(x, kind)
    if kind.kind == "c" and type(x) in (int, float):
        return x
    if kind.kind in "if" and kind.name != "float16":
        with np.errstate(all="ignore"):
            number = np.asarray(x).astype(kind)
        if np.isfinite(number):
            return number.item()
    return trace.cast(x, kind)


def apply(
    trace: Trace, ufunc: np.ufunc, kernel: Kernel, *operands: Any, dtype: np.dtype | None = None
) -> Value:
    """Call a ufunc with one result on values and Python numbers."""
    loop = resolve(trace, ufunc, operands, dtype)
    return Owner(compute(loop, kernel, operands)[0], loop.outputs[0])


def call(
    trace: Trace, ufunc: np.ufunc, kernel: Kernel, args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """Lower the call of a ufunc with all its keywords.

    Parameters
    ----------
    trace : Trace
        State of the lowering.
    ufunc : numpy.ufunc
        What is called.
    kernel : callable
        Its lowering.
    args, kwargs
        As the node has them, decoded.
    """
    operands = [x if is_number(x) else trace.value(x) for x in args[: ufunc.nin]]
    outs = list(args[ufunc.nin :])
    given = kwargs.get("out")
    if given is not None:
        outs = list(given) if isinstance(given, tuple | list) else [given]
    outs += [None] * (ufunc.nout - len(outs))
    dtype = kwargs.get("dtype")
    if kwargs.get("signature") is not None or kwargs.get("sig") is not None:
        trace.unsupported("signature= is not supported")
    loop = resolve(trace, ufunc, operands, dtype, kwargs.get("casting", "same_kind"))
    results = compute(loop, kernel, operands)
    where = kwargs.get("where", True)
    bound: list[Value] = []
    for tensor, kind, out in zip(results, loop.outputs, outs, strict=True):
        result = Owner(tensor, kind)
        if out is None:
            bound.append(_spread(result, where))
        else:
            bound.append(write_out(trace, result, out, where))
    return bound[0] if ufunc.nout == 1 else bound


def _spread(result: Owner, where: Any) -> Owner:
    """What ``where=`` leaves out is uninitialised, so only its shape matters."""
    if not isinstance(where, Value):
        return result
    shape = np.broadcast_shapes(result.shape, where.shape)
    return Owner(result.read().expand(shape), result.dtype)


def write_out(trace: Trace, result: Value, out: Any, where: Any = True) -> Value:
    """Store a result in the array given as ``out=`` and return that array."""
    if not isinstance(out, Value) or out.kind != "array":
        trace.unsupported("out= is not an array")
    tensor = trace.convert(result.read(), result.dtype, out.dtype)
    write(trace, out, tensor, where)
    return out


def write(trace: Trace, target: Value, tensor: Tensor, where: Any = True) -> None:
    """Write into a value what broadcasts to it, where a mask allows."""
    if isinstance(target, View) and not target.writable:
        trace.unsupported("a view that cannot be written")
    present = target.read()
    if tuple(tensor.shape) != tuple(present.shape):
        ones = max(tensor.ndim - present.ndim, 0)
        if any(length != 1 for length in tensor.shape[:ones]):
            trace.unsupported("a store of more dimensions than there are")
        tensor = tensor.reshape(tensor.shape[ones:])
        tensor = tensor.expand(present.shape)
    if isinstance(where, Value):
        tensor = torch.where(where.read(), tensor, present)
    elif where is not True:
        trace.unsupported("where= is not a mask")
    target.write(tensor)
