"""Views that no index gives, as tensors: which numbers of the memory they show is known."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering.errors import UnsupportedError
from jupyter_npcompile.tracer.lowering.values import Value, View


def gathered_view(parent: Value, places: np.ndarray, dtype: np.dtype) -> View:
    """A view of an array's memory.

    Parameters
    ----------
    parent : Value
        The array.
    places : numpy.ndarray
        What `memory_views.places_of_view` found.
    dtype : numpy.dtype
        The view's own.
    """
    where = torch.from_numpy(np.array(places))

    is_complex = dtype.kind == "c"

    def read(whole: Tensor) -> Tensor:
        found = _numbers(whole, is_complex)[where.to(whole.device)]
        joined = is_complex and not found.is_complex()
        return torch.view_as_complex(found.contiguous()) if joined else found

    def write(whole: Tensor, new: Tensor) -> Tensor:
        if len(np.unique(places)) < places.size:
            raise UnsupportedError("a write into a view that shows elements twice")
        numbers = _numbers(whole, is_complex)
        parts = is_complex and not numbers.is_complex()
        stored = torch.view_as_real(new.resolve_conj()) if parts else new
        indices: list[Tensor | None] = [where.to(whole.device)]
        made: Tensor = torch.ops.aten.index_put.default(numbers, indices, stored)
        if whole.is_complex() == made.is_complex():
            return made.reshape(whole.shape)
        return torch.view_as_complex(made.reshape((*whole.shape, 2)))

    return View(parent, dtype, read, write)


def _numbers(tensor: Tensor, whole: bool) -> Tensor:
    """The numbers of an array in a row: of complex ones the parts, or the numbers as a whole."""
    if tensor.is_complex() and not whole:
        tensor = torch.view_as_real(tensor.resolve_conj())
    return tensor.reshape(-1)
