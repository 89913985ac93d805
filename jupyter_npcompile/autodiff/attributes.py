"""Stores into attributes of arrays: elements, or how the array sees its memory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.autodiff.errors import GradientError
from jupyter_npcompile.autodiff.taints import uncut
from jupyter_npcompile.tracer.attribution import attributed

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
        attributed(setattr, (array, name, value), {})


def resize(hooks: TapeHooks, method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """``array.resize(shape)``: other memory, or another look at the same.

    NumPy counts who refers to the array, so no variable here does: only the method.

    Parameters
    ----------
    hooks : TapeHooks
        Of the run.
    method : builtin method
        It has the array.
    args, kwargs
        Its arguments.
    """
    tape, args = hooks.tape, tuple(map(uncut, args))
    if not tape.is_active(method.__self__):
        tape.before_write(method.__self__)
    elif args and args[0] is not None:
        shape = args[0] if len(args) == 1 else args
        count = math.prod(np.atleast_1d(shape).tolist())
        if count != method.__self__.size:
            raise GradientError(
                f"`.resize()` to {count} elements takes other memory, which is not followed",
                "np.resize, a slice or np.concatenate makes a new array",
                tape.place,
            )
        tape.forget_layout(method.__self__)
    method(*args, **kwargs)


def _fill(hooks: TapeHooks, array: Any, value: Any) -> None:
    """``array.flat = value``: its elements, again and again if they are too few."""
    given = hooks.call(None, np.ravel, value)
    places = np.arange(array.size) % max(len(given), 1)
    taken = hooks.subscript(None, given, places)
    hooks.store(None, array, ..., hooks.call(None, np.reshape, taken, array.shape))
