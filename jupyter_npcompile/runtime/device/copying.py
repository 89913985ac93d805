"""Copies of strided tensors, with the same strides."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import torch

from jupyter_npcompile.runtime.device.device import Device, DeviceMemoryError
from jupyter_npcompile.tracer.memory import overlaps_itself

SPARSE = 2
"""How many times as many bytes as the elements have may be copied, gaps included."""


Narrow: TypeAlias = Callable[[torch.Tensor], torch.Tensor]
"""Gives the same elements in another dtype."""


def copied(tensor: torch.Tensor, device: Device, narrow: Narrow | None = None) -> torch.Tensor:
    """A copy on a device with the shape and the strides of a tensor of the host.

    Parameters
    ----------
    tensor : torch.Tensor
        Over the memory of an ndarray. It may have gaps, and elements that share
        memory, as those of a broadcast array do.
    device : Device
        Where the copy goes.
    narrow : callable, optional
        What becomes of elements there: a GPU is quicker at that. Where there is no memory
        for both, it is done before they are copied.
    """
    shape, strides = tensor.shape, tensor.stride()
    if not tensor.numel():
        dtype = tensor.dtype if narrow is None else narrow(tensor).dtype
        return device.empty(shape, strides, dtype)
    extent = 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    if extent <= SPARSE * tensor.numel() or overlaps_itself(shape, strides):
        memory = _put(tensor.as_strided((extent,), (1,)), device, narrow)
        return memory.as_strided(shape, strides, 0)
    dense = _put(tensor.contiguous(), device, narrow)
    made = device.empty(shape, strides, dense.dtype)
    made.copy_(dense)
    return made


def _put(tensor: torch.Tensor, device: Device, narrow: Narrow | None) -> torch.Tensor:
    if narrow is None:
        return device.put(tensor)
    try:
        there = device.put(tensor)
        with device.guarded(tensor.nbytes):
            return narrow(there)
    except DeviceMemoryError:
        return device.put(narrow(tensor))


def extent_bytes(tensor: torch.Tensor) -> int:
    """Bytes from the first element to the last: what a copy with the same strides takes."""
    if not tensor.numel():
        return 0
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    return (1 + sum((n - 1) * step for n, step in steps)) * tensor.element_size()
