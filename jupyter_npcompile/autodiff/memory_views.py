"""Which index of an array gives a view that somebody else has made of its memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from jupyter_npcompile.tracer.memory import Array, address

Index = tuple[Any, ...]


def index_of_view(whole: Array, view: Array) -> Index | None:
    """The index with which ``whole[index]`` is a view, if there is one of integers and slices.

    Parameters
    ----------
    whole, view : numpy.ndarray
        Two arrays on the same memory.

    Returns
    -------
    tuple or None
        None when the view is none of slices: a transposed, reshaped or
        diagonal one.

    Examples
    --------
    >>> x = np.zeros((4, 5))
    >>> index_of_view(x, x[1:3, ::2])
    (slice(1, 3, 1), slice(0, 6, 2))
    >>> index_of_view(x, x[2])
    (2, slice(0, 5, 1))
    >>> index_of_view(x, x.T) is None
    True
    """
    if view.dtype != whole.dtype or view.ndim > whole.ndim or not view.size or not whole.size:
        return None
    start = _start(whole, address(view) - address(whole))
    if start is None:
        return None
    index = _slices(whole, view, start)
    if index is None:
        return None
    made = np.asarray(whole[index])
    if made.shape != view.shape:
        return None
    steps = zip(made.strides, view.strides, view.shape, strict=True)
    same = address(made) == address(view) and all(s == t for s, t, n in steps if n > 1)
    return index if same else None


def _start(whole: Array, offset: int) -> list[int] | None:
    """The index of the element that lies so many bytes from the first one."""
    found = [0] * whole.ndim
    lowest = sum(s * (n - 1) for s, n in zip(whole.strides, whole.shape, strict=True) if s < 0)
    rest = offset - lowest
    for axis in sorted(range(whole.ndim), key=lambda axis: -abs(whole.strides[axis])):
        stride, length = whole.strides[axis], whole.shape[axis]
        if stride == 0 or length == 1:
            continue
        steps, rest = divmod(rest, abs(stride))
        if not 0 <= steps < length:
            return None
        found[axis] = steps if stride > 0 else length - 1 - steps
    return found if rest == 0 else None


def _slices(whole: Array, view: Array, start: list[int]) -> Index | None:
    """Match the axes of the view with those of the whole, in order."""

    def match(axis: int, place: int) -> Index | None:
        if axis == whole.ndim:
            return () if place == view.ndim else None
        if place < view.ndim:
            count = view.shape[place]
            step = _step(
                whole.strides[axis], whole.shape[axis], view.strides[place], count, start[axis]
            )
            rest = None if step is None else match(axis + 1, place + 1)
            if step is not None and rest is not None:
                return (_slice(start[axis], step, count), *rest)
        if whole.ndim - axis > view.ndim - place:
            rest = match(axis + 1, place)
            return None if rest is None else (start[axis], *rest)
        return None

    return match(0, 0)


def _step(stride: int, length: int, wanted: int, count: int, start: int) -> int | None:
    if count == 1:
        return 1
    if stride == 0 or wanted % stride:
        return None
    step = wanted // stride
    last = start + step * (count - 1)
    return step if step and 0 <= last < length else None


def _slice(start: int, step: int, count: int) -> slice:
    stop = start + step * count
    return slice(start, None if stop < 0 else stop, step)


def holder(array: Array) -> Any:
    """What holds the memory of an array: an array, or a buffer of Python's.

    Examples
    --------
    >>> x, buffer = np.zeros(6), bytearray(16)
    >>> holder(np.lib.stride_tricks.as_strided(x, (2, 2))) is x
    True
    >>> holder(np.frombuffer(buffer)) is holder(np.frombuffer(buffer)[1:])
    True
    """
    held: Any = array
    while (below := _below(held)) is not None:
        held = below
    return held


def owner_of(array: Array) -> Array:
    """The last array on the way to what holds the memory."""
    found: Array = array
    held: Any = array
    while (held := _below(held)) is not None:
        found = held if type(held) is np.ndarray else found
    return found


def _below(held: Any) -> Any:
    if isinstance(held, memoryview):
        return held.obj
    return None if isinstance(held, bytes | bytearray) else getattr(held, "base", None)


def places_of_view(whole: Array, view: Array) -> Array | None:
    """Which numbers of an array a view of its memory shows; those of complex ones count twice.

    Parameters
    ----------
    whole, view : numpy.ndarray
        Two arrays on the same memory.

    Returns
    -------
    numpy.ndarray or None
        For each number of the view its place among those of the whole, in C
        order; None when it shows anything else.

    Examples
    --------
    >>> x = np.zeros((2, 3))
    >>> places_of_view(x, x.T).tolist()
    [[0, 3], [1, 4], [2, 5]]
    >>> places_of_view(x[0], x[1]) is None
    True
    """
    kinds = {whole.dtype, view.dtype}
    unit = min(kind.itemsize for kind in kinds)
    if len(kinds) == 2 and {k.kind for k in kinds} != {"f", "c"}:
        return None
    if len(kinds) == 2 and {k.itemsize for k in kinds} != {unit, 2 * unit}:
        return None
    if not view.size or not whole.size:
        return None
    if any(stride % unit for stride in (*whole.strides, *view.strides)):
        return None
    distance, rest = divmod(address(view) - address(whole), unit)
    if rest:
        return None
    own, shown = _offsets(whole, unit), _offsets(view, unit) + distance
    lowest, highest = int(own.min()), int(own.max())
    if int(shown.min()) < lowest or int(shown.max()) > highest:
        return None
    table = np.full(highest - lowest + 1, -1)
    table[(own - lowest).reshape(-1)] = np.arange(own.size)
    places: Array = table[shown - lowest]
    return None if (places < 0).any() else places


def _offsets(array: Array, unit: int) -> Array:
    """Where the numbers of an array lie, in units from its first element."""
    found = np.zeros(array.shape, np.int64)
    for axis, (stride, length) in enumerate(zip(array.strides, array.shape, strict=True)):
        steps = np.arange(length) * (stride // unit)
        found += steps.reshape((length,) + (1,) * (array.ndim - axis - 1))
    if array.dtype.itemsize == unit:
        return found
    return found[..., None] + np.arange(2)
