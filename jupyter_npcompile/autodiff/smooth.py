"""Kernels of ufuncs for gradients: simpler than those that follow NumPy to the last digit.

Exact kernels are made of cases, absolute values and signs. At the points where
cases meet, at zero above all, these would give the derivative of one side, or
none. NumPy has computed the values already.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from jupyter_npcompile.autodiff import steep
from jupyter_npcompile.tracer.lowering import elementwise, ufuncs
from jupyter_npcompile.tracer.lowering.lookup import Lowering
from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.ufuncs import Loop


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that is one function on tensors."""

    def kernel(loop: Loop, *tensors: Any) -> Any:
        return function(*tensors)

    return kernel


class _LogAddExp(steep.OfTensors):
    """Torch's own, whose rule divides exponential functions, has no curvature far from ties.

    The slopes are logistic functions of the gap between the operands.
    """

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return torch.logaddexp(a, b)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        a, b = ctx.saved_tensors
        gap = torch.where((a == b) & torch.isinf(a), 0.0, a - b)
        return gradients[0] * torch.sigmoid(gap), gradients[0] * torch.sigmoid(-gap)


def _logaddexp(a: Tensor, b: Tensor) -> Tensor:
    return steep.pairwise(_LogAddExp, a, b)


def _logaddexp2(a: Tensor, b: Tensor) -> Tensor:
    scale = math.log(2)
    return _logaddexp(a * scale, b * scale) / scale


def _modf(x: Tensor) -> tuple[Tensor, Tensor]:
    whole = torch.trunc(x)
    return x - whole, whole


class _Rest(steep.OfTensors):
    """What a division leaves; the quotient is a constant, whole number of times.

    Torch's own rule divides once more, and may round to another whole number.
    """

    @staticmethod
    def forward(a: Tensor, b: Tensor, rest: Tensor) -> Tensor:
        return rest.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        a, b, rest = ctx.saved_tensors
        times = torch.round((a - rest) / b).detach()
        return gradients[0], steep.product(gradients[0], -times), None


def _rest(exact: Callable[..., Tensor], a: Tensor, b: Tensor) -> Tensor:
    """What a division leaves; at multiples it goes on as beside them, but for the jump."""
    apply: Any = _Rest.apply
    left = exact(a.detach(), b.detach())
    made: Tensor = apply(a.expand(left.shape), b.expand(left.shape), left)
    return made


