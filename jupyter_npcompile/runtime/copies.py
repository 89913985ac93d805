"""Copies of arguments, with views that stay views."""

from __future__ import annotations

import copy
import types
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from jupyter_npcompile.cell import HANDLE
from jupyter_npcompile.tracer.memory import (
    Array,
    clone_owner,
    is_writeable,
    owner,
    rebase,
    traceable,
)

_WHOLE = (type, types.ModuleType, types.FunctionType, str, bytes, int, float, complex, np.generic)
"""Types of what holds no arrays that could share memory with others."""

MAX_DEPTH = 20
"""How deep objects are searched for arrays that share memory with others."""


class Copier:
    """Copies nested arguments; arrays that share memory share it in the copy too.

    What has two names is one object in the copy, too.

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
        self._kept: list[Any] = []

    def copy(self, value: Any) -> Any:
        """A copy that shares nothing that can change with the original."""
        if id(value) in self._memo:
            return self._memo[id(value)]
        if isinstance(value, np.ndarray) and traceable(value):
            return self._keep(value, self._array(value))
        if type(value) is list:
            made = self._keep(value, [])
            made.extend(self.copy(item) for item in value)
            return made
        if type(value) is dict:
            known = self._keep(value, {})
            known.update({key: self.copy(item) for key, item in value.items()})
            return known
        if type(value) is tuple:
            return tuple(self.copy(item) for item in value)
        return self.other(value)

    def other(self, value: Any) -> Any:
        """A copy of what is neither an array nor a container of them."""
        self._find_arrays(value, MAX_DEPTH, set())
        return copy.deepcopy(value, self._memo)

    def _keep(self, value: Any, made: Any) -> Any:
        self._memo[id(value)] = made
        self._kept.append(value)  # so that its id is not given to another object
        return made

    def _find_arrays(self, value: Any, depth: int, seen: set[int]) -> None:
        """Copy the arrays that an object holds, so that they stay views of what they view."""
        if depth == 0 or id(value) in seen or isinstance(value, _WHOLE):
            return
        seen.add(id(value))
        parts: list[Any] = []
        if isinstance(value, Mapping):
            parts += value.values()
        elif isinstance(value, tuple | list | set | frozenset):
            parts += value
        if isinstance(attributes := getattr(value, "__dict__", None), dict):
            parts += attributes.values()
        for part in parts:
            if isinstance(part, np.ndarray) and traceable(part):
                self.copy(part)
            else:
                self._find_arrays(part, depth - 1, seen)

    def _array(self, value: Array) -> Array:
        base = owner(value)
        if not (base.flags.c_contiguous or base.flags.f_contiguous):
            return value.copy(order="K")
        _, clone = self._clones.setdefault(id(base), (base, clone_owner(base)))
        made = rebase(value, base, clone)
        if not is_writeable(value):
            made = made.view()
            made.flags.writeable = False
        return made


class LenientCopier(Copier):
    """Copies what a cell reads; what cannot be copied is passed as it is.

    Functions of the copied namespace get the copy as their globals, so that
    what they read and write is the copy.

    Parameters
    ----------
    sources : sequence of dict
        The namespace, and what it is itself a copy of.
    target : dict
        Its copy.

    Attributes
    ----------
    shared : list of str
        Types of what was passed as it is and may change.
    """

    def __init__(
        self, sources: Sequence[dict[str, Any]] = (), target: dict[str, Any] | None = None
    ) -> None:
        super().__init__()
        self.shared: list[str] = []
        self._sources = [id(source) for source in sources]
        self._target = {} if target is None else target

    def other(self, value: Any) -> Any:
        """A copy, a function over the copied namespace, or the value itself."""
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, type | types.ModuleType | types.BuiltinFunctionType | np.ufunc):
            return value
        try:
            return super().other(value)
        except Exception:  # whatever an object's own way of copying raises
            self.shared.append(type(value).__name__)
            return self._keep(value, value)

    def _function(self, value: types.FunctionType) -> types.FunctionType:
        if HANDLE in value.__code__.co_freevars:  # compiled: copied as the plain one
            plain = cast("types.FunctionType", vars(value)["__wrapped__"])
            return cast("types.FunctionType", self._keep(value, self._function(plain)))
        if id(value.__globals__) not in self._sources:
            return value
        made = types.FunctionType(
            value.__code__,
            self._target,
            value.__name__,
            value.__defaults__,
            tuple(types.CellType() for _ in value.__closure__ or ()) or None,
        )
        self._keep(value, made)  # before its parts: it may refer to itself
        for cell, copied in zip(value.__closure__ or (), made.__closure__ or (), strict=True):
            try:
                copied.cell_contents = self.copy(cell.cell_contents)
            except ValueError:
                continue  # a variable that is not bound yet
        made.__defaults__ = self.copy(value.__defaults__)
        made.__kwdefaults__ = self.copy(value.__kwdefaults__)
        made.__qualname__, made.__module__ = value.__qualname__, value.__module__
        made.__doc__, made.__annotations__ = value.__doc__, dict(value.__annotations__)
        made.__dict__.update({name: self.copy(part) for name, part in vars(value).items()})
        return made
