"""Flags: what a segment computes to notice that NumPy would report a floating-point error."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.graph.nodes import Node
from jupyter_npcompile.tracer.floating import UNDERFLOW, Look
from jupyter_npcompile.tracer.lowering.finite import defined, demand_all_finite, finite
from jupyter_npcompile.tracer.lowering.lookup import find_kernel
from jupyter_npcompile.tracer.lowering.trace import Trace, filled
from jupyter_npcompile.tracer.lowering.ufuncs import Loop, named
from jupyter_npcompile.tracer.lowering.values import Compressed, Value

FLOAT64 = np.dtype("float64")

_POLES: dict[str, Callable[..., Tensor]] = {
    "divide": lambda a, b: b == 0,
    "floor_divide": lambda a, b: b == 0,
    "divmod": lambda a, b: b == 0,
    "reciprocal": lambda x: x == 0,
    "log": lambda x: x == 0,
    "log2": lambda x: x == 0,
    "log10": lambda x: x == 0,
    "log1p": lambda x: x == -1,
    "arctanh": lambda x: (x == 1) | (x == -1),
    "power": lambda x, k: x == 0,
    "float_power": lambda x, k: x == 0,
}
"""Where an infinite result is a division by zero; anywhere else it is an overflow."""


_SIGNALLING = frozenset({"logaddexp", "logaddexp2"})
"""Functions of which NumPy reports that an operand is NaN."""

_BASES = {"logaddexp": math.e, "logaddexp2": 2.0}
"""Functions that raise a base to minus the distance of their operands, before they add to it.

