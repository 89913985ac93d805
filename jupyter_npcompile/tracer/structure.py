"""Numbers that decide what the graph is: sizes, axes, orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.tracer.traced import is_traced

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks


def structural(hooks: Hooks, arg: Any) -> Any:
    """Replace numbers from outside by their guarded values, at any depth."""
    if is_traced(arg):
        plain = not isinstance(arg.value, np.ndarray | np.inexact)
        if plain and (arg.source is not None or isinstance(arg.value, int | np.integer)):
            return hooks.concrete(arg, "the call needs the value, which the graph computes")
        return arg
    if type(arg) in (tuple, list):
        return type(arg)(structural(hooks, item) for item in arg)
    if isinstance(arg, slice):
        return slice(*(structural(hooks, part) for part in (arg.start, arg.stop, arg.step)))
    return arg
