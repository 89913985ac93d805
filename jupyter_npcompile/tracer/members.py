"""Attributes of traced arrays and numbers: ``x.T``, ``x.shape``, ``x.base``, ``x.flat``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.tracer import indexing, numpy_calls
from jupyter_npcompile.tracer.breaks import Break
from jupyter_npcompile.tracer.evaluation import PythonErrors
from jupyter_npcompile.tracer.memory import owner
from jupyter_npcompile.tracer.nested import traced_in
from jupyter_npcompile.tracer.traced import BoundMethod, Flags, Interim, Traced

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks

MAX_PLACES = 4096
"""A slice of ``x.flat`` that is written must not name more elements than this."""

_METADATA = frozenset(["dtype", "shape", "ndim", "size", "itemsize", "nbytes", "strides"])
_SIZES = frozenset(["shape", "size", "nbytes", "strides"])
_VIEWS = frozenset(["T", "mT", "real", "imag"])


def member(hooks: Hooks, obj: Traced, name: str) -> Any:
    """An attribute of a traced array, NumPy scalar or number."""
    value = obj.value
    is_numpy = isinstance(value, np.ndarray | np.generic)
    if not is_numpy and not hasattr(value, name):
        raise Break("error", f"raises AttributeError: no attribute {name!r}")
    if name == "flags":
        return Flags(hooks.recorder.real(obj).flags, hooks.recorder.is_writeable(obj))
    if name == "base":
        return _base(hooks, obj)
    if name == "flat" and isinstance(value, np.ndarray):
        return Flat(hooks, obj)
    if name in _METADATA and hasattr(value, name):
        if name in _SIZES:
            hooks.recorder.demand_fixed_size(obj)
        return getattr(value, name)
    if is_numpy and name in _VIEWS and hasattr(value, name):
        return numpy_calls.array_attribute(hooks, obj, name)
    if not is_numpy and name in ("real", "imag") and obj.source is not None:
        with PythonErrors():
            return getattr(hooks.concrete(obj, "Python needs the value"), name)
    with PythonErrors():
        found = getattr(value, name)
    if callable(found):
        return BoundMethod(obj, name)
    raise Break("value", f"the attribute `{name}` needs the real array")


def _base(hooks: Hooks, obj: Traced) -> Any:
    if not isinstance(obj.value, np.ndarray):
        return None
    base = owner(obj.value)
    if base is obj.value:
        return None
    if obj.source is None:
        for traced in traced_in(list(hooks.root.bound.values())):
            # Whether an input is all of its memory, only the run knows.
            if traced.value is base and traced.source is None:
                return traced
    raise Break("value", "the base of a view needs the real array")


class Flat(Interim):
    """``x.flat``: the elements of an array in C order.

    Parameters
    ----------
    hooks : Hooks
        Where its operations are recorded.
    array : Traced
        The array.
    """

    __slots__ = ("_array", "_hooks")

    def __init__(self, hooks: Hooks, array: Traced) -> None:
        self._hooks = hooks
        self._array = array

    def __len__(self) -> int:
        self._hooks.recorder.demand_fixed_size(self._array)
        return int(self._array.value.size)

    def __iter__(self) -> Any:
        return iter(self._hooks.iterate(None, self._elements()))

    def __getitem__(self, index: Any) -> Any:
        """Read elements; several come as a copy."""
        if isinstance(index, tuple):
            raise Break("value", "a tuple as an index of `x.flat`")
        if isinstance(index, list) and not _are_integers(index):
            raise Break("value", "a list of other things than integers as an index of `x.flat`")
        if index is None or index is ...:
            raise Break("value", "an index of `x.flat` that is neither integers nor a slice")
        found = indexing.getitem(self._hooks, self._elements(), index)
        if not isinstance(found.value, np.ndarray) or not isinstance(index, slice):
            return found
        return numpy_calls.numpy_call(self._hooks, np.copy, (found,), {})

    def __setitem__(self, index: Any, value: Any) -> None:
        """Write elements; values are repeated where there are too few."""
        kept = self._hooks.concrete(index, "an index needs the value")
        places: Any = index
        if isinstance(kept, slice):
            places = list(range(len(self))[kept])
        elif type(kept) is not int and not _are_integers(index):
            raise Break("value", "an index of `x.flat` that is neither integers nor a slice")
        if isinstance(places, list) and not 0 < len(places) <= MAX_PLACES:
            raise Break("value", "none or very many elements of `x.flat` are written")
        numpy_calls.numpy_call(self._hooks, np.put, (self._array, places, value), {})

    def _elements(self) -> Any:
        return numpy_calls.numpy_call(self._hooks, np.ravel, (self._array,), {})


def _are_integers(index: Any) -> bool:
    """Whether an index is a list of plain integers."""
    items: Iterable[Any] = index if isinstance(index, list) else ()
    return isinstance(index, list) and all(type(item) is int for item in items)
