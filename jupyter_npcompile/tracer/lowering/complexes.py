"""Arithmetic on complex numbers, written out on their parts as NumPy does it.

torch's own gives other signs of zeros (it multiplies by a factor on the way) and
other infinities and NaNs.
"""

from __future__ import annotations

import torch
from torch import Tensor


def parts(x: Tensor) -> tuple[Tensor, Tensor]:
    """Real and imaginary parts."""
    return torch.real(x), torch.imag(x)


def add(a: Tensor, b: Tensor) -> Tensor:
    """Sum."""
    (p, q), (r, s) = parts(a), parts(b)
    return torch.complex(p + r, q + s)


def subtract(a: Tensor, b: Tensor) -> Tensor:
    """Difference."""
    (p, q), (r, s) = parts(a), parts(b)
    return torch.complex(p - r, q - s)


def negative(x: Tensor) -> Tensor:
    """The number with both signs turned."""
    p, q = parts(x)
    return torch.complex(-p, -q)


def conjugate(x: Tensor) -> Tensor:
    """The number with the sign of its imaginary part turned."""
    p, q = parts(x)
    return torch.complex(p, -q)


def multiply(a: Tensor, b: Tensor) -> Tensor:
    """Product."""
    (p, q), (r, s) = parts(a), parts(b)
    return torch.complex(p * r - q * s, p * s + q * r)


def divide(a: Tensor, b: Tensor) -> Tensor:
    """Quotient, scaled by the larger part of the divisor (Smith's method)."""
    (p, q), (r, s) = parts(a), parts(b)
    flat = torch.abs(r) >= torch.abs(s)
    large, small = torch.where(flat, r, s), torch.where(flat, s, r)
    ratio = small / large
    scale = 1 / (large + small * ratio)
    first, second = torch.where(flat, p, q), torch.where(flat, q, p)
    real = (first + second * ratio) * scale
    imag = torch.where(flat, q - p * ratio, q * ratio - p) * scale
    zero = (r == 0) & (s == 0)
    none = torch.abs(r)
    return torch.complex(torch.where(zero, p / none, real), torch.where(zero, q / none, imag))


def reciprocal(x: Tensor) -> Tensor:
    """One over the number, scaled by its larger part."""
    real, imag = parts(x)
    flat = torch.abs(imag) <= torch.abs(real)
    large, small = torch.where(flat, real, imag), torch.where(flat, imag, real)
    ratio = small / large
    scale = large + small * ratio
    one = torch.full((), 1, dtype=real.dtype)
    return torch.complex(
        torch.where(flat, one, ratio) / scale, -torch.where(flat, ratio, one) / scale
    )


def absolute(x: Tensor) -> Tensor:
    """Distance from zero; an infinite part counts more than NaN."""
    p, q = parts(x)
    return torch.hypot(p, q)


def finite(x: Tensor) -> Tensor:
    """Whether all parts of all numbers are finite, as a 0-d boolean."""
    p, q = parts(x)
    return (torch.isfinite(p) & torch.isfinite(q)).all()
