# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Functions that NumPy computes from series."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.values import Owner, Value

_SERIES = importlib.import_module("numpy.lib._function_base_impl")
"""Where NumPy has its coefficients."""

LIMIT = 8.0
"""Where the Bessel function goes over from one series to the other."""


def i0(trace: Trace, x: object) -> Value:
    kind = trace.dtype
    if kind.name == "float16":
        trace.unsupported("half precision rounds at every step")
    given = trace.cast(trace.value(x), kind)
    size = torch.where(given < 0, -given, given)  # the derivative of abs at 0 would lose i0''(0)
    low = torch.where(size <= LIMIT, size, LIMIT)
    high = torch.where(size <= LIMIT, LIMIT, size)
    small = torch.exp(low) * _chebyshev(low / 2.0 - 2.0, _SERIES._i0A)
    large = torch.exp(high) * _chebyshev(32.0 / high - 2.0, _SERIES._i0B) / torch.sqrt(high)
    found = torch.where(size <= LIMIT, small, large)
    trace.check((torch.isfinite(found) | torch.isnan(size)).all())  # NumPy warns
    return Owner(found, kind)


def _chebyshev(x: Tensor, series: Sequence[float]) -> Tensor:
    b0: Tensor | float = series[0]
    b1: Tensor | float = 0.0
    b2: Tensor | float = 0.0
    for term in series[1:]:
        b2, b1 = b1, b0
        b0 = x * b1 - b2 + term
    return torch.as_tensor(0.5 * (b0 - b2))
