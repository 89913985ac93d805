"""Names as a statement sees them."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

DISPLAY = "<display>"
"""Stands for the value of the last expression among the names that a segment binds."""


class FrameNamespace(Mapping[str, Any]):
    """Locals, then globals, then builtins; a local name that is unbound stays unbound.

    Parameters
    ----------
    frame : types.FrameType
        The frame in which the statement runs.
    """

    __slots__ = ("_global", "_local", "own")

    def __init__(self, frame: FrameType) -> None:
        self._local = frame.f_locals
        self._global = frame.f_globals
        if self._local is self._global:
            self.own: frozenset[str] = frozenset()
        else:
            code = frame.f_code
            self.own = frozenset((*code.co_varnames, *code.co_cellvars, *code.co_freevars))

    @property
    def locals(self) -> dict[str, Any]:
        """The local names, as they were when this was made."""
        return self._local

    @property
    def globals(self) -> dict[str, Any]:
        """The global names."""
        return self._global

    @property
    def module(self) -> dict[str, Any] | None:
        """The globals, when the frame is that of a module or cell."""
        return self._global if self._local is self._global else None

    def is_global(self, name: str) -> bool:
        """Whether a function reads a name of its module."""
        return self.module is None and name not in self.own and name in self._global

    def __getitem__(self, name: str) -> Any:
        if name in self._local:
            return self._local[name]
        if name not in self.own:
            if name in self._global:
                return self._global[name]
            if hasattr(builtins, name):
                return getattr(builtins, name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._local, *self._global, *vars(builtins))))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def forget_locals(frame: FrameType) -> None:
    """Let go of the copy of a function's variables that Python makes to show them.

    Up to Python 3.12 the frame keeps it, and with it arrays that the function
    has let go of, until somebody looks again.
    """
    if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        shown = frame.f_locals
        if type(shown) is dict:
            shown.clear()


class ArgumentNamespace(Mapping[str, Any]):
    """Names given in a dict, for callables that are traced by calling them."""

    __slots__ = ("_values",)

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
