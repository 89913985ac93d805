# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Python numbers, NumPy scalars, and the parts of results with several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering import elementwise, integers
from jupyter_npcompile.tracer.lowering.dtypes import INT64_MIN
from jupyter_npcompile.tracer.lowering.trace import Trace, is_number
from jupyter_npcompile.tracer.lowering.ufuncs import Loop
from jupyter_npcompile.tracer.lowering.values import Owner, Value

INT64, FLOAT64, BOOL = np.dtype("int64"), np.dtype("float64"), np.dtype("bool")
_EXACT = 2.0**53
_SAFE = 2.0**62


def part(trace: Trace, several: Any, index: int) -> Any:
    return several[index]


def convert(trace: Trace, x: object = 0, *rest: object, **kwargs: object) -> Tensor:
    return trace.cast(trace.value(x), trace.dtype)


def item(trace: Trace, a: Value, *index: object) -> Tensor:
    tensor = a.read()
    if tensor.numel() == 1:
        return tensor.reshape(())
    places = trace.integers(index[0] if len(index) == 1 else tuple(index), "the index")
    if len(places) == 1:
        return tensor.reshape(-1)[places[0]]
    for k in places:
        tensor = tensor[k]
    return tensor


# -- arithmetic on Python numbers: exact or not at all


def python(trace: Trace, *operands: Any) -> Any:
    name = trace.node.op.partition(".")[2]
    return _OPERATIONS[name](trace, *operands)


def _dtype(trace: Trace, x: Any) -> np.dtype:
    return trace.value(x).dtype


def _common(trace: Trace, *operands: Any) -> np.dtype:
    kind = np.result_type(*(_dtype(trace, x) for x in operands))
    return INT64 if kind == BOOL else kind


def _tensors(trace: Trace, kind: np.dtype, *operands: Any) -> list[Tensor]:
    """Operands in a common dtype; integers must survive the conversion."""
    found = []
    for x in operands:
        value = trace.value(x)
        if value.dtype.kind in "iu" and kind.kind in "fc" and not is_number(x):
            trace.check(torch.abs(value.read().to(torch.float64)) <= _EXACT)
        found.append(trace.cast(value, kind))
    return found


def _loop(trace: Trace, kind: np.dtype, number: int) -> Loop:
    return Loop(trace, (kind,) * number, (kind,))


def _small(trace: Trace, estimate: Tensor) -> None:
    """Python integers have no bounds; those of the graph have."""
    trace.check(torch.abs(estimate) < _SAFE)


def _arithmetic(function: Callable[..., Tensor]) -> Callable[..., Value]:
    def operation(trace: Trace, *operands: Any) -> Value:
        kind = _common(trace, *operands)
        tensors = _tensors(trace, kind, *operands)
        if kind == INT64:
            _small(trace, function(*(t.to(torch.float64) for t in tensors)))
        return Owner(function(*tensors), kind)

    return operation


def _finite(trace: Trace, result: Tensor, *operands: Tensor) -> Tensor:
    """Python raises where NumPy gives inf or nan."""
    usable = torch.isfinite(result)
    for operand in operands:
        usable = usable | torch.isnan(operand) | (torch.isinf(operand) & torch.isinf(result))
    trace.check(usable)
    return result


def _truediv(trace: Trace, a: Any, b: Any) -> Value:
    kind = np.result_type(_common(trace, a, b), FLOAT64)
    x, y = _tensors(trace, kind, a, b)
    trace.check(y != 0)
    return Owner(x / y, kind)


def _floordiv(trace: Trace, a: Any, b: Any) -> Value:
    kind = _common(trace, a, b)
    x, y = _tensors(trace, kind, a, b)
    trace.check(y != 0)
    return Owner(trace.kernel("floor_divide")(_loop(trace, kind, 2), x, y), kind)


def _mod(trace: Trace, a: Any, b: Any) -> Value:
    kind = _common(trace, a, b)
    x, y = _tensors(trace, kind, a, b)
    trace.check(y != 0)
    return Owner(trace.kernel("remainder")(_loop(trace, kind, 2), x, y), kind)


def _divmod(trace: Trace, a: Any, b: Any) -> list[Value]:
    return [_floordiv(trace, a, b), _mod(trace, a, b)]


def _pow(trace: Trace, a: Any, b: Any, modulus: Any = None) -> Value:
    if modulus is not None:
        trace.unsupported("three arguments")
    kind = _common(trace, a, b)
    if kind.kind == "c":
        trace.unsupported("powers of complex numbers")
    x, y = _tensors(trace, kind, a, b)
    if kind == INT64 and trace.dtype == INT64:
        _small(trace, torch.pow(x.to(torch.float64), y.to(torch.float64)))
        return Owner(elementwise.power(_loop(trace, kind, 2), x, y), kind)
    if kind == INT64:
        trace.check(y < 0)
        x, y = _tensors(trace, FLOAT64, a, b)
    trace.check((x != 0) | ~(y < 0))
    return Owner(_finite(trace, trace.function("pow")(x, y), x, y), FLOAT64)


