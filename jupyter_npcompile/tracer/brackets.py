"""``np.r_[...]``, ``np.mgrid[...]`` and their like: objects of NumPy that are indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.tracer import helpers

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks

NAMES = ("r_", "c_", "s_", "index_exp", "mgrid", "ogrid")

_OBJECTS = {id(getattr(np, name)): name for name in NAMES}


def is_indexed(value: object) -> bool:
    """Whether a value is one of these objects; there is one of each.

    Examples
    --------
    >>> is_indexed(np.r_), is_indexed(np.arange(3))
    (True, False)
    """
    return id(value) in _OBJECTS


def indexed(hooks: Hooks, obj: Any, key: Any) -> Any:
    """``obj[key]``, by recording what NumPy's own source does."""
    name = _OBJECTS[id(obj)]
    if name in ("s_", "index_exp"):
        return key if isinstance(key, tuple) or name == "s_" else (key,)
    return helpers.inline(hooks, type(obj).__getitem__, (obj, key), {}, name=name)
