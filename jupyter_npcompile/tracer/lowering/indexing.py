# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""``x[index]``: basic indices as views, arrays of indices as gathers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.tracer.lowering import symbols
from jupyter_npcompile.tracer.lowering.shapes import flipped, reshaped
from jupyter_npcompile.tracer.lowering.trace import Trace, known_array
from jupyter_npcompile.tracer.lowering.values import Compressed, Owner, Value

INT64, BOOL = np.dtype("int64"), np.dtype("bool")


@dataclass
class Selection:
    """An index taken apart.

    Parameters
    ----------
    part : Value
        The array after the slices and new axes of the index: a view.
    fancy : list
        Per dimension of `part`: None, or what it is indexed with (an integer,
        a `Value` of integers, or the axes that a mask covers).
    mask : Value or None
        A boolean mask whose contents are not constant.
    mask_axis : int
        The dimension of `part` at which the mask starts.
    """

    part: Value
    fancy: list[Any]
    mask: Value | None = None
    mask_axis: int = 0

    @property
    def is_basic(self) -> bool:
        """Whether the whole index is a view."""
        return self.mask is None and all(x is None for x in self.fancy)


def is_integer(x: object) -> bool:
    """Whether an index item picks one element of one dimension."""
    if symbols.is_integer(x):
        return True
    return isinstance(x, Value) and x.ndim == 0 and x.dtype.kind in "iu"


def getitem(trace: Trace, x: Value, index: object) -> Value:
    selection = select(trace, x, index)
    if selection.is_basic:
        return selection.part
    if selection.mask is not None:
        return _compressed(trace, selection, selection.mask)
    tensor = selection.part.read()
    return Owner(gather(tensor, prepared(trace, selection)), x.dtype)


def _compressed(trace: Trace, selection: Selection, mask: Value) -> Compressed:
    full = selection.part.read()
    if selection.mask_axis or full.ndim > mask.ndim + 1:
        trace.unsupported("a boolean mask selects: the shape depends on the data")
    return Compressed(full, mask.read(), trace.key(mask), selection.part.dtype)


def select(trace: Trace, x: Value, index: object) -> Selection:
    """Take an index apart: views first, what needs gathering afterwards."""
    items = list(index) if isinstance(index, tuple) else [index]
    items = _expanded(trace, x.ndim, [_normal(trace, item) for item in items])
    fancy = any(_is_fancy(item) for item in items)
    part, axis = x, 0
    found: list[Any] = []
    mask, mask_axis = None, 0
    for item in items:
        if item is None:
            part = reshaped(trace, part, (*part.shape[:axis], 1, *part.shape[axis:]))
        elif isinstance(item, slice):
            part = sliced(trace, part, axis, item, len(found))
        elif is_integer(item) and not fancy:
            part = picked(trace, part, axis, item)
            continue
        elif isinstance(item, Value) and item.dtype == BOOL:
            if mask is not None or any(f is not None for f in found):
                trace.unsupported("a mask together with other indices")
            mask, mask_axis = item, axis
            found += ["mask"] * item.ndim
            axis += item.ndim
            continue
        else:
            found.append(item)
            axis += 1
            continue
        found.append(None)
        axis += 1
    if mask is not None and any(f not in (None, "mask") for f in found):
        trace.unsupported("a mask together with other indices")
    return Selection(part, found, mask, mask_axis)


def _normal(trace: Trace, item: object) -> Any:
    """Lists become arrays, constant masks become arrays of indices (as a tuple)."""
    if isinstance(item, Owner) and item.size is not None:
        return item.size
    if isinstance(item, list):
        if not item:
            empty = np.zeros(0, np.int64)
            return Owner(trace.constant(empty), INT64, known=empty)
        item = trace.value(item)
    if type(item) is bool:
        trace.unsupported("True or False as an index")
    if isinstance(item, Value):
        if item.dtype.kind not in "biu":
            trace.unsupported(f"an index of dtype {item.dtype}")
        known = known_array(item)
        if known is not None and known.dtype == BOOL and known.ndim:
            return tuple(
                Owner(trace.constant(part), INT64, known=part) for part in np.nonzero(known)
            )
        if item.dtype == BOOL and item.ndim == 0:
            trace.unsupported("a single boolean as an index")
    return item


