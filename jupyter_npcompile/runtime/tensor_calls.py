"""Calls of compiled functions with tensors that remember how they were made.

PyTorch differentiates what depends on them, so such a call is followed on the
tape of ``autodiff/``, which says here how. Nothing here imports torch: without
it there are no tensors.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Mapping
from types import CodeType
from typing import Any

Follow = Callable[[Callable[..., Any], "tuple[Any, ...]", "dict[str, Any]"], Any]

_follow: list[Follow] = []


def followed_by(follow: Follow) -> None:
    """Say what runs calls with such tensors: ``follow(function, args, kwargs)``."""
    _follow[:] = [follow]


def follow(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a call with such tensors."""
    return _follow[0](function, args, kwargs)


def remember(values: Iterable[Any], depth: int = 2) -> bool:
    """Whether there is a tensor with a history among values, and in containers of them.

    Examples
    --------
    >>> remember([1.0, "text"])
    False
    """
    if "torch" not in sys.modules or not _follow:
        return False
    tensor = getattr(sys.modules["torch"], "Tensor", None)
    return tensor is not None and _remembers(values, tensor, depth)


def _remembers(values: Iterable[Any], tensor: type, depth: int) -> bool:
    for value in values:
        if isinstance(value, tensor):
            if value.requires_grad:  # type: ignore[attr-defined]
                return True
        elif depth and isinstance(value, list | tuple):
            if _remembers(value, tensor, depth - 1):
                return True
        elif depth and isinstance(value, dict) and _remembers(value.values(), tensor, depth - 1):
            return True
    return False


class Done:
    """Stands for the frame of a call that has run already.

    Parameters
    ----------
    result : object
        What it returns.
    """

    __slots__ = ("result",)
    done = True

    def __init__(self, result: Any) -> None:
        self.result = result


def arguments(
    code: CodeType, variables: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a function that has just begun to run.

    Examples
    --------
    >>> def f(a, *rest, k=1, **named): ...
    >>> arguments(f.__code__, {"a": 1, "rest": (2,), "k": 3, "named": {"z": 4}})
    ((1, 2), {'k': 3, 'z': 4})
    """
    names = iter(code.co_varnames)
    args = [variables[next(names)] for _ in range(code.co_argcount)]
    kwargs = {name: variables[name] for name in itertools.islice(names, code.co_kwonlyargcount)}
    if code.co_flags & 4:
        args += variables[next(names)]
    if code.co_flags & 8:
        kwargs.update(variables[next(names)])
    return tuple(args), kwargs
