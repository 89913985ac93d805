"""Gradients that are cut on purpose."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np

from jupyter_npcompile.autodiff.interruption import variable
from jupyter_npcompile.autodiff.trees import map_leaves

T = TypeVar("T")

_held: ContextVar[Iterator[Any] | None] = variable("held", None)


def stop_gradient(x: T) -> T:
    """Return a value through which no gradient flows.

    Parameters
    ----------
    x : array, number, or nested tuples, lists and dicts of them
        The value.

    Returns
    -------
    same
        Equal to ``x``; arrays are copies.

    Examples
    --------
    >>> stop_gradient(3.0)
    3.0
    """
    held = _held.get()
    if held is not None:
        return next(held)  # type: ignore[no-any-return]
    return map_leaves(_copy, x)  # type: ignore[no-any-return]


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _on_tape(hooks: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Hand out values that the tape does not know."""

    def fresh(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return value.copy()
        if isinstance(value, np.generic):
            return np.array(value)[()]
        return operator.neg(-value) if isinstance(value, float | complex) else value

    made = map_leaves(fresh, *args, **kwargs)
    hooks.tape.held.append(made)
    return made


stop_gradient.__npcompile_on_tape__ = _on_tape  # type: ignore[attr-defined]


@contextmanager
def holding(values: list[Any]) -> Iterator[None]:
    """Let ``stop_gradient`` give these values, in order."""
    token = _held.set(iter([map_leaves(_copy, value) for value in values]))
    try:
        yield
    finally:
        _held.reset(token)


Cut = Callable[[T], T]
