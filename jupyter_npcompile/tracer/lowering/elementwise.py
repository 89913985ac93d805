# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Kernels of ufuncs on floating-point numbers.

A kernel is ``f(loop, *tensors)``: the tensors carry the loop's input dtypes, the
result carries its output dtype (unsigned results are wrapped by the caller).
Half precision never arrives here: the caller computes it in single precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering import complexes, integers
from jupyter_npcompile.tracer.lowering.dtypes import carrier
from jupyter_npcompile.tracer.lowering.kernels import (
    Kernel,
    accepting,
    accepting_always,
    commuting,
    direct,
    is_plain,
    like,
    real,
)
from jupyter_npcompile.tracer.lowering.ufuncs import Loop

sin = direct(torch.sin)
cos = direct(torch.cos)
tan = direct(torch.tan)
tanh = direct(torch.tanh)
arcsin = direct(torch.asin)
arctan = direct(torch.atan)
arcsinh = direct(torch.asinh)
exp = direct(torch.exp)
exp2 = real(torch.exp2)
log = direct(torch.log)
log2 = direct(torch.log2)
log10 = direct(torch.log10)
log1p = real(torch.log1p)
sqrt = direct(torch.sqrt)
hypot = real(torch.hypot)
arctan2 = real(torch.atan2)
copysign = real(torch.copysign)
logaddexp = real(torch.logaddexp)


# Compilers shorten these at the cost of digits, so they are written out.


def expm1(loop: Loop, x: Tensor) -> Tensor:
    if loop.dtype.kind == "c":
        loop.trace.unsupported("complex numbers")
    power = torch.exp(x)
    found = (power - 1) * (x / torch.log(power))
    found = torch.where((power == 1) | (x == 0), x, found)
    found = torch.where(power - 1 == -1, like(x, -1), found)
    return torch.where(torch.isinf(power), power, found)


def sinh(loop: Loop, x: Tensor) -> Tensor:
    return _without_overflow(loop, x, torch.sinh, x)


def cosh(loop: Loop, x: Tensor) -> Tensor:
    return _without_overflow(loop, x, torch.cosh, torch.abs(x))


def _without_overflow(
    loop: Loop, x: Tensor, function: Callable[[Tensor], Tensor], signed: Tensor
) -> Tensor:
    """Near the largest numbers, the exponential overflows before its half does."""
    found = function(x)
    if loop.dtype.kind == "c":
        return found
    root = torch.exp(0.5 * torch.abs(x))
    limit = 700.0 if x.dtype == torch.float64 else 85.0
    return torch.where(torch.abs(x) > limit, torch.copysign(0.5 * root * root, signed), found)


def arccos(loop: Loop, x: Tensor) -> Tensor:
    if loop.dtype.kind != "c":
        return torch.acos(x)
    angle, imaginary = complexes.parts(torch.acos(x))
    below = torch.copysign(imaginary, -torch.imag(x))  # torch loses the sign of zero
    return torch.complex(angle, torch.where(imaginary == 0, below, imaginary))


def arccosh(loop: Loop, x: Tensor) -> Tensor:
    if loop.dtype.kind == "c":
        return torch.acosh(x)
    above = x - 1
    found = torch.log1p(above + torch.sqrt(2 * above + above * above))
    found = torch.where(x > 2.0**28, torch.log(x) + math.log(2), found)
    return torch.where(x < 1, like(x, math.nan), found)


def arctanh(loop: Loop, x: Tensor) -> Tensor:
    if loop.dtype.kind == "c":
        return torch.atanh(x)
    size = torch.abs(x)
    twice = size + size
    small = twice + twice * size / (1 - size)
    ratio = torch.where(size < 0.5, small, twice / (1 - size))
    return torch.copysign(0.5 * torch.log1p(ratio), x)


