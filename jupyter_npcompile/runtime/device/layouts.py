"""Layouts of arrays: where they lie, who owns that memory, and what shares it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from jupyter_npcompile.tracer.memory import Array, address

if TYPE_CHECKING:
    import torch

Key: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...], str]
"""Address, shape, strides and dtype of an array."""


def key_of(array: Array) -> Key:
    """What tells an array from others, as long as its memory is its own."""
    return address(array), array.shape, array.strides, array.dtype.str


def owns(base: Array) -> bool:
    """Whether an array holds memory that NumPy has allocated for it."""
    return type(base) is np.ndarray and base.base is None and bool(base.flags.owndata)


def same_strides(tensor: torch.Tensor, array: Array) -> bool:
    """Whether a tensor has the shape and strides of an array, as far as they matter."""
    return tuple(tensor.shape) == array.shape and all(
        n < 2 or step * array.itemsize == stride
        for n, step, stride in zip(array.shape, tensor.stride(), array.strides, strict=True)
    )
