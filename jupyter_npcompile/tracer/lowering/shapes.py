# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Views that rearrange whole arrays, and the functions that give them.

Each is a one-to-one relabelling of elements: reading applies it, writing applies
its inverse. Whether NumPy made a view or a copy is in the recorded node; the
caller copies what is not a view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering.dtypes import TORCH, load, store
from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.values import Owner, Value, View


def relabelled(
    trace: Trace,
    a: Value,
    forward: Callable[[Tensor], Tensor],
    backward: Callable[[Tensor], Tensor],
) -> View:
    """A view of all elements of `a` in another arrangement."""
    return trace.view(a, forward, lambda parent, new: backward(new))


def permuted(trace: Trace, a: Value, axes: Sequence[int]) -> View:
    """A view with permuted axes."""
    order = tuple(axes)
    inverse = tuple(order.index(k) for k in range(len(order)))
    return relabelled(trace, a, lambda t: t.permute(order), lambda t: t.permute(inverse))


def reshaped(trace: Trace, a: Value, shape: Sequence[int], *, fortran: bool = False) -> View:
    """A view of another shape; elements in C or Fortran order."""
    old, new = a.shape, tuple(shape)
    if not fortran:
        return relabelled(trace, a, lambda t: t.reshape(new), lambda t: t.reshape(old))

    def turned(tensor: Tensor, target: tuple[int, ...]) -> Tensor:
        backwards = tensor.permute(tuple(range(tensor.ndim))[::-1]).reshape(target[::-1])
        return backwards.permute(tuple(range(len(target)))[::-1])

    return relabelled(trace, a, lambda t: turned(t, new), lambda t: turned(t, old))


def _fortran(trace: Trace, a: Value, order: object) -> bool:
    """Whether elements are taken in Fortran order (``order=`` C, F, A)."""
    if order in ("C", None):
        return False
    if order == "F":
        return True
    if order == "A":
        return a.is_fortran()
    return trace.unsupported(f"order={order!r}")


# -- shape


def reshape(
    trace: Trace,
    a: object,
    /,
    shape: object = None,
    order: object = "C",
    *,
    newshape: object = None,
    copy: object = None,
) -> Value:
    x = trace.value(a)
    return reshaped(trace, x, trace.shape, fortran=_fortran(trace, x, order))


def ndarray_reshape(
    trace: Trace, a: Value, *shape: object, order: object = "C", copy: object = None
) -> Value:
    return reshape(trace, a, order=order)


def ravel(trace: Trace, a: object, order: object = "C") -> Value:
    x = trace.value(a)
    if order == "K":
        return _in_memory_order(trace, x)
    return reshaped(trace, x, trace.shape, fortran=_fortran(trace, x, order))


def flatten(trace: Trace, a: Value, order: object = "C") -> Value:
    return ravel(trace, a, order)


def _in_memory_order(trace: Trace, x: Value) -> Value:
    """Elements as they lie; axes that go backwards stay as they are."""
    axes = sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]))
    return reshaped(trace, permuted(trace, x, axes), trace.shape)


def squeeze(trace: Trace, a: object, axis: object = None) -> Value:
    return reshaped(trace, trace.value(a), trace.shape)


def expand_dims(trace: Trace, a: object, axis: object) -> Value:
    return reshaped(trace, trace.value(a), trace.shape)


def atleast_1d(trace: Trace, *arrays: object) -> Any:
    return _at_least(trace, arrays)


def atleast_2d(trace: Trace, *arrays: object) -> Any:
    return _at_least(trace, arrays)


def atleast_3d(trace: Trace, *arrays: object) -> Any:
    return _at_least(trace, arrays)


def _at_least(trace: Trace, arrays: Sequence[object]) -> Any:
    found = [
        _same(trace, trace.value(array), kind.shape)
        for array, kind in zip(arrays, trace.node.types, strict=True)
    ]
    return found[0] if len(arrays) == 1 else found


