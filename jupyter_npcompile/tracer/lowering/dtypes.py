"""NumPy dtypes in torch: how values of each are carried, and conversions.

torch stores ``uint16``, ``uint32`` and ``uint64`` but does not compute with
them. Inside a lowered graph they are *carried* by wider signed integers:
``uint16`` by ``int32``, ``uint32`` by ``int64``, and ``uint64`` by the ``int64``
of the same bits. Arithmetic modulo 2**64 is the same for both signs; whatever
looks at the sign (order, division, conversion) is written out.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

_NAMES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
    "float16 float32 float64 complex64 complex128"
)
TORCH: dict[str, torch.dtype] = {name: getattr(torch, name) for name in str.split(_NAMES)}
"""The torch dtype of each supported NumPy dtype, as inputs and outputs have it."""

_CARRIERS = {"uint16": torch.int32, "uint32": torch.int64, "uint64": torch.int64}
_MASKS = {"uint16": 0xFFFF, "uint32": 0xFFFFFFFF}
INT64_MIN = -(2**63)


_BY_NUMBER = {
    np.dtype(char).num: _CARRIERS.get(np.dtype(char).name, TORCH[np.dtype(char).name])
    for char in "?bBhHiIlLqQefdFD"
}
"""Carriers by the number of the dtype; names take NumPy long to make."""


def supported(dtype: np.dtype) -> bool:
    """Whether values of a dtype can be carried (longdouble, for one, cannot)."""
    return dtype.num in _BY_NUMBER and dtype.isnative


def carrier(dtype: np.dtype) -> torch.dtype:
    """The torch dtype that carries values of a NumPy dtype.

    Examples
    --------
    >>> carrier(np.dtype("uint32")), carrier(np.dtype("float32"))
    (torch.int64, torch.float32)
    """
    return _BY_NUMBER[dtype.num]


def load(tensor: Tensor, dtype: np.dtype) -> Tensor:
    """From the torch dtype of inputs and outputs to the carrier."""
    if dtype.name == "uint64":
        return tensor.view(torch.int64)
    if dtype.name in _CARRIERS:
        return tensor.to(_CARRIERS[dtype.name])
    return tensor


def store(tensor: Tensor, dtype: np.dtype) -> Tensor:
    """From the carrier to the torch dtype of inputs and outputs."""
    if dtype.name == "uint64":
        return tensor.view(torch.uint64)
    if dtype.name in _CARRIERS:
        return tensor.to(TORCH[dtype.name])
    return tensor


def wrap(tensor: Tensor, dtype: np.dtype) -> Tensor:
    """Reduce a carrier modulo the range of its unsigned dtype."""
    mask = _MASKS.get(dtype.name)
    return tensor if mask is None else tensor & mask


def flip(tensor: Tensor) -> Tensor:
    """Exchange the orders of ``uint64`` and ``int64``: the sign bit turned over."""
    return tensor ^ INT64_MIN


def ordered(tensor: Tensor, dtype: np.dtype) -> Tensor:
    """A tensor that torch orders as NumPy orders the values it carries."""
    return flip(tensor) if dtype.name == "uint64" else tensor


def unordered(tensor: Tensor, dtype: np.dtype) -> Tensor:
    """The inverse of `ordered`."""
    return flip(tensor) if dtype.name == "uint64" else tensor


def _uint64_to_float(tensor: Tensor, target: torch.dtype) -> Tensor:
    halved = ((tensor >> 1) & 0x7FFFFFFFFFFFFFFF) | (tensor & 1)
    return torch.where(tensor >= 0, tensor.to(target), halved.to(target) * 2)


def convert(tensor: Tensor, source: np.dtype, target: np.dtype) -> Tensor:
    """Convert a carrier between dtypes, as ``ndarray.astype`` does.

    Conversions from floating point to integers are right where NumPy's are
    defined: for finite values in the range of the target.
    """
    if source == target:
        return tensor
    if target.kind == "b":
        return tensor != 0
    if source.kind == "c" and target.kind != "c":
        tensor = torch.real(tensor)
    if source.name == "uint64" and target.kind in "fc":
        wide = _uint64_to_float(tensor, torch.float64 if target.itemsize > 4 else torch.float32)
        return wide.to(carrier(target))
    if target.name == "uint64" and source.kind in "fc":
        wide = tensor.to(torch.float64)
        return torch.where(
            wide < 2.0**63, wide.to(torch.int64), flip((wide - 2.0**63).to(torch.int64))
        )
    if target.kind == "u" and source.kind in "fc":
        return wrap(tensor.to(torch.int64), target).to(carrier(target))
    if target.kind == "c" and source.kind != "c":
        return _complex(tensor, target)
    return wrap(tensor.to(carrier(target)), target)


def _complex(tensor: Tensor, target: np.dtype) -> Tensor:
    return tensor.to(carrier(target))


def bounds(dtype: np.dtype) -> tuple[float, float]:
    """The open interval of floating-point numbers that convert to an integer dtype."""
    info = np.iinfo(dtype)
    return float(info.min) - (1.0 if info.bits < 64 else 1025.0), float(info.max) + 1.0
