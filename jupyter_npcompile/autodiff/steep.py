"""Functions with infinite slopes, whose derivatives take zero times infinity for zero.

The slope of a square root at zero is infinite. A tangent or cotangent that is
zero there belongs to a number that depends on nothing, or on which nothing
depends: what it becomes is zero, not NaN. All of it can be differentiated again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor


class OfTensors(torch.autograd.Function):
    """A function of tensors alone, whose derivatives are computed from these."""

    generate_vmap_rule = True

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keep what the function was given."""
        ctx.save_for_backward(*inputs)


class _Product(OfTensors):
    """A product that is zero where one of its factors is, whatever the other one."""

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return torch.where((a == 0) | (b == 0), 0.0, a * b)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        a, b = ctx.saved_tensors
        return product(gradients[0], b), product(gradients[0], a)


class _Steep(torch.autograd.Function):
    """One of `_FORMS`."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor, name: str) -> Tensor:
        return _FORMS[name][0](x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.form = _FORMS[inputs[1]]
        ctx.save_for_backward(inputs[0], output)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        return product(gradients[0], ctx.form[1](*ctx.saved_tensors)), None


class _Power(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor, exponent: float) -> Tensor:
        return torch.pow(x if exponent.is_integer() else x + 0.0, exponent)  # of -0.0

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.exponent = inputs[1]
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        slope = ctx.exponent * power(ctx.saved_tensors[0], ctx.exponent - 1.0)
        return product(gradients[0], slope), None


class _PowerOf(OfTensors):
    """A power of real numbers whose exponents are tensors, too; of zero they have no effect."""

    @staticmethod
    def forward(x: Tensor, exponent: Tensor) -> Tensor:
        return torch.pow(x, exponent)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        x, exponent = ctx.saved_tensors
        slope = product(exponent, powers(x, exponent - 1.0))
        logarithm = torch.log(torch.where((x == 0) & (exponent >= 0), 1.0, x))
        growth = product(powers(x, exponent), logarithm)
        return product(gradients[0], slope), product(gradients[0], growth)


class _Size(OfTensors):
    """The size of real numbers; its gradient at zero is zero, whatever arrives there."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return torch.abs(x)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        return product(gradients[0], torch.sign(ctx.saved_tensors[0]))


class _Modulus(OfTensors):
    """The size of complex numbers; its gradient at zero is zero."""

    @staticmethod
    def forward(z: Tensor) -> Tensor:
        return torch.abs(z)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        return gradients[0] * _phase(ctx.saved_tensors[0])


class _Phase(OfTensors):
    """Complex numbers divided by their size."""

    @staticmethod
    def forward(z: Tensor) -> Tensor:
        return torch.sgn(z)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        (z,) = ctx.saved_tensors
        phase, inverse = _phase(z), _inverse(size(z))
        cross = torch.real(gradients[0]) * torch.imag(phase)
        cross = torch.imag(gradients[0]) * torch.real(phase) - cross
        turned = product(cross, inverse)
        return torch.complex(-turned * torch.imag(phase), turned * torch.real(phase))


class _Hypot(OfTensors):
    """The length of pairs of real numbers; its gradient at zero is zero."""

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return torch.hypot(a, b)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        cosine, sine = _direction(*ctx.saved_tensors)
        return gradients[0] * cosine, gradients[0] * sine


class _Direction(OfTensors):
    """Pairs of real numbers divided by their length."""

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        length = torch.hypot(a, b)
        length = torch.where(length == 0, 1.0, length)
        return a / length, b / length

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        a, b = ctx.saved_tensors
        cosine, sine = _direction(a, b)
        cross = product(gradients[1], cosine) - product(gradients[0], sine)
        turned = product(cross, _inverse(hypot(a, b)))
        return -turned * sine, turned * cosine


class _Angle(OfTensors):
    """The angle of pairs of real numbers; its gradient at zero is zero."""

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return torch.atan2(a, b)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        a, b = ctx.saved_tensors
        cosine, sine = _direction(b, a)
        turned = product(gradients[0], _inverse(hypot(a, b)))
        return product(turned, cosine), -product(turned, sine)


