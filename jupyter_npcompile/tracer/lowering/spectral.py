# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""``numpy.fft``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering.joining import roll
from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.values import Owner, Value

Transform = Callable[..., Value]


def _input(trace: Trace, a: object, *, to_real: bool) -> Tensor:
    x = trace.value(a)
    if 0 in x.shape:
        trace.unsupported("an array without elements")
    single = trace.dtype.name in ("float32", "complex64")
    if x.dtype.name == "float16":
        trace.unsupported("half precision")
    if x.dtype.kind == "c" or to_real:
        return trace.cast(x, np.dtype("complex64" if single else "complex128"))
    return trace.cast(x, np.dtype("float32" if single else "float64"))


def _plain(tensor: Tensor) -> Tensor:
    """The tensor itself where torch gives a lazily conjugated one."""
    return torch.conj_physical(tensor.conj()) if tensor.is_conj() else tensor


def _along(function: Callable[..., Tensor], *, to_real: bool = False) -> Transform:
    """A transform along one axis."""

    def transform(
        trace: Trace,
        a: object,
        n: object = None,
        axis: object = -1,
        norm: Any = None,
        out: object = None,
    ) -> Value:
        tensor = _input(trace, a, to_real=to_real)
        length = None if n is None else trace.integer(n, "n")
        place = trace.integer(axis, "axis")
        return Owner(_plain(function(tensor, n=length, dim=place, norm=norm)), trace.dtype)

    return transform


def _over(function: Callable[..., Tensor], default: Any, *, to_real: bool = False) -> Transform:
    """A transform over several axes."""

    def transform(
        trace: Trace,
        a: object,
        s: object = None,
        axes: object = default,
        norm: Any = None,
        out: object = None,
    ) -> Value:
        tensor = _input(trace, a, to_real=to_real)
        shape = None if s is None else trace.integers(s, "s")
        places: Any = None if axes is None else trace.integers(axes, "axes")
        if places is None and shape is not None:
            places = tuple(range(-len(shape), 0))
        if places is not None and len(set(places)) != len(places):
            trace.unsupported("an axis given twice")
        return Owner(_plain(function(tensor, s=shape, dim=places, norm=norm)), trace.dtype)

    return transform


fft = _along(torch.fft.fft)
ifft = _along(torch.fft.ifft)
rfft = _along(torch.fft.rfft)
irfft = _along(torch.fft.irfft, to_real=True)
hfft = _along(torch.fft.hfft, to_real=True)
ihfft = _along(torch.fft.ihfft)
fft2 = _over(torch.fft.fftn, (-2, -1))
ifft2 = _over(torch.fft.ifftn, (-2, -1))
rfft2 = _over(torch.fft.rfftn, (-2, -1))
irfft2 = _over(torch.fft.irfftn, (-2, -1), to_real=True)
fftn = _over(torch.fft.fftn, None)
ifftn = _over(torch.fft.ifftn, None)
rfftn = _over(torch.fft.rfftn, None)
irfftn = _over(torch.fft.irfftn, None, to_real=True)


def _shifted(trace: Trace, x: object, axes: object, *, back: bool) -> Value:
    value = trace.value(x)
    places = trace.axes(axes, value.ndim)
    shifts = tuple(-(value.shape[k] // 2) if back else value.shape[k] // 2 for k in places)
    return roll(trace, value, shifts, places) if places else Owner(value.read(), value.dtype)


def fftshift(trace: Trace, x: object, axes: object = None) -> Value:
    return _shifted(trace, x, axes, back=False)


def ifftshift(trace: Trace, x: object, axes: object = None) -> Value:
    return _shifted(trace, x, axes, back=True)
