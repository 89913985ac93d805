# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Kernels of ufuncs on integers: division, powers, bits.

``uint64`` arrives as the ``int64`` of the same bits (see ``dtypes``), so whatever
depends on the sign is written out for it.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering.dtypes import carrier, flip
from jupyter_npcompile.tracer.lowering.ufuncs import Loop


def _full(tensor: Tensor, number: int) -> Tensor:
    return torch.full((), number, dtype=tensor.dtype)


def _checked_divisor(loop: Loop, b: Tensor) -> Tensor:
    """The divisor with zeros replaced; NumPy warns of them, so they fail a check."""
    loop.trace.check((b != 0).all())
    return torch.where(b == 0, _full(b, 1), b)


def quotient(loop: Loop, a: Tensor, b: Tensor, *, floor: bool) -> Tensor:
    """Integer division; x // 0 is 0."""
    zero = b == 0
    safe = _checked_divisor(loop, b)
    if loop.dtype.name == "uint64":
        found = _unsigned_quotient(a, safe)
    else:
        if loop.dtype.kind == "i":  # the smallest integer by -1 traps
            minus = safe == -1
            found = torch.div(
                a,
                torch.where(minus, _full(b, 1), safe),
                rounding_mode="floor" if floor else "trunc",
            )
            found = torch.where(minus, -a, found)
        else:
            found = torch.div(a, safe, rounding_mode="trunc")
    return torch.where(zero, _full(found, 0), found)


def rest(loop: Loop, a: Tensor, b: Tensor, *, floor: bool) -> Tensor:
    """Rest of integer division, with the sign of `b` (floor) or of `a`; x % 0 is 0."""
    zero = b == 0
    safe = _checked_divisor(loop, b)
    if loop.dtype.name == "uint64":
        found = a - _unsigned_quotient(a, safe) * safe
    else:
        if loop.dtype.kind == "i":
            safe = torch.where(safe == -1, _full(b, 1), safe)
        found = torch.remainder(a, safe) if floor else torch.fmod(a, safe)
    return torch.where(zero, _full(found, 0), found)


def _unsigned_quotient(a: Tensor, b: Tensor) -> Tensor:
    half = torch.div((a >> 1) & 0x7FFFFFFFFFFFFFFF, b, rounding_mode="trunc") << 1
    left = a - half * b
    found = half + (flip(left) >= flip(b)).to(a.dtype)
    return torch.where(b < 0, (flip(a) >= flip(b)).to(a.dtype), found)


def power(loop: Loop, a: Tensor, b: Any) -> Tensor:
    """Powers modulo the range of the dtype."""
    if not isinstance(b, Tensor):
        return _constant_power(a, b)
    # NumPy raises for negative exponents; uint64 carries its largest as negative numbers
    loop.trace.check((b >= 0).all())
    return torch.pow(a, b)


def _constant_power(a: Tensor, exponent: int) -> Tensor:
    if exponent < 0:
        raise ValueError("negative integer power")
    result: Tensor | None = None
    base = a
    while exponent:
        if exponent & 1:
            result = base if result is None else result * base
        exponent >>= 1
        if exponent:
            base = base * base
    return torch.ones_like(a) if result is None else result


def gcd(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    if loop.dtype.name == "uint64":
        loop.trace.unsupported("uint64")
    return torch.abs(torch.gcd(a, b))


def lcm(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    if loop.dtype.name == "uint64":
        loop.trace.unsupported("uint64")
    common = torch.abs(torch.gcd(a, b))  # never -1, by which the smallest integer traps
    safe = torch.where(common == 0, _full(a, 1), common)
    return torch.div(torch.abs(a), safe, rounding_mode="trunc") * torch.abs(b)


def _bits(loop: Loop) -> int:
    return loop.dtype.itemsize * 8


def left_shift(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    inside = (b >= 0) & (b < _bits(loop))
    return torch.where(inside, a << torch.where(inside, b, _full(b, 0)), _full(a, 0))


def right_shift(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    inside = (b >= 0) & (b < _bits(loop))
    safe = torch.where(inside, b, _full(b, 0))
    if loop.dtype.name == "uint64":
        # one place by hand, which clears the sign, then the rest
        once = (a >> 1) & 0x7FFFFFFFFFFFFFFF
        moved = torch.where(safe == 0, a, once >> torch.where(safe == 0, safe, safe - 1))
        return torch.where(inside, moved, _full(a, 0))
    beyond = torch.where(a < 0, _full(a, -1), _full(a, 0))
    return torch.where(inside, a >> safe, beyond)


def bitwise_and(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    return a & b


def bitwise_or(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    return a | b


def bitwise_xor(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    return a ^ b


def invert(loop: Loop, x: Tensor) -> Tensor:
    return torch.bitwise_not(x)


def bitwise_count(loop: Loop, x: Tensor) -> Tensor:
    if loop.dtype.kind == "b":
        return x.to(torch.uint8)
    wide = x.to(torch.int64)
    if loop.dtype.kind == "i":  # of the absolute value
        wide = torch.abs(wide)
    wide = wide - ((wide >> 1) & 0x5555555555555555)
    wide = (wide & 0x3333333333333333) + ((wide >> 2) & 0x3333333333333333)
    wide = (wide + (wide >> 4)) & 0x0F0F0F0F0F0F0F0F
    for shift in (8, 16, 32):
        wide = wide + (wide >> shift)
    return (wide & 0x7F).to(carrier(loop.outputs[0]))
