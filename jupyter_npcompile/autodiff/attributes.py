"""Stores into attributes of arrays: elements, or how the array sees its memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks

_PARTS = frozenset({"real", "imag"})
_LAYOUT = frozenset({"shape", "strides", "dtype"})


def store(hooks: TapeHooks, array: Any, name: str, value: Any) -> None:
    """``array.name = value``."""
    if name in _PARTS and array.dtype.kind == "c":
        hooks.store(None, hooks.attribute(None, array, name), ..., value)
    elif name == "real":
        hooks.store(None, array, ..., value)
    elif name == "flat" and array.size:
        _fill(hooks, array, value)
    else:
        if name in _LAYOUT:
            hooks.tape.forget_layout(array)
        setattr(array, name, value)


def _fill(hooks: TapeHooks, array: Any, value: Any) -> None:
    """``array.flat = value``: its elements, again and again if they are too few."""
    given = hooks.call(None, np.ravel, value)
    places = np.arange(array.size) % max(len(given), 1)
    taken = hooks.subscript(None, given, places)
    hooks.store(None, array, ..., hooks.call(None, np.reshape, taken, array.shape))