@commuting
@accepting
def add(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    if loop.dtype.kind == "c":
        return complexes.add(a, b)
    return a | b if loop.dtype.kind == "b" else torch.add(a, b)


@accepting
def subtract(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    return complexes.subtract(a, b) if loop.dtype.kind == "c" else torch.sub(a, b)


@commuting
@accepting
def multiply(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    if loop.dtype.kind == "c":
        return complexes.multiply(a, b)
    return a & b if loop.dtype.kind == "b" else torch.mul(a, b)


@accepting
def divide(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    return complexes.divide(a, b) if loop.dtype.kind == "c" else torch.div(a, b)


def negative(loop: Loop, x: Tensor) -> Tensor:
    return complexes.negative(x) if loop.dtype.kind == "c" else torch.neg(x)


def positive(loop: Loop, x: Tensor) -> Tensor:
    return x


def conjugate(loop: Loop, x: Tensor) -> Tensor:
    return complexes.conjugate(x) if loop.dtype.kind == "c" else x


def absolute(loop: Loop, x: Tensor) -> Tensor:
    if loop.dtype.kind == "c":
        return complexes.absolute(x)
    return x if loop.dtype.kind in "bu" else torch.abs(x)


def fabs(loop: Loop, x: Tensor) -> Tensor:
    return torch.abs(x)


def square(loop: Loop, x: Tensor) -> Tensor:
    return complexes.multiply(x, x) if loop.dtype.kind == "c" else x * x


def reciprocal(loop: Loop, x: Tensor) -> Tensor:
    if loop.dtype.kind in "iu":
        return integers.quotient(loop, like(x, 1), x, floor=False)
    if loop.dtype.kind == "c":
        return complexes.reciprocal(x)
    return torch.div(like(x, 1), x)


def sign(loop: Loop, x: Tensor) -> Tensor:
    if loop.dtype.kind == "c":
        loop.trace.check(torch.isfinite(x).all())  # NumPy looks at the parts of others
        return torch.sgn(x)
    if loop.dtype.kind == "u":
        return (x != 0).to(x.dtype)
    found = torch.sign(x)
    return torch.where(torch.isnan(x), x, found) if loop.dtype.kind == "f" else found


def heaviside(loop: Loop, x: Tensor, half: Tensor) -> Tensor:
    step = torch.where(x > 0, like(x, 1), torch.where(x < 0, like(x, 0), half))
    return torch.where(torch.isnan(x), x, step)


def logaddexp2(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    gap = a - b
    high = torch.where(gap > 0, a, b)
    found = high + torch.log1p(torch.exp2(-torch.abs(gap))) * float(np.log2(np.e))
    return torch.where(a == b, a + 1, found)


def cbrt(loop: Loop, x: Tensor) -> Tensor:
    size = torch.abs(x).to(torch.float64)
    root = torch.pow(size, 1 / 3)
    better = root - (root * root * root - size) / (3 * (root * root))
    usable = (size > 0) & (size < math.inf)
    return torch.copysign(torch.where(usable, better, size), x.to(torch.float64)).to(x.dtype)


def _squared_number(a: Tensor) -> Tensor:
    """The square of a number as C's library has it, as NumPy's scalars do.

    It is not always the product, which the C++ compiler would make of it if it knew the exponent.
    """
    return torch.pow(a, torch.where(torch.isnan(a), a, like(a, 2.0)).detach())


@accepting_always
def power(loop: Loop, a: Tensor, b: Any) -> Tensor:
    if loop.dtype.kind in "iu":
        return integers.power(loop, a, b)
    if loop.dtype.kind == "c":
        return _complex_power(loop, a, b)
    if isinstance(b, float):
        if b == 2.0:
            return _squared_number(a) if a.ndim == 0 else a * a
        if b == 1.0:
            return a
        if b == 0.5:
            return torch.pow(a, like(a, 0.5)) if loop.half else torch.sqrt(a)
        return torch.pow(a, b)
    found = torch.pow(a, b)
    if loop.half:
        return found
    # For one exponent of all elements NumPy takes the square root, which maps -inf to nan
    # and -0.0 to itself; for exponents that are repeated it depends on the strides.
    if b.ndim == 0:
        return torch.where(b == 0.5, torch.sqrt(a), found)
    if tuple(b.shape) != tuple(found.shape):
        loop.trace.check(~((b == 0.5) & ((a == -math.inf) | ((a == 0) & torch.signbit(a)))).any())
    return found


def _complex_power(loop: Loop, a: Tensor, b: Any) -> Tensor:
    if not is_plain(b) or b not in (1, 2, 3):
        loop.trace.unsupported("powers of complex numbers other than 1, 2, 3")
    if b == 1:
        return a
    squared = complexes.multiply(a, a)
    return squared if b == 2 else complexes.multiply(a, squared)


def float_power(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    if loop.dtype.kind == "c":
        loop.trace.unsupported("complex numbers")
    return torch.pow(a, b)


def _scaled(loop: Loop, x: Tensor, factor: float) -> Tensor:
    return x * float(np.asarray(factor, loop.dtype))


def deg2rad(loop: Loop, x: Tensor) -> Tensor:
    return _scaled(loop, x, _ratio(loop, math.pi, 180.0))


def rad2deg(loop: Loop, x: Tensor) -> Tensor:
    return _scaled(loop, x, _ratio(loop, 180.0, math.pi))


def _ratio(loop: Loop, a: float, b: float) -> float:
    kind = loop.dtype.type
    return float(kind(a) / kind(b))


radians = deg2rad
degrees = rad2deg


def rint(loop: Loop, x: Tensor) -> Tensor:
    if loop.dtype.kind == "c":
        return torch.complex(*(torch.round(part) for part in complexes.parts(x)))
    return torch.round(x)


def _integral(function: Callable[[Tensor], Tensor]) -> Kernel:
    def kernel(loop: Loop, x: Tensor) -> Tensor:
        return function(x) if loop.dtype.kind == "f" else x

    return kernel


floor = _integral(torch.floor)
ceil = _integral(torch.ceil)
trunc = _integral(torch.trunc)


# -- division with rest


def fmod(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    if loop.dtype.kind in "iu":
        return integers.rest(loop, a, b, floor=False)
    return _rest(loop, a, b)


def _rest(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    # vectorised code gives nan where the quotient overflows
    loop.trace.check(~(torch.isinf(a / b) & torch.isfinite(a) & (b != 0)).any())
    return torch.fmod(a, b)


def remainder(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    if loop.dtype.kind in "iu":
        return integers.rest(loop, a, b, floor=True)
    rest = _rest(loop, a, b)
    shifted = torch.where((b < 0) != (rest < 0), rest + b, rest)
    signed = torch.where(rest == 0, torch.copysign(like(a, 0), b), shifted)
    return torch.where(torch.isnan(rest), rest, signed)


def floor_divide(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    if loop.dtype.kind in "iu":
        return integers.quotient(loop, a, b, floor=True)
    rest = _rest(loop, a, b)
    exact = (a - rest) / b
    lowered = torch.where((rest != 0) & ((b < 0) != (rest < 0)), exact - 1, exact)
    whole = torch.floor(lowered)
    whole = torch.where(lowered - whole > 0.5, whole + 1, whole)
    zero = torch.copysign(like(a, 0), a / b)
    found = torch.where(lowered == 0, zero, whole)
    return torch.where(b == 0, a / b, found)


def divmod(loop: Loop, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    return floor_divide(loop, a, b), remainder(loop, a, b)


def modf(loop: Loop, x: Tensor) -> tuple[Tensor, Tensor]:
    whole = torch.trunc(x)
    part = torch.where(torch.isinf(x), like(x, 0), x - whole)
    return torch.copysign(part, x), whole


def frexp(loop: Loop, x: Tensor) -> tuple[Tensor, Tensor]:
    # from the bits: compilers have no frexp for vectors
    wide = x.to(torch.float64)
    tiny = torch.abs(wide) < 2.0**-1022
    bits = torch.where(tiny, wide * 2.0**54, wide).view(torch.int64)
    mantissa = ((bits & ~(0x7FF << 52)) | (1022 << 52)).view(torch.float64)
    exponent = ((bits >> 52) & 0x7FF) - 1022
    exponent = torch.where(tiny, exponent - 54, exponent)
    usable = torch.isfinite(wide) & (wide != 0)
    return (
        torch.where(usable, mantissa, wide).to(x.dtype),
        torch.where(usable, exponent, like(exponent, 0)).to(carrier(loop.outputs[1])),
    )


def ldexp(loop: Loop, x: Tensor, exponent: Tensor) -> Tensor:
    # three factors, each a power of two in range, so that nothing overflows on the way
    wide = x.to(torch.float64)
    left = exponent.to(torch.float64).clamp(-3000.0, 3000.0)
    for _ in range(3):
        step = left.clamp(-1000.0, 1000.0)
        wide = wide * torch.exp2(step)
        left = left - step
    return wide.to(x.dtype)


def nextafter(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    _no_half(loop)
    return torch.nextafter(a, b)


def _no_half(loop: Loop) -> None:
    if loop.half:
        loop.trace.unsupported("half precision")


def spacing(loop: Loop, x: Tensor) -> Tensor:
    _no_half(loop)
    outward = torch.where(x < 0, like(x, -math.inf), like(x, math.inf))
    step = torch.nextafter(x, outward) - x
    return torch.where(torch.isfinite(x), step, like(x, math.nan))
