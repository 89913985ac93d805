"""Between ndarrays and tensors, without a copy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.graph.nodes import ValueType
from jupyter_npcompile.tracer.memory import WRITEABLE, Array

if TYPE_CHECKING:
    import torch


class _WriteableAlias:
    """Offers a read-only array's memory to torch, which insists on writeable memory.

    What runs on it is functional and writes only into fresh buffers.
    """

    def __init__(self, array: Array) -> None:
        interface = dict(array.__array_interface__)
        interface["data"] = (interface["data"][0], False)
        self.__array_interface__ = interface
        self.array = array


def to_tensor(value: Any, type: ValueType) -> torch.Tensor:
    """A tensor over the same memory; 0-d for numbers.

    Axes with a negative stride are reversed, since tensors have none: the
    lowering of an input reverses them back.
    """
    import torch

    if type.kind != "array":
        return torch.from_numpy(np.array(value, dtype=type.dtype))
    if any(stride < 0 for stride in value.strides):
        value = np.flip(value, tuple(k for k, stride in enumerate(value.strides) if stride < 0))
    if not value.flags.num & WRITEABLE:
        value = np.asarray(_WriteableAlias(value))
    return torch.from_numpy(value)


def allocate(type: ValueType) -> Array:
    """An uninitialised array that owns its memory, laid out as NumPy laid it out."""
    if type.kind != "array" or 0 in type.shape or 0 in type.strides:
        return np.empty(type.shape, type.dtype)
    return np.ndarray(type.shape, type.dtype, strides=dense_strides(type))


def dense_strides(type: ValueType) -> tuple[int, ...]:
    """Positive strides without gaps, in the recorded order of the axes.

    Examples
    --------
    >>> dense_strides(ValueType("array", "float64", (2, 3), (-8, 64)))
    (8, 16)
    """
    if type.kind != "array" or 0 in type.shape or 0 in type.strides:
        return plain_type(type.dtype, type.shape).strides
    order = sorted(range(len(type.shape)), key=lambda k: (abs(type.strides[k]), type.shape[k]))
    strides = [0] * len(type.shape)
    step = np.dtype(type.dtype).itemsize
    # Axes of length 1 may carry any stride: keep what NumPy wrote down.
    for axis in order:
        if type.shape[axis] == 1:
            strides[axis] = abs(type.strides[axis])
        else:
            strides[axis] = step
            step *= type.shape[axis]
    return tuple(strides)


def plain_type(dtype: str, shape: tuple[int, ...]) -> ValueType:
    """The type of an array in C order.

    Examples
    --------
    >>> plain_type("float64", (2, 3)).strides
    (24, 8)
    """
    size = np.dtype(dtype).itemsize
    strides = tuple(size * math.prod(shape[k + 1 :]) for k in range(len(shape)))
    return ValueType("array", dtype, shape, strides)


def number(buffer: Array, type: ValueType) -> Any:
    """The NumPy scalar or Python number in a 0-d buffer."""
    scalar = buffer[()]
    return scalar.item() if type.kind == "python" else scalar


def inside(base: Array, offset: int, content: Array, strides: tuple[int, ...]) -> Array:
    """The same content as a view, with these strides, of a larger array."""
    axes = sorted(range(base.ndim), key=lambda k: -base.strides[k])
    buffer = base.transpose(axes)  # NumPy takes no buffer whose axes are in another order
    view = np.ndarray(content.shape, content.dtype, buffer=buffer, offset=offset, strides=strides)
    np.copyto(view, content)
    return view


def sort_results(
    results: Sequence[Any],
    outputs: Sequence[tuple[int, ValueType]],
    writes: Sequence[tuple[int, ValueType]],
    masks: Sequence[tuple[int, ValueType]],
) -> tuple[dict[int, Any], dict[int, Array]]:
    """What compiled code hands back, by node: outputs, then writes, then masks.

    Parameters
    ----------
    results : sequence
        The values, in that order.
    outputs, writes, masks : sequence of (int, ValueType)
        Which node each belongs to. A mask says which elements of an output count.

    Returns
    -------
    fresh : dict of int to object
        Fresh arrays and numbers by node id.
    written : dict of int to numpy.ndarray
        New contents of written inputs by input id.

    Examples
    --------
    >>> kind, mask = plain_type("int64", (3,)), plain_type("bool", (3,))
    >>> values = [np.arange(3), np.array([True, False, True])]
    >>> sort_results(values, [(4, kind)], [], [(4, mask)])
    ({4: array([0, 2])}, {})
    """
    written_from, masks_from = len(outputs), len(outputs) + len(writes)
    fresh = {id: value for (id, _), value in zip(outputs, results, strict=False)}
    written = {id: v for (id, _), v in zip(writes, results[written_from:], strict=False)}
    for (id, _), mask in zip(masks, results[masks_from:], strict=True):
        fresh[id] = fresh[id][mask]
    return fresh, written