That power can be too small where the result is not. A distance one below the
limit is taken for too far already: what is marked without need runs as NumPy.
"""

_INFINITE_EXPONENTS = frozenset({"power", "float_power", "pow"})
"""Functions that may report something although their second operand is infinite."""


def operands_of(args: Sequence[Any]) -> list[Any]:
    """The present elements of the operands of a node; numbers stay themselves."""
    found: list[Any] = []
    for arg in args:
        if isinstance(arg, Value):
            found.append(_elements(arg))
        elif isinstance(arg, tuple | list):
            found += operands_of(arg)
        elif isinstance(arg, bool | int | float | complex):
            found.append(arg)
    return found


def demand(
    trace: Trace, node: Node, look: Look, operands: Sequence[Any], results: Any, where: Any
) -> None:
    """Add the check that a node needs.

    Parameters
    ----------
    trace : Trace
        State of the lowering.
    node : Node
        What was lowered.
    look : {"never", "finite", "exact"}
        How it is looked at (``floating.looks``).
    operands : sequence of Tensor or number
        What it was computed from, as it was then.
    results : Value or list of Value
        What it made.
    where : Value or object
        Its ``where`` argument.
    """
    values = results if isinstance(results, list) else [results]
    for value in values:
        if not isinstance(value, Value) or value.dtype.kind not in "fc":
            continue
        if look == "finite":
            demand_all_finite(trace, _elements(value))
        else:
            marks = reported_at(node, operands, _elements(value))
            if isinstance(where, Value):
                marks = torch.where(where.read(), marks, torch.zeros_like(marks))
            trace.sums.add_marks(marks)


def demand_finite(trace: Trace, target: Any) -> None:
    """Check that an array holds neither NaN nor infinity after it was written."""
    if isinstance(target, Value) and target.dtype.kind in "fc":
        demand_all_finite(trace, _elements(target))


def _elements(value: Value) -> Tensor:
    return value.filled() if isinstance(value, Compressed) else value.read()


def reported_at(node: Node, operands: Sequence[Any], result: Tensor) -> Tensor:
    """Marks, which are not zero where NumPy would report an error for an element of the result.

    They are numbers, chosen by one comparison each: compilers make better vector
    code of these than of booleans that are combined.
    """
    if "nan" in node.op:  # these leave NaN out
        operands = [torch.where(defined(x), x, 0.0) if _is_real(x) else x for x in operands]
    each = named(node.op) is not None
    real = torch.real(result) if result.is_complex() else result
    no, yes = torch.zeros_like(real), torch.ones_like(real)
    name = node.op.removeprefix("numpy.")
    invalid, infinite = no, no
    if "invalid" in node.reports:
        # Complex arithmetic compares parts on its way, which reports NaN.
        signals = name in _SIGNALLING or result.is_complex()
        invalid = _where_all([] if signals else operands, defined, each, yes, no)
    if "over" in node.reports or "divide" in node.reports:
        bases = operands[:1] if name in _INFINITE_EXPONENTS else operands
        infinite = _where_all(bases, finite, each, yes, no)
        if not {"over", "divide"} <= set(node.reports):
            infinite = _at_poles(node, operands, infinite, no, wanted="divide" in node.reports)
    marks = torch.where(finite(result), no, torch.where(defined(result), infinite, invalid))
    if UNDERFLOW in node.reports and each:
        marks = torch.where(_vanishing(node, operands, result), yes, marks)
    return marks


def _at_poles(
    node: Node, operands: Sequence[Any], marks: Tensor, no: Tensor, *, wanted: bool
) -> Tensor:
    """Marks where an infinite result is a division by zero, or where it is not."""
    ufunc = named(node.op)
    pole = None if ufunc is None else _POLES.get(ufunc.__name__)
    if ufunc is None or pole is None:
        return no if wanted else marks
    there = pole(*map(_tensor, operands[: ufunc.nin]))
    return torch.where(there, marks, no) if wanted else torch.where(there, no, marks)


def _vanishing(node: Node, operands: Sequence[Any], result: Tensor) -> Tensor:
    """Where a result may be too small to be exact; sums and differences never are."""
    ufunc = named(node.op)
    if ufunc is not None and ufunc.__name__ in ("add", "subtract"):
        return torch.zeros((), dtype=torch.bool)
    exact = torch.zeros((), dtype=torch.bool)
    for operand in operands:
        exact = exact | (_tensor(operand) == 0)
    size = torch.abs(result)
    tiny = torch.finfo(size.dtype).tiny
    vanishing = (size < tiny) & ~((result == 0) & exact)
    base = None if ufunc is None else _BASES.get(ufunc.__name__)
    if base is None:
        return vanishing
    left, right = (_tensor(operand).to(size.dtype) for operand in operands[:2])
    distance = torch.abs(left - right)
    return vanishing | ((distance > -math.log(tiny, base) - 1) & (distance < math.inf))


def _where_all(
    operands: Sequence[Any], test: Callable[[Tensor], Tensor], each: bool, yes: Tensor, no: Tensor
) -> Tensor:
    """One of two where all operands pass a test: element by element, or as wholes."""
    for operand in operands:
        if isinstance(operand, float | complex):
            if cmath.isnan(operand) or (test is finite and cmath.isinf(operand)):
                return no
        elif _is_real(operand) or (isinstance(operand, Tensor) and operand.is_complex()):
            yes = torch.where(test(operand) if each else test(operand).all(), yes, no)
    return yes


def _tensor(x: Any) -> Tensor:
    if isinstance(x, Tensor):
        return x
    return filled((), x, torch.complex128 if isinstance(x, complex) else torch.float64)


def _is_real(x: Any) -> bool:
    return isinstance(x, Tensor) and x.is_floating_point()


_WRAPPING = frozenset(
    {"add", "subtract", "multiply", "power", "negative", "absolute", "floor_divide"}
)


def demand_no_overflow(trace: Trace, node: Node, args: Sequence[Any], result: Any) -> None:
    """Check that integers did not wrap around: NumPy reports it for scalars, not for arrays.

    What wrapped is off by a power of two, so that the same computation in
    double precision tells the two apart.

    Parameters
    ----------
    trace : Trace
        State of the lowering.
    node : Node
        What was lowered.
    args : sequence
        Its operands.
    result : Value or object
        What it made.
    """
    ufunc = named(node.op)
    if ufunc is None or ufunc.__name__ not in _WRAPPING or "over" not in node.reports:
        return
    if not isinstance(result, Value) or result.kind == "array" or result.dtype.kind not in "iu":
        return
    operands = [trace.cast(arg, FLOAT64) for arg in args]
    exact = find_kernel(ufunc.__name__)(
        Loop(trace, (FLOAT64,) * len(operands), (FLOAT64,)), *operands
    )
    bits = 8 * result.dtype.itemsize
    trace.check(torch.abs(exact - trace.cast(result, FLOAT64)) < 2.0 ** (bits - 1))
