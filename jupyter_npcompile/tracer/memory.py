"""Who owns an array's memory, and how an input is protected during a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from jupyter_npcompile.tracer.breaks import Break

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

SUPPORTED_DTYPES = frozenset(
    {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
    | {"float16", "float32", "float64", "complex64", "complex128"}
)


_SUPPORTED_NUMBERS = frozenset(np.dtype(name).num for name in SUPPORTED_DTYPES)
"""What tells ``int64`` from ``longlong``; names take NumPy long to make."""


def is_supported(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype can be traced; ``longlong`` is not ``int64``, though it is as long.

    Examples
    --------
    >>> is_supported(np.dtype("int64")), is_supported(np.dtype("longlong"))
    (True, False)
    >>> is_supported(np.dtype("float64").newbyteorder())
    False
    """
    return dtype.num in _SUPPORTED_NUMBERS and dtype.isnative


ALIGNED, WRITEABLE = 0x100, 0x400
_WARNS_ON_WRITE = 1 << 31
"""Flag of arrays that NumPy will make read-only one day (``np.broadcast_arrays``)."""

_WRITES_BACK = 0x2000
"""Flag of arrays whose base has other memory, into which they are copied in the end."""

BOTH = ALIGNED | WRITEABLE
FLAGS = BOTH | _WARNS_ON_WRITE
"""What must be the same of the flags of an array, besides its layout."""


def is_writeable(array: Array) -> bool:
    """Whether an array may be written, without a warning that it may not one day.

    Examples
    --------
    >>> is_writeable(np.zeros(2)), is_writeable(np.broadcast_to(1.0, 2))
    (True, False)
    """
    return bool(array.flags.num & WRITEABLE)


_HELPER: Any = type(np.lib.stride_tricks.as_strided(np.zeros(1)).base)
"""What stands between a view with chosen strides and the array that it is one of."""


def owner(array: Array) -> Array:
    """The array at the end of the chain of bases: it holds the memory.

    Examples
    --------
    >>> x = np.arange(6)
    >>> owner(x[1:].reshape(5, 1)) is x
    True
    >>> owner(np.lib.stride_tricks.sliding_window_view(x, 3)) is x
    True
    """
    while True:
        base: Any = array.base
        if type(base) is _HELPER:
            base = base.base
        if type(base) is not np.ndarray:
            return array
        array = base


def traceable(value: Array) -> bool:
    """Whether an ndarray can be an input: plain, numeric, native, aligned."""
    dtype = value.dtype
    return (
        type(value) is np.ndarray
        and is_supported(dtype)
        and dtype.isnative
        and dtype.names is None
        and value.flags.aligned
        and not value.flags.num & (_WARNS_ON_WRITE | _WRITES_BACK)
        and not any(stride % dtype.itemsize for stride in value.strides)
    )


def protect(value: Array) -> Array:
    """A read-only view: a write that no hook has seen raises instead of happening."""
    view = value.view()
    view.flags.writeable = False
    return view


def address(value: Array) -> int:
    """Address of the first element."""
    pointer: int = value.__array_interface__["data"][0]
    return pointer


def clone_owner(array: Array) -> Array:
    """A copy of an owner with the same layout."""
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        dense = array.copy(order="K")
        if dense.strides != array.strides:
            raise Break("input", "an input's memory has gaps, so it cannot be copied faithfully")
        return dense
    return array.copy(order="K")


def rebase(value: Array, old: Array, new: Array) -> Array:
    """The same view as ``value``, taken of ``new`` instead of ``old``."""
    if value is old:
        return new
    if value.size == 0:
        return np.ndarray(value.shape, value.dtype, buffer=np.empty(1, value.dtype))[:0].reshape(
            value.shape
        )
    return np.ndarray(
        value.shape,
        value.dtype,
        buffer=new,
        offset=address(value) - address(old),
        strides=value.strides,
    )


def overlap(first: Array, second: Array) -> bool:
    """Whether two arrays may share memory, judged by their extents."""
    if owner(first) is owner(second):
        return bool(np.may_share_memory(first, second))
    if owner(first).base is None and owner(second).base is None:
        return False
    return bool(np.may_share_memory(first, second))


def overlaps_itself(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether elements of an array or tensor may share memory.

    Examples
    --------
    >>> overlaps_itself((3, 4), (4, 1)), overlaps_itself((3, 4), (0, 1))
    (False, True)
    >>> overlaps_itself((3, 4), (-4, 1)), overlaps_itself((3, 0), (0, 1))
    (False, False)
    """
    if 0 in shape:
        return False
    reach = 0
    for step, n in sorted((abs(step), n) for step, n in zip(strides, shape, strict=True) if n > 1):
        if step <= reach:
            return True
        reach += (n - 1) * step
    return False


def _overlapped(array: Array, others: list[Array], default: int) -> int:
    """The first of several arrays that a foreign buffer's array overlaps by its extent."""
    for index, other in enumerate(others):
        if np.may_share_memory(array, other):
            return index
    return default


def pattern(arrays: list[Array]) -> tuple[tuple[int, int, int], ...]:
    """How arrays share memory.

    For each: the first one with its owner, the distance to it in bytes, and
    the first one that is the very same object.

    Two lists of arrays with equal patterns (and equal shapes and strides)
    overlap in the same way.

    Examples
    --------
    >>> x = np.zeros(4)
    >>> pattern([x, x[1:], np.zeros(2)])
    ((0, 0, 0), (0, 8, 1), (2, 0, 2))
    """
    found: list[tuple[int, int, int]] = []
    owners: dict[int, int] = {}
    objects: dict[int, int] = {}
    for index, array in enumerate(arrays):
        first = owners.setdefault(id(owner(array)), index)
        if first == index and owner(array).base is not None:
            first = _overlapped(array, arrays[:index], index)
        distance = 0 if first == index else address(array) - address(arrays[first])
        found.append((first, distance, objects.setdefault(id(array), index)))
    return tuple(found)
