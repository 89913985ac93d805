"""Copies of strided tensors, with the same strides."""

from __future__ import annotations

import torch

from jupyter_npcompile.runtime.device.device import Device

SPARSE = 2
"""How many times as many bytes as the elements have may be copied, gaps included."""


def copied(tensor: torch.Tensor, device: Device) -> torch.Tensor:
    """A copy on a device with the shape and the strides of a tensor of the host.

    Parameters
    ----------
    tensor : torch.Tensor
        Over the memory of an ndarray. It may have gaps, and elements that share
        memory, as those of a broadcast array do.
    device : Device
        Where the copy goes.
    """
    shape, strides = tensor.shape, tensor.stride()
    if not tensor.numel():
        return device.empty(shape, strides, tensor.dtype)
    extent = 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    if extent <= SPARSE * tensor.numel() or _overlaps_itself(tensor):
        memory = device.put(tensor.as_strided((extent,), (1,)))
        return memory.as_strided(shape, strides, 0)
    made = device.empty(shape, strides, tensor.dtype)
    made.copy_(device.put(tensor.contiguous()))
    return made


def extent_bytes(tensor: torch.Tensor) -> int:
    """Bytes from the first element to the last: what a copy with the same strides takes."""
    if not tensor.numel():
        return 0
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    return (1 + sum((n - 1) * step for n, step in steps)) * tensor.element_size()


def _overlaps_itself(tensor: torch.Tensor) -> bool:
    """Whether elements may share memory."""
    axes = sorted((step, n) for n, step in zip(tensor.shape, tensor.stride(), strict=True) if n > 1)
    reach = 0
    for step, n in axes:
        if step <= reach:
            return True
        reach += (n - 1) * step
    return False