def _same(trace: Trace, x: Value, shape: tuple[int, ...]) -> Value:
    return x if x.shape == shape else reshaped(trace, x, shape)


# -- axes


def transpose(trace: Trace, a: object, axes: object = None) -> Value:
    x = trace.value(a)
    order = tuple(reversed(range(x.ndim))) if axes is None else trace.axes(axes, x.ndim)
    return permuted(trace, x, order)


def ndarray_transpose(trace: Trace, a: Value, *axes: object) -> Value:
    if not axes or axes == (None,):
        return transpose(trace, a)
    return transpose(trace, a, axes[0] if isinstance(axes[0], tuple | list) else axes)


def T(trace: Trace, a: Value) -> Value:  # noqa: N802
    return transpose(trace, a)


def mT(trace: Trace, a: Value) -> Value:  # noqa: N802
    return swapaxes(trace, a, -1, -2)


def matrix_transpose(trace: Trace, x: object, /) -> Value:
    return swapaxes(trace, x, -1, -2)


def swapaxes(trace: Trace, a: object, axis1: object, axis2: object) -> Value:
    x = trace.value(a)
    order = list(range(x.ndim))
    one, two = trace.axis(axis1, x.ndim), trace.axis(axis2, x.ndim)
    order[one], order[two] = order[two], order[one]
    return permuted(trace, x, order)


def moveaxis(trace: Trace, a: object, source: object, destination: object) -> Value:
    x = trace.value(a)
    origin, target = trace.axes(source, x.ndim), trace.axes(destination, x.ndim)
    order = [axis for axis in range(x.ndim) if axis not in origin]
    for place, axis in sorted(zip(target, origin, strict=True)):
        order.insert(place, axis)
    return permuted(trace, x, order)


def rollaxis(trace: Trace, a: object, axis: object, start: object = 0) -> Value:
    x = trace.value(a)
    origin, target = trace.axis(axis, x.ndim), trace.integer(start, "start")
    target = target + x.ndim if target < 0 else target
    order = [k for k in range(x.ndim) if k != origin]
    order.insert(target - (origin < target), origin)
    return permuted(trace, x, order)


def diagonal(
    trace: Trace, a: object, offset: object = 0, axis1: object = 0, axis2: object = 1
) -> Value:
    x = trace.value(a)
    place = trace.integer(offset, "offset")
    one, two = trace.axis(axis1, x.ndim), trace.axis(axis2, x.ndim)
    return trace.view(
        x,
        lambda t: torch.diagonal(t, place, one, two),
        lambda parent, new: torch.diagonal_scatter(parent, new, place, one, two),
    )


# -- direction


def flipped(trace: Trace, a: Value, axes: Sequence[int]) -> View:
    """A view with some axes reversed."""
    return relabelled(trace, a, lambda t: t.flip(tuple(axes)), lambda t: t.flip(tuple(axes)))


def flip(trace: Trace, m: object, axis: object = None) -> Value:
    x = trace.value(m)
    return flipped(trace, x, trace.axes(axis, x.ndim))


def fliplr(trace: Trace, m: object) -> Value:
    return flipped(trace, trace.value(m), (1,))


def flipud(trace: Trace, m: object) -> Value:
    return flipped(trace, trace.value(m), (0,))


def rot90(trace: Trace, m: object, k: object = 1, axes: object = (0, 1)) -> Value:
    x = trace.value(m)
    one, two = trace.axes(axes, x.ndim)
    turns = trace.integer(k, "k") % 4
    order = list(range(x.ndim))
    order[one], order[two] = order[two], order[one]
    if turns == 0:
        return relabelled(trace, x, lambda t: t, lambda t: t)
    if turns == 2:
        return flipped(trace, x, (one, two))
    if turns == 1:
        return permuted(trace, flipped(trace, x, (two,)), order)
    return flipped(trace, permuted(trace, x, order), (two,))


