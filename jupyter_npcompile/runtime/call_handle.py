"""A single call that is recorded and compiled: of what has no source that can be guarded."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, cast

from jupyter_npcompile.graph.nodes import Position
from jupyter_npcompile.runtime import history
from jupyter_npcompile.runtime.namespace import ArgumentNamespace
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.state import RegionState
from jupyter_npcompile.runtime.tensor_calls import follow, remember


class CallCode:
    """A single call as something that can be recorded.

    Parameters
    ----------
    function : callable
        What is called.
    """

    count = 1
    lines = (1, 1)

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def code(self, start: int) -> tuple[types.FunctionType, tuple[str, ...]]:
        """A function that calls the callable through the hooks."""

        def traced(hooks: Any, args: Any, kwargs: Any) -> None:
            hooks.statement(0)
            value = hooks.call(
                (1, 0), self.function, *hooks.name("args", args), **hooks.name("kwargs", kwargs)
            )
            hooks.bind(0, "<return>", value)

        return cast("types.FunctionType", traced), ("args", "kwargs")

    def live(self, start: int, stop: int) -> tuple[str, ...]:
        """Nothing but the value."""
        return ()

    def written(self, start: int) -> frozenset[str]:
        """Nobody knows."""
        return frozenset()

    def statement_at(self, position: Position) -> int | None:
        """The call."""
        return 0

    def taken(self, index: int) -> None:
        """The value."""


class CallHandle:
    """What stands behind a callable that is traced by calling it.

    Parameters
    ----------
    function : callable
        A ufunc, a builtin, a lambda without source, a bound method, ...
    options : Options
        How it is compiled.
    """

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        self.function = function
        self.options = options
        self.state = RegionState(CallCode(function), options)

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call it, compiled where possible."""
        history.remember(self)
        if remember((*args, *kwargs.values())):
            return follow(self.function, args, kwargs)
        namespace = ArgumentNamespace({"args": args, "kwargs": kwargs})
        _, values = self.state.step(0, namespace)
        return self.function(*args, **kwargs) if values is None else values["<return>"]
