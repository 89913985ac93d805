"""Help for writing the kernels of ufuncs.

A kernel is ``f(loop, *tensors)``: the tensors carry the loop's input dtypes, the
result carries its output dtype (unsigned results are wrapped by the caller).
Half precision never arrives: the caller computes it in single precision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering.ufuncs import Kernel, Loop


def accepting(kernel: Kernel) -> Kernel:
    """Mark a kernel whose last operand may be a Python number, with a real loop."""
    kernel.scalars = "fiu"  # type: ignore[attr-defined]
    return kernel


def accepting_always(kernel: Kernel) -> Kernel:
    """Mark a kernel whose last operand may be a Python number."""
    kernel.scalars = "fiuc"  # type: ignore[attr-defined]
    return kernel


def commuting(kernel: Kernel) -> Kernel:
    """Mark a kernel of two operands whose order does not matter."""
    kernel.commutes = True  # type: ignore[attr-defined]
    return kernel


def direct(function: Callable[..., Any]) -> Kernel:
    """A kernel that is one torch function on real and complex numbers."""

    def kernel(loop: Loop, *tensors: Tensor) -> Any:
        return function(*tensors)

    return kernel


def real(function: Callable[..., Any]) -> Kernel:
    """A kernel that is one torch function on real numbers only."""

    def kernel(loop: Loop, *tensors: Tensor) -> Any:
        if loop.dtype.kind == "c":
            loop.trace.unsupported("complex numbers")
        return function(*tensors)

    return kernel


def like(tensor: Tensor, number: float) -> Tensor:
    """A 0-d constant of the dtype of a tensor."""
    return torch.full((), number, dtype=tensor.dtype)


def is_plain(x: object) -> bool:
    """Whether an operand is a Python number, not a tensor."""
    return not isinstance(x, Tensor)


__all__ = [
    "Kernel",
    "accepting",
    "accepting_always",
    "commuting",
    "direct",
    "is_plain",
    "like",
    "real",
]