def _expanded(trace: Trace, ndim: int, items: Sequence[Any]) -> list[Any]:
    """Spread constant masks over their dimensions, and fill in ``...``."""
    flat: list[Any] = []
    for item in items:
        flat.extend(item) if isinstance(item, tuple) else flat.append(item)
    used = sum(_dimensions(item) for item in flat)
    if ... not in [item for item in flat if item is ...]:
        flat.append(...)
    place = next(k for k, item in enumerate(flat) if item is ...)
    sides = flat[:place], flat[place + 1 :]
    if (
        used == ndim
        and any(map(_is_fancy, flat))
        and all(any(map(_gathers, side)) for side in sides)
    ):
        trace.unsupported("... for no dimension between other indices")  # it separates them
    return [*flat[:place], *[slice(None)] * (ndim - used), *flat[place + 1 :]]


def _dimensions(item: object) -> int:
    if item is None or item is ...:
        return 0
    if isinstance(item, Value) and item.dtype == BOOL:
        return item.ndim
    return 1


def _gathers(item: object) -> bool:
    return is_integer(item) or _is_fancy(item)


def _is_fancy(item: object) -> bool:
    return isinstance(item, Value) and not is_integer(item)


# -- views


def sliced(trace: Trace, x: Value, axis: int, item: slice, place: int) -> Value:
    """``x[..., a:b:c, ...]`` at one axis.

    `place` is the dimension of the result, where a slice with bounds that are
    not constant finds its recorded length.
    """
    bounds = (item.start, item.stop, item.step)
    if any(isinstance(b, Value) and not _is_known(b) for b in bounds):
        return _window(trace, x, axis, item, place)
    size = x.shape[axis]
    first, end, pace = (None if b is None else trace.integer(b, "a bound") for b in bounds)
    start, length, step = places(first, end, pace, size)
    if step == 1 and length == size:
        return x
    if length == 0:
        return _strided(trace, x, axis, 0, 0, 1)
    last = start + (length - 1) * step
    if step < 0:
        part = _strided(trace, x, axis, last, start + 1, -step)
        return flipped(trace, part, (axis,))
    return _strided(trace, x, axis, start, last + 1, step)


def places(
    start: int | None, stop: int | None, step: int | None, size: int
) -> tuple[int, int, int]:
    """Where a slice begins, how many elements it names, and how far they are apart.

    As ``slice.indices`` has it, but for symbolic sizes too.

    Examples
    --------
    >>> places(None, None, -2, 5), places(-3, 10, None, 5), places(4, 2, None, 5)
    ((4, 3, -2), (2, 3, 1), (4, 0, 1))
    """
    step = 1 if step is None else step
    low, high = (0, size) if step > 0 else (-1, size - 1)

    def bound(b: int | None, default: int) -> int:
        if b is None:
            return default
        b = b + size if b < 0 else b
        if b < low:
            return low
        return high if b > high else b

    first = bound(start, low if step > 0 else high)
    last = bound(stop, high if step > 0 else low)
    if step > 0:
        return first, (last - first + step - 1) // step if first < last else 0, step
    return first, (first - last - step - 1) // -step if last < first else 0, step


def _is_known(bound: Value) -> bool:
    return known_array(bound) is not None or (isinstance(bound, Owner) and bound.size is not None)


def _strided(trace: Trace, x: Value, axis: int, start: int, stop: int, step: int) -> Value:
    return trace.view(
        x,
        lambda t: torch.ops.aten.slice.Tensor(t, axis, start, stop, step),
        lambda parent, new: _scattered(parent, new, axis, start, stop, step),
    )


