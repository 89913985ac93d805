"""Defaults that a function is given after another one was compiled from it."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any, cast

from jupyter_npcompile.runtime.tensor_calls import arguments


class Defaults:
    """What the defaults of a compiled function are compared with, at each call.

    Parameters
    ----------
    source : function
        What was compiled.
    made : function, optional
        What was made of it, if it may have other defaults by now.

    Attributes
    ----------
    source : function
        The same.
    positional, named : object
        Its ``__defaults__`` and ``__kwdefaults__`` when it was looked at last.

    Examples
    --------
    >>> def f(x, k=1): ...
    >>> def made(x, k=1): ...
    >>> defaults = Defaults(f)
    >>> f.__defaults__ = (2,)
    >>> defaults.renew(made, {"x": 5, "k": 1})
    ((5,), {})
    >>> made.__defaults__
    (2,)
    """

    __slots__ = ("named", "positional", "source")

    def __init__(self, source: types.FunctionType, made: types.FunctionType | None = None) -> None:
        self.source = source
        looked_at = source if made is None else made
        self.positional = looked_at.__defaults__
        self.named = looked_at.__kwdefaults__

    def renew(
        self, made: types.FunctionType, variables: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Give a function the defaults that there are now.

        Parameters
        ----------
        made : function
            What was compiled from `source`; it has begun to run.
        variables : mapping
            Its variables.

        Returns
        -------
        tuple
            The arguments of the same call, positional and by name. What is the very object
            that was the default before counts as not given.
        """
        code = made.__code__
        args, kwargs = arguments(code, variables)
        names = code.co_varnames[: code.co_argcount]
        defaults = made.__defaults__ or ()
        before = dict(zip(reversed(names), reversed(defaults), strict=False))
        before |= made.__kwdefaults__ or {}
        # In this order: another thread that sees the second has the first.
        made.__defaults__ = positional = self.source.__defaults__
        made.__kwdefaults__ = named = self.source.__kwdefaults__
        self.positional, self.named = positional, named

        def is_given(name: str) -> bool:
            return name not in before or variables[name] is not before[name]

        own = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
        kwargs = {name: it for name, it in kwargs.items() if name not in own or is_given(name)}
        if len(args) > len(names):  # then all before the star were given
            return args, kwargs
        given = [index for index, name in enumerate(names) if is_given(name)]
        leading = max((it + 1 for it in given if it < code.co_posonlyargcount), default=0)
        while leading in given:
            leading += 1
        kwargs |= {names[index]: args[index] for index in given if index >= leading}
        return args[:leading], kwargs


def _without() -> None:
    """Do nothing, and have no defaults."""


NEVER = Defaults(cast("types.FunctionType", _without))
"""Of a function that nobody gives other defaults."""