def _shift(left: bool) -> Callable[..., Value]:
    def operation(trace: Trace, a: Any, b: Any) -> Value:
        x, y = _tensors(trace, INT64, a, b)
        trace.check(y >= 0)
        if left:
            _small(trace, x.to(torch.float64) * torch.exp2(y.to(torch.float64)))
        kernel = integers.left_shift if left else integers.right_shift
        return Owner(kernel(_loop(trace, INT64, 2), x, y), INT64)

    return operation


def _bitwise(function: Callable[..., Tensor]) -> Callable[..., Value]:
    def operation(trace: Trace, *operands: Any) -> Value:
        kind = np.result_type(*(_dtype(trace, x) for x in operands))
        return Owner(function(*(trace.cast(x, kind) for x in operands)), kind)

    return operation


def _comparison(function: Callable[..., Tensor]) -> Callable[..., Value]:
    def operation(trace: Trace, a: Any, b: Any) -> Value:
        kind = _common(trace, a, b)
        return Owner(function(*_tensors(trace, kind, a, b)), BOOL)

    return operation


def _converted(trace: Trace, x: Any) -> Tensor:
    value = trace.value(x)
    if value.dtype.name == "uint64" and trace.dtype == INT64:
        trace.check(value.read() >= 0)
    return trace.cast(value, trace.dtype).reshape(())


def _invert(trace: Trace, x: Any) -> Value:
    return Owner(~trace.cast(x, INT64), INT64)


def _not(trace: Trace, x: Any) -> Value:
    return Owner(~trace.cast(x, BOOL).reshape(()), BOOL)


def _round(trace: Trace, x: Any, ndigits: Any = None) -> Tensor:
    if ndigits is not None:
        trace.unsupported("rounding to digits")
    value = trace.value(x)
    tensor = value.read()
    rounded = torch.round(tensor) if value.dtype.kind == "f" else tensor
    return trace.convert(rounded, value.dtype, trace.dtype)


def _abs(trace: Trace, x: Any) -> Value:
    value = trace.value(x)
    if value.dtype == BOOL:
        return Owner(trace.cast(x, INT64), INT64)
    if value.dtype == INT64:
        trace.check(value.read() != INT64_MIN)
    size = trace.function("abs") if value.dtype.kind == "f" else torch.abs
    return Owner(size(value.read()), trace.dtype)


def _extreme(largest: bool) -> Callable[..., Value]:
    def operation(trace: Trace, *operands: Any) -> Value:
        kinds = {_dtype(trace, x) for x in operands}
        if len(operands) < 2 or kinds != {trace.dtype}:
            trace.unsupported("min and max of numbers of several types")
        found, *others = (trace.cast(x, trace.dtype) for x in operands)
        for other in others:  # the first of equal ones, and comparisons with nan are False
            found = torch.where(other > found if largest else other < found, other, found)
        return Owner(found, trace.dtype)

    return operation


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": _arithmetic(torch.add),
    "sub": _arithmetic(torch.sub),
    "mul": _arithmetic(torch.mul),
    "neg": _arithmetic(torch.neg),
    "pos": _arithmetic(lambda x: x),
    "truediv": _truediv,
    "floordiv": _floordiv,
    "mod": _mod,
    "divmod": _divmod,
    "pow": _pow,
    "lshift": _shift(True),
    "rshift": _shift(False),
    "and": _bitwise(torch.bitwise_and),
    "or": _bitwise(torch.bitwise_or),
    "xor": _bitwise(torch.bitwise_xor),
    "invert": _invert,
    "not": _not,
    "lt": _comparison(torch.lt),
    "le": _comparison(torch.le),
    "eq": _comparison(torch.eq),
    "ne": _comparison(torch.ne),
    "gt": _comparison(torch.gt),
    "ge": _comparison(torch.ge),
    "float": _converted,
    "int": _converted,
    "bool": _converted,
    "complex": _converted,
    "truth": _converted,
    "abs": _abs,
    "round": _round,
    "min": _extreme(largest=False),
    "max": _extreme(largest=True),
}

_MATH = {"fabs": "abs", "degrees": "rad2deg", "radians": "deg2rad"}
"""Torch's names of functions that have others in Python."""


def constant(trace: Trace, value: object) -> Any:
    """What NumPy made of constants while it was recorded."""
    if isinstance(value, tuple):
        return [trace.value(part) for part in value]
    return trace.value(value)


def assume(trace: Trace, value: object, outcome: bool) -> None:
    """The recording took the branch that this truth decided."""
    truth = trace.cast(trace.value(value), BOOL)
    trace.check((truth if outcome else ~truth).reshape(()))


def mathematics(trace: Trace, *operands: Any) -> Value:
    name = trace.node.op.partition(".")[2]
    tensors = _tensors(trace, FLOAT64, *operands)
    if name in ("floor", "ceil", "trunc"):
        return Owner(trace.convert(getattr(torch, name)(tensors[0]), FLOAT64, INT64), INT64)
    found = trace.function(_MATH.get(name, name))(*tensors)
    if name in ("isnan", "isinf", "isfinite"):
        return Owner(found, BOOL)
    return Owner(_finite(trace, found, *tensors), FLOAT64)