def pairwise(function: type[OfTensors], a: Tensor, b: Tensor) -> Tensor:
    """A function of two tensors, of each pair of their elements."""
    call: Any = function.apply
    made: Tensor = call(*torch.broadcast_tensors(a, b))  # type: ignore[no-untyped-call]
    return made


def product(a: Tensor, b: Tensor) -> Tensor:
    """A product that is zero where one of its factors is, whatever the other one."""
    call: Any = _Product.apply
    made: Tensor = call(a, b)
    return made


def _steep(x: Tensor, name: str) -> Tensor:
    call: Any = _Steep.apply
    made: Tensor = call(x, name)
    return made


def _inverse(x: Tensor) -> Tensor:
    return _steep(x, "reciprocal")


def _phase(z: Tensor) -> Tensor:
    call: Any = _Phase.apply
    made: Tensor = call(z)
    return made


def _direction(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    call: Any = _Direction.apply
    made: tuple[Tensor, Tensor] = call(a, b)
    return made


def hypot(a: Tensor, b: Tensor) -> Tensor:
    """The length of pairs of real numbers."""
    return pairwise(_Hypot, a, b)


def angle(a: Tensor, b: Tensor) -> Tensor:
    """The angle of pairs of real numbers, as ``np.arctan2`` has it."""
    return pairwise(_Angle, a, b)


def powers(x: Tensor, exponent: Tensor) -> Tensor:
    """A power of real numbers; where zero is the base, the exponent has no effect."""
    return pairwise(_PowerOf, x, exponent)


def root(total: Tensor, order: float = 2.0) -> Tensor:
    """The root of a sum of powers; where all of them are zero, so are its derivatives."""
    nothing = total == 0
    some = torch.where(nothing, 1.0, total)
    found = torch.sqrt(some) if order == 2 else torch.pow(some, 1 / order)
    return torch.where(nothing, 0.0, found)


def size(x: Tensor) -> Tensor:
    """The size of real or complex numbers."""
    call: Any = _Modulus.apply if x.is_complex() else _Size.apply
    made: Tensor = call(x)
    return made


def _cube_root(x: Tensor) -> Tensor:
    return torch.sign(x) * torch.pow(torch.abs(x), 1 / 3)


_FORMS: Mapping[str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor, Tensor], Tensor]]] = {
    "log": (torch.log, lambda x, made: _inverse(x)),
    "log2": (torch.log2, lambda x, made: _inverse(math.log(2) * x)),
    "log10": (torch.log10, lambda x, made: _inverse(math.log(10) * x)),
    "log1p": (torch.log1p, lambda x, made: _inverse(1.0 + x)),
    "arctanh": (torch.atanh, lambda x, made: _inverse(1.0 - x * x)),
    "reciprocal": (torch.reciprocal, lambda x, made: -product(made, made)),
    "sqrt": (torch.sqrt, lambda x, made: _inverse(2.0 * made + 0.0)),
    "cbrt": (_cube_root, lambda x, made: _inverse(3.0 * made * made)),
    "arcsin": (torch.asin, lambda x, made: _inverse(_steep(1.0 - x * x, "sqrt"))),
    "arccos": (torch.acos, lambda x, made: -_inverse(_steep(1.0 - x * x, "sqrt"))),
    "arccosh": (torch.acosh, lambda x, made: _inverse(_steep(x * x - 1.0, "sqrt"))),
}
"""Functions of real numbers, and their slopes: of a number, and of what the function gives."""


def steep(name: str) -> Callable[[Tensor], Tensor]:
    """A function with infinite slopes by NumPy's name; of complex numbers it is torch's own.

    Examples
    --------
    >>> x = torch.tensor([0.0, 4.0], requires_grad=True)
    >>> torch.autograd.grad(steep("sqrt")(x), x, torch.tensor([0.0, 1.0]))[0]
    tensor([0.0000, 0.2500])
    """
    plain = _FORMS[name][0]
    return lambda x: plain(x) if x.is_complex() else _steep(x, name)


def power(x: Tensor, exponent: float) -> Tensor:
    """A power of real numbers; its slopes at zero may be infinite."""
    call: Any = _Power.apply
    made: Tensor = torch.pow(x, exponent) if exponent in (0.0, 1.0, 2.0, 3.0) else call(x, exponent)
    return made