# -- broadcasting


def broadcasted(trace: Trace, a: Value, shape: Sequence[int]) -> Value:
    """A read-only view of a larger shape."""
    return trace.view(a, lambda t: t.expand(tuple(shape)))


def broadcast_to(trace: Trace, array: object, shape: object, subok: object = False) -> Value:
    return broadcasted(trace, trace.value(array), trace.shape)


def broadcast_arrays(trace: Trace, *arrays: object, subok: object = False) -> list[Value]:
    return [
        x if x.shape == kind.shape else broadcasted(trace, x, kind.shape)
        for x, kind in zip(map(trace.value, arrays), trace.node.types, strict=True)
    ]


def sliding_window_view(
    trace: Trace,
    x: object,
    window_shape: object,
    axis: object = None,
    *,
    subok: object = False,
    writeable: object = False,
) -> Value:
    a = trace.value(x)
    if writeable:
        trace.unsupported("windows that are written into share elements")
    sizes, places = trace.integers(window_shape, "window_shape"), trace.axes(axis, a.ndim)

    def windows(tensor: Tensor) -> Tensor:
        for place, size in zip(places, sizes, strict=True):
            tensor = tensor.unfold(place, size, 1)
        return tensor

    return trace.view(a, windows)


# -- parts and reinterpretations


def real(trace: Trace, a: object) -> Value:
    x = trace.value(a)
    if x.dtype.kind != "c":
        return x
    return trace.view(
        x, torch.real, lambda parent, new: torch.complex(new, torch.imag(parent)), trace.dtype
    )


def imag(trace: Trace, a: object) -> Value:
    x = trace.value(a)
    if x.dtype.kind != "c":
        return trace.result(torch.zeros_like(x.read()), x.dtype)
    return trace.view(
        x, torch.imag, lambda parent, new: torch.complex(torch.real(parent), new), trace.dtype
    )


def view(trace: Trace, a: Value, dtype: object = None, type: object = None) -> Value:
    if dtype is None:
        return trace.view(a, lambda t: t, lambda parent, new: new)
    if not isinstance(dtype, np.dtype):
        trace.unsupported("a view as another array class")
    old, new = a.dtype, dtype
    if "b" in (old.kind, new.kind) and old != new:
        trace.unsupported("bool memory seen as another dtype")
    if old.kind == "c" or new.kind == "c":
        trace.unsupported("complex memory seen as another dtype")

    def seen(tensor: Tensor, source: np.dtype, target: np.dtype) -> Tensor:
        # a copy, since axes of length 1 may have any stride
        dense = store(tensor, source).clone(memory_format=torch.contiguous_format)
        return load(dense.view(TORCH[target.name]), target)

    return trace.view(a, lambda t: seen(t, old, new), lambda p, t: seen(t, new, old), new)


# -- copies and conversions to arrays


def copy(trace: Trace, a: object, order: object = "K", subok: object = False) -> Value:
    x = trace.value(a)
    return Owner(x.read(), x.dtype)


def asarray(
    trace: Trace, a: object, dtype: object = None, *rest: object, **options: object
) -> Value:
    wanted = dtype if isinstance(dtype, np.dtype) else None
    if isinstance(a, Value):
        return a
    x = trace.value(a, wanted)
    return x if x.dtype == trace.dtype else Owner(trace.cast(x, trace.dtype), trace.dtype)


def asarray_chkfinite(trace: Trace, a: object, dtype: object = None, order: object = None) -> Value:
    found = asarray(trace, a, dtype)
    if found.dtype.kind in "fc":
        trace.check(torch.isfinite(found.read()).all())
    return found


def array(
    trace: Trace,
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: Any = False,
    ndmin: Any = 0,
    like: Any = None,
) -> Value:
    x = asarray(trace, object, dtype)
    return x if x.shape == trace.shape else reshaped(trace, x, trace.shape)
