"""Compiled functions: the same function with guarded code, or a callable traced by calling it."""

from __future__ import annotations

import ast
import contextlib
import functools
import types
from collections.abc import Callable
from typing import Any, cast

from jupyter_npcompile.cell import (
    HANDLE,
    NotTraceable,
    SourceUnavailable,
    build_function,
    callees,
    definition,
)
from jupyter_npcompile.runtime import first_use
from jupyter_npcompile.runtime.call_handle import CallHandle
from jupyter_npcompile.runtime.devices import CPU
from jupyter_npcompile.runtime.function_handle import FunctionHandle, HelperHandle
from jupyter_npcompile.runtime.helpers import helpers, worth_picking
from jupyter_npcompile.runtime.policy import Options

_TOLD = frozenset({"__code__", "__defaults__", "__kwdefaults__", "__globals__", "__closure__"})
"""What `inspect` asks functions for: also those that are traced by calling them have it."""


class CompiledCallable:
    """A compiled callable that has no Python source of its own.

    Behaves like the original: call it, pickle it, look at ``__wrapped__``.
    """

    def __init__(self, function: Callable[..., Any], handle: CallHandle) -> None:
        functools.update_wrapper(self, function, updated=())
        self.__wrapped__ = function
        self.handle = handle

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the original, compiled where possible."""
        return self.handle(args, kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        bound = getattr(self.__wrapped__, "__get__", lambda *_: None)(instance, owner)
        return types.MethodType(self, instance) if type(bound) is types.MethodType else self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in _TOLD:
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def __reduce__(self) -> Any:
        options = self.handle.options
        return _again, (self.__wrapped__, options.device, options.ahead)

    def __repr__(self) -> str:
        return f"<compiled {self.__wrapped__!r}>"


def _again(function: Callable[..., Any], device: str, ahead: bool) -> Any:
    return compile_callable(function, Options(device, ahead))


def compile_callable(function: Callable[..., Any], options: Options) -> Callable[..., Any]:
    """Compile a callable of any kind; never an error.

    Parameters
    ----------
    function : callable
        A Python function gets guarded code. Anything else is traced by
        calling it, or runs in NumPy with a reason.
    options : Options
        How it is compiled.
    """
    with contextlib.suppress(OSError):
        first_use.prepare()
    if isinstance(function, staticmethod | classmethod):
        return type(function)(compile_callable(function.__func__, options))
    if isinstance(function, CompiledCallable):
        function = function.__wrapped__
    if isinstance(function, types.FunctionType):
        if HANDLE in function.__code__.co_freevars:
            function = cast("types.FunctionType", function.__wrapped__)  # type: ignore[attr-defined]
        made = _compile_function(function, options)
        if made is not None:
            return made
    return CompiledCallable(function, CallHandle(function, options))


def _compile_function(function: types.FunctionType, options: Options) -> types.FunctionType | None:
    """The function with guarded code; None when it must be traced by calling it."""
    handle = handle_for(function, options)
    return None if handle is None else handle.attach(function)


def handle_for(function: types.FunctionType, options: Options) -> FunctionHandle | None:
    """What stands behind the compiled form of a function; None where it cannot have one."""
    return _handle(FunctionHandle, function, options)


def _handle(
    kind: type[FunctionHandle], function: types.FunctionType, options: Options
) -> FunctionHandle | None:
    """What stands behind the compiled form of a function; None where it cannot have one."""
    try:
        source = definition(function)
        body = source.node.body
        called = callees(body, in_function=True) if isinstance(body, list) else ()
        program = build_function(
            source.node,
            qualname=function.__qualname__,
            free_names=function.__code__.co_freevars,
            text=source.text,
            tells=options.device != CPU,
            picks=worth_picking(called, _visible(function), unknown=True),
            follows=kind is FunctionHandle and not _is_decorated(source.node),
        )
    except (NotTraceable, SourceUnavailable, RecursionError):  # the last: nested too deeply
        return None
    return kind(program, options, source.text)


def _is_decorated(node: ast.AST) -> bool:
    """Whether nobody but the compiled form has the function, for a decorator made that of it."""
    decorators = getattr(node, "decorator_list", ())
    return any(getattr(it, "id", "") not in ("staticmethod", "classmethod") for it in decorators)


def _visible(function: types.FunctionType) -> dict[str, Any]:
    """What names mean in a function: those around it that are bound, and global ones."""
    around = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    found = dict(function.__globals__)
    for name, cell in around:
        found.pop(name, None)
        with contextlib.suppress(ValueError):  # it is not bound yet
            found[name] = cell.cell_contents
    return found


def _helper(function: types.FunctionType, options: Options) -> FunctionHandle | None:
    handle = _handle(HelperHandle, function, options)
    return handle if handle is not None and (handle.states or handle.loops) else None


helpers.make = _helper


def handle_of(function: Any) -> FunctionHandle | CallHandle | None:
    """The handle behind a compiled function, or None."""
    if isinstance(function, CompiledCallable):
        return function.handle
    if isinstance(function, types.FunctionType) and HANDLE in function.__code__.co_freevars:
        from jupyter_npcompile.runtime.arrivals import settled  # which imports this

        found: FunctionHandle | None = settled(function)
        return found
    return None
