"""What an interrupt in the middle of a gradient must not leave behind."""

from __future__ import annotations

import warnings
from contextvars import ContextVar
from types import TracebackType
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

_variables: list[ContextVar[Any]] = []


def variable(name: str, default: T) -> ContextVar[T]:
    """A context variable of this folder's.

    Parameters
    ----------
    name : str
        For those who debug it.
    default : object
        What it is while nobody has set it.
    """
    made = ContextVar(name, default=default)
    _variables.append(made)
    return made


class unharmed:  # noqa: N801 - a context, as `contextlib.suppress` is one
    """What runs here leaves NumPy's error state, filters and variables alone when interrupted.

    Python handles a signal between any two instructions, also after `np.errstate` has changed
    something and before the ``with`` statement knows of it. Errors are the function's own: what
    it has set by then stays, as in plain NumPy.

    Examples
    --------
    >>> try:
    ...     with unharmed():
    ...         _ = np.seterr(all="ignore")
    ...         raise KeyboardInterrupt
    ... except KeyboardInterrupt:
    ...     np.geterr()["divide"]
    'warn'
    """

    __slots__ = ("_errors", "_filters", "_values")

    def __enter__(self) -> None:
        self._errors = np.geterr()
        self._filters = warnings.filters
        self._values = [it.get() for it in _variables]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None or not issubclass(kind, KeyboardInterrupt):
            return
        np.seterr(**self._errors)
        if warnings.filters is not self._filters:  # a catch that nobody has ended
            warnings.filters = self._filters
            with warnings.catch_warnings():
                pass  # tells the warnings module that its filters are others now
        for it, value in zip(_variables, self._values, strict=True):
            it.set(value)