def _fmod(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    return _rest(partial(elementwise.fmod, loop), a, b)


def _remainder(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    return _rest(partial(elementwise.remainder, loop), a, b)


def _floor_divide(loop: Loop, a: Tensor, b: Tensor) -> Tensor:
    """A step has no slope, not even where it divides by zero."""
    return elementwise.floor_divide(loop, a.detach(), b.detach())


def _divmod(loop: Loop, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    return _floor_divide(loop, a, b), _remainder(loop, a, b)


def _frexp(loop: Loop, x: Tensor) -> tuple[Tensor, Tensor]:
    """The exponent is piecewise constant."""
    exponent = elementwise.frexp(loop, x.detach())[1]
    return x * torch.exp2(-exponent.to(x.dtype)), exponent


def _log1p(x: Tensor) -> Tensor:
    return torch.log(1 + x) if x.is_complex() else steep.steep("log1p")(x)


def _expm1(x: Tensor) -> Tensor:
    return torch.exp(x) - 1 if x.is_complex() else torch.expm1(x)


def _exp2(x: Tensor) -> Tensor:
    return torch.exp(x * math.log(2)) if x.is_complex() else torch.exp2(x)


def _power(loop: Loop, a: Tensor, b: Any) -> Tensor:
    if loop.dtype.kind in "iu":
        exact: Tensor = elementwise.power(loop, a, b)
        return exact
    if loop.dtype.kind == "c" and isinstance(b, Tensor):
        base = torch.where((a == 0) & (b != 1), 1.0, a)  # no logarithm of zero
        return torch.where((a == 0) & (b != 1), torch.where(b == 0, 1.0, 0.0), torch.pow(base, b))
    return torch.pow(a, b) if a.is_complex() else _real_power(a, b)


def _real_power(a: Tensor, b: Tensor | float) -> Tensor:
    return steep.powers(a, b) if isinstance(b, Tensor) else steep.power(a, b)


def _copysign(a: Tensor, b: Tensor) -> Tensor:
    """Torch divides by the number to have the slope of its size."""
    return torch.abs(a) * torch.copysign(torch.ones_like(b), b).detach()


_power.scalars = "fiuc"  # type: ignore[attr-defined]


def _next(a: Tensor, b: Tensor) -> Tensor:
    """The step does not change when the number does."""
    return a + (torch.nextafter(a, b) - a).detach()


def _heaviside(a: Tensor, b: Tensor) -> Tensor:
    return torch.where(a == 0, b, torch.heaviside(a.detach(), torch.zeros_like(a)))


def _only(
    kinds: str, function: Callable[..., Any], exact: Callable[..., Any]
) -> Callable[..., Any]:
    """A function on tensors for some kinds of numbers, the exact kernel for others."""

    def kernel(loop: Loop, *tensors: Any) -> Any:
        return function(*tensors) if loop.dtype.kind in kinds else exact(loop, *tensors)

    for name in ("scalars", "commutes"):
        if hasattr(exact, name):
            setattr(kernel, name, getattr(exact, name))
    return kernel


KERNELS: Mapping[str, Callable[..., Any]] = {
    "absolute": _only("fc", steep.size, elementwise.absolute),
    "arccos": _plain(steep.steep("arccos")),
    "arccosh": _plain(steep.steep("arccosh")),
    "arcsin": _plain(steep.steep("arcsin")),
    "arctan2": _plain(steep.angle),
    "arctanh": _plain(steep.steep("arctanh")),
    "cbrt": _plain(steep.steep("cbrt")),
    "copysign": _plain(_copysign),
    "divide": _only("c", torch.div, elementwise.divide),
    "divmod": _divmod,
    "exp2": _plain(_exp2),
    "expm1": _plain(_expm1),
    "fabs": _plain(steep.size),
    "float_power": _power,
    "floor_divide": _floor_divide,
    "fmod": _fmod,
    "frexp": _frexp,
    "heaviside": _plain(_heaviside),
    "hypot": _plain(steep.hypot),
    "log": _plain(steep.steep("log")),
    "log10": _plain(steep.steep("log10")),
    "log1p": _plain(_log1p),
    "log2": _plain(steep.steep("log2")),
    "logaddexp": _plain(_logaddexp),
    "logaddexp2": _plain(_logaddexp2),
    "multiply": _only("c", torch.mul, elementwise.multiply),
    "modf": _plain(_modf),
    "nextafter": _plain(_next),
    "power": _power,
    "reciprocal": _only("fc", steep.steep("reciprocal"), elementwise.reciprocal),
    "remainder": _remainder,
    "sqrt": _plain(steep.steep("sqrt")),
    "square": _only("c", torch.square, elementwise.square),
    "sinh": _plain(torch.sinh),
    "cosh": _plain(torch.cosh),
}
"""By the name of the ufunc."""

FUNCTIONS: Mapping[str, Callable[..., Tensor]] = {
    "abs": steep.size,
    "acos": steep.steep("arccos"),
    "acosh": steep.steep("arccosh"),
    "asin": steep.steep("arcsin"),
    "atan2": steep.angle,
    "atanh": steep.steep("arctanh"),
    "copysign": _copysign,
    "fmod": partial(_rest, torch.fmod),
    "hypot": steep.hypot,
    **{name: steep.steep(name) for name in ("log", "log10", "log1p", "log2")},
    "pow": _real_power,
    "remainder": partial(_rest, torch.remainder),
    "sqrt": steep.steep("sqrt"),
}
"""By torch's name: of real numbers."""


def smoothed(op: str, lowering: Lowering) -> Lowering:
    """The kernel of an operation that is smooth where it can be, or else its lowering."""
    ufunc = ufuncs.named(op)
    return lowering if ufunc is None else KERNELS.get(ufunc.__name__, lowering)


class SmoothTrace(Trace):
    """Takes kernels that are smooth where they can be; only derivatives are wanted."""

    regroups = True

    def case(self, equal: Tensor, exact: Tensor, found: Tensor) -> Tensor:
        """The rule goes on where there is a case of its own: only it has the slope."""
        return torch.where(equal & ~torch.isfinite(found), exact, found)

    def kernel(self, ufunc: str) -> Lowering:
        """The kernel of a ufunc."""
        return KERNELS.get(ufunc) or super().kernel(ufunc)

    def function(self, name: str) -> Callable[..., Tensor]:
        """The function of a name."""
        return FUNCTIONS.get(name) or super().function(name)

    def root(self, total: Tensor, order: float = 2.0) -> Tensor:
        """The root of a sum of powers; at zero its gradient is zero."""
        return steep.root(total, order)
