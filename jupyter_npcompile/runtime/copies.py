"""Copies of arguments, with views that stay views."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from jupyter_npcompile.tracer.memory import Array, clone_owner, owner, rebase, traceable


class Copier:
    """Copies nested arguments; arrays that share memory share it in the copy too.

    Examples
    --------
    >>> x = np.arange(4.0)
    >>> a, b = Copier().copy((x, x[1:]))
    >>> b.base is a, a is x
    (True, False)
    """

    def __init__(self) -> None:
        self._clones: dict[int, tuple[Array, Array]] = {}
        self._memo: dict[int, Any] = {}

    def copy(self, value: Any) -> Any:
        """A copy that shares nothing that can change with the original."""
        if isinstance(value, np.ndarray) and traceable(value):
            return self._array(value)
        if type(value) in (tuple, list):
            return type(value)(self.copy(item) for item in value)
        if type(value) is dict:
            return {key: self.copy(item) for key, item in value.items()}
        return copy.deepcopy(value, self._memo)

    def _array(self, value: Array) -> Array:
        base = owner(value)
        if not (base.flags.c_contiguous or base.flags.f_contiguous):
            return value.copy(order="K")
        _, clone = self._clones.setdefault(id(base), (base, clone_owner(base)))
        made = rebase(value, base, clone)
        if not value.flags.writeable:
            made = made.view()
            made.flags.writeable = False
        return made
