# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Kernels of ufuncs that compare, choose the larger, test, or combine truths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering.dtypes import ordered
from jupyter_npcompile.tracer.lowering.kernels import Kernel, accepting, direct, is_plain, real
from jupyter_npcompile.tracer.lowering.ufuncs import Loop


def _ordered(function: Callable[..., Tensor]) -> Kernel:
    def kernel(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
        if loop.dtype.kind == "c":
            loop.trace.unsupported("complex numbers have no order in torch")
        found = function(ordered(a, loop.inputs[0]), ordered(b, loop.inputs[1]))
        return ordered(found, loop.outputs[0])

    return kernel


maximum = _ordered(torch.maximum)
minimum = _ordered(torch.minimum)


def _fmax(a: Tensor, b: Tensor) -> Tensor:
    return torch.where((a >= b) | torch.isnan(b), a, b)


def _fmin(a: Tensor, b: Tensor) -> Tensor:
    return torch.where((a <= b) | torch.isnan(b), a, b)


def fmax(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    return _fmax(a, b) if loop.dtype.kind == "f" else maximum(loop, a, b)


def fmin(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    return _fmin(a, b) if loop.dtype.kind == "f" else minimum(loop, a, b)


def _comparison(function: Callable[..., Tensor]) -> Kernel:
    def kernel(loop: Loop, a: Tensor, b: Any) -> Tensor:
        if loop.dtype.kind == "c" and function not in (torch.eq, torch.ne):
            loop.trace.unsupported("complex numbers have no order in torch")
        if {kind.name for kind in loop.inputs} == {"int64", "uint64"}:
            return _mixed(loop, a, b)
        return function(
            ordered(a, loop.inputs[0]), b if is_plain(b) else ordered(b, loop.inputs[1])
        )

    def _mixed(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
        # signed against unsigned: as pairs (is beyond the signed range, low bits)
        signed = [kind.name == "int64" for kind in loop.inputs]
        tops = [(x < 0) & (not s) for x, s in zip((a, b), signed, strict=True)]
        low = torch.where(tops[0] | tops[1], tops[0].to(a.dtype), a)
        high = torch.where(tops[0] | tops[1], tops[1].to(a.dtype), b)
        return function(low, high)

    return accepting(kernel)


equal = _comparison(torch.eq)
not_equal = _comparison(torch.ne)
less = _comparison(torch.lt)
less_equal = _comparison(torch.le)
greater = _comparison(torch.gt)
greater_equal = _comparison(torch.ge)


# -- logic and classes of numbers


def _truth(x: Tensor) -> Tensor:
    return x if x.dtype == torch.bool else x != 0


def logical_and(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    return _truth(a) & _truth(b)


def logical_or(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    return _truth(a) | _truth(b)


def logical_xor(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    return _truth(a) ^ _truth(b)


def logical_not(loop: Loop, x: Tensor) -> Tensor:
    return torch.logical_not(_truth(x))


isnan = direct(torch.isnan)
isinf = direct(torch.isinf)
isfinite = direct(torch.isfinite)
signbit = real(torch.signbit)
