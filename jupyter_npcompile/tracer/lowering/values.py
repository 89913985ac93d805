"""The memory model of a lowering: owners of memory and views of it.

Tensors are never written in place. An owner holds its present tensor; a view is
a pair of functions on the tensor of its parent (what the view reads of it, and
the parent after something was written through the view), so NumPy views that
torch cannot make, such as ``x[::-1]``, are views like any other.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.graph.nodes import Kind
from jupyter_npcompile.graph.sizes import order_of
from jupyter_npcompile.tracer.lowering.errors import UnsupportedError

Read = Callable[[Tensor], Tensor]
Write = Callable[[Tensor, Tensor], Tensor]


class Value(abc.ABC):
    """A value of the graph: what NumPy made, and where its elements are.

    Parameters
    ----------
    dtype : numpy.dtype
        As NumPy has it; the tensor is its carrier.
    kind : {"array", "scalar", "python"}
        Python numbers are weak in promotion.
    strides : tuple of int
        As NumPy has them, where that is known.

    Attributes
    ----------
    origin : int or None
        The same number for values that one operation makes of the same
        operands: they are equal until one is written.
    """

    def __init__(
        self, dtype: np.dtype, kind: Kind = "array", strides: tuple[int, ...] = ()
    ) -> None:
        self.dtype = dtype
        self.kind = kind
        self.strides = strides
        self.origin: int | None = None

    @abc.abstractmethod
    def read(self) -> Tensor:
        """The present elements."""

    @abc.abstractmethod
    def write(self, tensor: Tensor) -> None:
        """Replace all elements; `tensor` has this value's shape and dtype."""

    @property
    @abc.abstractmethod
    def version(self) -> int:
        """How often the memory has been written."""

    @property
    def root(self) -> Value:
        """The value that holds the memory."""
        return self

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the dimensions."""
        return tuple(self.read().shape)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self.read().ndim

    def is_fortran(self) -> bool:
        """Whether NumPy sees the memory in Fortran order and not in C order."""
        return order_of(self.shape, self.strides, self.dtype.itemsize) == "F"


class Owner(Value):
    """A value with memory of its own.

    Parameters
    ----------
    tensor : Tensor
        The elements.
    dtype, kind, strides
        See `Value`.
    known : ndarray, optional
        The elements, when they are constant.

    Attributes
    ----------
    size : torch.SymInt or None
        The same number as a size, when it is an integer that bounds slices.
    """

    def __init__(
        self,
        tensor: Tensor,
        dtype: np.dtype,
        kind: Kind = "array",
        strides: tuple[int, ...] = (),
        known: np.ndarray | None = None,
    ) -> None:
        super().__init__(dtype, kind, strides)
        self._tensor = tensor
        self._version = 0
        self.known = known
        self.size: torch.SymInt | None = None

    def read(self) -> Tensor:
        """The present elements."""
        return self._tensor

    def write(self, tensor: Tensor) -> None:
        """Replace all elements."""
        self._tensor = tensor
        self._version += 1
        self.known = None

    @property
    def version(self) -> int:
        """How often the memory has been written."""
        return self._version


class View(Value):
    """A value that shares memory with its parent.

    Parameters
    ----------
    parent : Value
        What is viewed.
    dtype : numpy.dtype
        The view's own; it differs from the parent's in ``x.real``.
    read : callable
        From the parent's tensor to the view's.
    write : callable or None
        From the parent's tensor and new elements of the view to the parent's
        new tensor; None if the view cannot be written.
    """

    def __init__(
        self, parent: Value, dtype: np.dtype, read: Read, write: Write | None = None
    ) -> None:
        super().__init__(dtype)
        self._parent = parent
        self._read = read
        self._write = write
        self._cached: tuple[int, Tensor] | None = None

    def read(self) -> Tensor:
        """The present elements."""
        version = self.version
        if self._cached is None or self._cached[0] != version:
            self._cached = version, self._read(self._parent.read())
        return self._cached[1]

    def write(self, tensor: Tensor) -> None:
        """Replace all elements."""
        if self._write is None:
            raise TypeError("this view cannot be written")
        self._parent.write(self._write(self._parent.read(), tensor))

    @property
    def root(self) -> Value:
        """The value that holds the memory."""
        return self._parent.root

    @property
    def writable(self) -> bool:
        """Whether torch can express a write through this view."""
        parent = self._parent
        return self._write is not None and (not isinstance(parent, View) or parent.writable)

    @property
    def version(self) -> int:
        """How often the memory has been written."""
        return self._parent.version


class Compressed(Value):
    """The elements that a mask selects; how many there are is not known.

    Parameters
    ----------
    full : Tensor
        All elements, selected or not.
    mask : Tensor
        Booleans; it covers the first dimensions of ``full``.
    key : object
        Equal keys stand for equal masks.
    dtype : numpy.dtype
        Of the elements.
    """

    def __init__(self, full: Tensor, mask: Tensor, key: object, dtype: np.dtype) -> None:
        super().__init__(dtype)
        self.full = full
        self.mask = mask
        self.key = key
        self._version = 0

    @property
    def spread(self) -> Tensor:
        """The mask, with as many dimensions as the elements."""
        rest = self.full.ndim - self.mask.ndim
        return self.mask.reshape((*self.mask.shape, *(1,) * rest))

    def filled(self) -> Tensor:
        """All elements, with ones instead of those that are not selected."""
        one = torch.ones((), dtype=self.full.dtype)
        return torch.where(self.spread, self.full, one)

    def read(self) -> Tensor:
        """There is no tensor of them."""
        raise UnsupportedError("a boolean mask selects: the shape depends on the data")

    def write(self, tensor: Tensor) -> None:
        """Replace all elements, by a tensor as large as ``full``."""
        self.full = tensor
        self._version += 1

    @property
    def version(self) -> int:
        """How often the memory has been written."""
        return self._version


_WEAK = {"b": False, "i": 0, "u": 0, "f": 0.0, "c": 0j}


def common_dtype(*values: Value) -> np.dtype:
    """The dtype in which NumPy combines values; Python numbers are weak.

    Examples
    --------
    >>> single = Owner(torch.ones(3), np.dtype("float32"), "array")
    >>> number = Owner(torch.ones((), dtype=torch.float64), np.dtype("float64"), "python")
    >>> common_dtype(single, number), common_dtype(number, number)
    (dtype('float32'), dtype('float64'))
    """
    parts: list[Any] = [_WEAK[v.dtype.kind] if v.kind == "python" else v.dtype for v in values]
    return np.result_type(*parts)