def _scattered(parent: Tensor, new: Tensor, axis: int, start: int, stop: int, step: int) -> Tensor:
    """The parent with a slice replaced; torch has no derivative of its own form if complex."""
    if parent.is_complex():
        return torch.index_copy(parent, axis, torch.arange(start, stop, step), new)
    return torch.slice_scatter(parent, new, axis, start, stop, step)


def _window(trace: Trace, x: Value, axis: int, item: slice, place: int) -> Value:
    """A slice whose bounds change from call to call but whose length must not."""
    if not trace.node.types:
        trace.unsupported("the bounds of a slice that is written are not constant")
    if place >= len(trace.shape):
        trace.unsupported("the bounds of a slice are not constant")
    length, size = trace.shape[place], x.shape[axis]
    step = 1 if item.step is None else trace.integer(item.step, "the step of a slice")
    if step <= 0:
        trace.unsupported("a negative step with bounds that are not constant")

    def bound(b: object, default: int) -> Tensor:
        if b is None:
            return torch.full((), default, dtype=torch.int64)
        tensor = trace.cast(b, INT64)
        return torch.where(tensor < 0, tensor + size, tensor).clamp(0, size)

    first, last = bound(item.start, 0), bound(item.stop, size)
    trace.check(torch.div(last - first + (step - 1), step, rounding_mode="floor") == length)
    places = first + torch.arange(length, dtype=torch.int64) * step
    places = places.clamp(0, max(size - 1, 0))
    return trace.view(
        x,
        lambda t: torch.index_select(t, axis, places),
        lambda parent, new: torch.index_copy(parent, axis, places, new),
    )


def picked(trace: Trace, x: Value, axis: int, item: Any) -> Value:
    """``x[..., k, ...]`` at one axis."""
    size = x.shape[axis]
    if not symbols.is_integer(item) and (known := known_array(item)) is not None:
        item = int(known)
    if symbols.is_integer(item):
        if not -size <= item < size:
            trace.unsupported("an index out of bounds")
        k = item + size if item < 0 else item
        return trace.view(
            x,
            lambda t: t.select(axis, k),
            lambda parent, new: (
                _scattered(parent, new.unsqueeze(axis), axis, k, k + 1, 1)
                if parent.is_complex()
                else torch.select_scatter(parent, new, axis, k)
            ),
        )
    place = inside(trace, trace.cast(item, INT64), size).reshape(1)
    return trace.view(
        x,
        lambda t: torch.index_select(t, axis, place).squeeze(axis),
        lambda parent, new: torch.index_copy(parent, axis, place, new.unsqueeze(axis)),
    )


def inside(trace: Trace, places: Tensor, size: int) -> Tensor:
    """Indices made non-negative; those out of bounds fail a check."""
    positive = torch.where(places < 0, places + size, places)
    trace.check(((positive >= 0) & (positive < size)).all())
    return positive.clamp(0, max(size - 1, 0))


# -- gathers


def prepared(trace: Trace, selection: Selection) -> list[Tensor | None]:
    """The index tensors of a selection, non-negative and inside."""
    found: list[Tensor | None] = []
    for axis, item in enumerate(selection.fancy):
        if item is None:
            found.append(None)
            continue
        size = selection.part.shape[axis]
        known = known_array(item)
        if known is not None:
            found.append(trace.constant(np.where(known < 0, known + size, known).astype(np.int64)))
        else:
            found.append(inside(trace, trace.cast(item, INT64), size))
    # spelled out, since torch infers a wrong shape where a 0-d index is among others
    shape = np.broadcast_shapes(*(tuple(t.shape) for t in found if t is not None))
    return [None if t is None else t.expand(shape) for t in found]


def gather(tensor: Tensor, places: Sequence[Tensor | None]) -> Tensor:
    """``tensor[places]`` by NumPy's rules for where the new dimensions go."""
    found: Tensor = torch.ops.aten.index.Tensor(tensor, list(places))
    return found
