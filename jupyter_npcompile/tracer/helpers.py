"""Helper functions inlined into a recording: instrumented once, run with traced values."""

from __future__ import annotations

import builtins
import dis
import inspect
import sysconfig
import types
from typing import TYPE_CHECKING, Any

from jupyter_npcompile.cell import (
    HANDLE,
    HOOKS,
    NotTraceable,
    SourceUnavailable,
    definition,
    helper_code,
    reshaped,
)
from jupyter_npcompile.cell.factory import every_code
from jupyter_npcompile.tracer.breaks import Break
from jupyter_npcompile.tracer.definitions import is_definition
from jupyter_npcompile.tracer.operations import is_numpy_function, operation
from jupyter_npcompile.tracer.sources import AttributeSource, ItemSource, ObjectSource, Source

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks

MAX_DEPTH = 30
"""Deeper recursion is left to Python."""

RUNS_LATER = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Flags of code that does not run when it is called."""

INSTRUMENTED: set[types.CodeType] = set()
"""Code objects that call hooks: functions made by traced code are called as they are."""


def is_compiled(function: types.FunctionType) -> bool:
    """Whether a function is one that this package compiled."""
    return HANDLE in function.__code__.co_freevars


def original(function: types.FunctionType) -> types.FunctionType:
    """The function behind a compiled one.

    Raises
    ------
    Break
        When one of the two was changed since, so that they are not the same any more.
    """
    plain = getattr(function, "__wrapped__", None)
    if (
        not isinstance(plain, types.FunctionType)
        or plain.__code__.co_firstlineno != function.__code__.co_firstlineno
        or plain.__code__.co_name != function.__code__.co_name
        or not _has_its_defaults(function, plain)
    ):
        raise Break("call", "it was changed after its definition")
    return plain


def _has_its_defaults(function: types.FunctionType, plain: types.FunctionType) -> bool:
    """Whether a compiled function has the defaults of the one behind it, or will have them."""
    same = plain.__defaults__ is function.__defaults__
    if same and plain.__kwdefaults__ is function.__kwdefaults__:
        return True
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    known = getattr(cells[HANDLE].cell_contents, "defaults", None)
    return (
        known is not None
        and known.source is plain
        and known.positional is function.__defaults__
        and known.named is function.__kwdefaults__
    )


def is_instrumented(function: types.FunctionType) -> bool:
    """Whether a function was made by traced code, and calls hooks already."""
    code = function.__code__
    return code in INSTRUMENTED or HOOKS in code.co_freevars


_LIBRARIES = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))


def is_library(function: types.FunctionType) -> bool:
    """Whether a function belongs to an installed package, not to the user's own code."""
    return function.__code__.co_filename.startswith(_LIBRARIES) or is_definition(function)


def inline(
    hooks: Hooks,
    function: types.FunctionType,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    name: str = "",
) -> Any:
    """Run a Python function instrumented, so that what it does is recorded.

    Parameters
    ----------
    hooks : Hooks
        Of the caller.
    function : types.FunctionType
        The helper.
    args, kwargs
        Its arguments.
    name : str
        How the report calls it; by default its own name.

    Raises
    ------
    Break
        When the function, or something in it, cannot be traced.
    """
    name = name or function.__name__
    recorder = hooks.recorder
    if function.__code__.co_flags & RUNS_LATER:
        raise Break("call", f"`{name}` does not run when it is called")
    if len(recorder.scope) >= MAX_DEPTH:
        raise Break("limit", f"`{name}` recurses too deeply to be traced")
    recorder.demand_patience()
    if recorder.function_source(function) is None and not is_library(function):
        # Nobody has found it anywhere: its code and its defaults may change all the same.
        recorder.lift(hooks.root, ObjectSource(name, function, id(function)), function)
    try:
        code = _instrumented(function)
    except NotTraceable as reason:
        raise Break("call", f"`{name}` is not traced: {reason}") from None
    if code is None:
        _require_pure(hooks, function, name)
        traced = function
    else:
        traced = types.FunctionType(
            code,
            function.__globals__,
            function.__name__,
            _defaults(hooks, function),
            _closure(code, function, hooks),
        )
        traced.__kwdefaults__ = _keyword_defaults(hooks, function)
    recorder.scope.append(name)
    try:
        return traced(*args, **kwargs)
    except Break as stop:
        stop.helper = stop.helper or not is_library(function)
        if stop.kind != "explicit":
            # The outermost helper is the one that the cell names.
            inner = stop.reason.partition("`: ")[2] if stop.reason.startswith("in `") else ""
            stop.reason = f"in `{name}`: {inner or stop.reason}"
        raise
    except Exception as error:
        raise Break("error", f"`{name}` raises {type(error).__name__}: {error}") from error
    finally:
        recorder.scope.pop()


def _defaults(hooks: Hooks, function: types.FunctionType) -> tuple[Any, ...] | None:
    """Default values as inputs: lists and arrays among them may change."""
    defaults = function.__defaults__
    if not defaults:
        return defaults
    source = _source(hooks, function, "__defaults__", defaults)
    return tuple(
        hooks.recorder.lift(hooks.root, ItemSource(source, k), value)
        for k, value in enumerate(defaults)
    )


def _keyword_defaults(hooks: Hooks, function: types.FunctionType) -> dict[str, Any] | None:
    defaults = function.__kwdefaults__
    if not defaults:
        return defaults
    source = _source(hooks, function, "__kwdefaults__", defaults)
    return {
        name: hooks.recorder.lift(hooks.root, ItemSource(source, name), value)
        for name, value in defaults.items()
    }


def _source(hooks: Hooks, function: types.FunctionType, name: str, value: Any) -> Source:
    """Where a replay finds an attribute of a function, which may be made anew for each call."""
    found = hooks.recorder.function_source(function)
    if found is None:
        return ObjectSource(f"{function.__name__}.{name}", value, id(value))
    return AttributeSource(found, name)


def _closure(
    code: types.CodeType, function: types.FunctionType, hooks: Hooks
) -> tuple[types.CellType, ...]:
    own = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    own[HOOKS] = types.CellType(hooks.for_helper(function))
    return tuple(own[name] for name in code.co_freevars)


_forms: dict[tuple[types.CodeType, str], types.CodeType | None] = {}
"""The traced forms of functions, by their code and its file. It keeps no function: one that is
made anew for each call may close over large arrays."""


def _instrumented(function: types.FunctionType) -> types.CodeType | None:
    """The traced form of a function; None if nobody knows how it is written."""
    key = function.__code__, function.__code__.co_filename
    if key not in _forms:
        _forms[key] = _instrument(function)
    return _forms[key]


def _instrument(function: types.FunctionType) -> types.CodeType | None:
    code = function.__code__
    try:
        source = definition(function)
    except SourceUnavailable:
        return None
    node = reshaped(source.node) if is_numpy_function(function) else source.node
    instrumented = helper_code(
        node, code.co_filename, code.co_freevars, text=source.text, flags=code.co_flags
    )
    INSTRUMENTED.update(every_code(instrumented))
    return instrumented


_EFFECTS = frozenset(
    {"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR"}
    | {"IMPORT_NAME", "STORE_DEREF", "YIELD_VALUE"}
)


def _require_pure(hooks: Hooks, function: types.FunctionType, name: str) -> None:
    """Check that a function without source can run on traced values without effects.

    Its operations reach the hooks through the traced arrays themselves, so it
    may only use NumPy, harmless builtins and numbers.

    Raises
    ------
    Break
        When it uses anything else.
    """
    code = function.__code__
    for instruction in dis.get_instructions(code):
        if instruction.opname in _EFFECTS:
            raise Break("call", f"`{name}` has no source and changes something")
    nested = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    if nested or code.co_freevars:
        raise Break("call", f"`{name}` has no source and closes over variables")
    scope = {**vars(builtins), **function.__globals__}
    helper = hooks.for_helper(function)
    for used in dict.fromkeys(
        i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    ):
        if hooks.root.module is function.__globals__ and used in hooks.root.bound:
            raise Break("call", f"`{name}` has no source and uses `{used}`, which was just bound")
        if used not in scope:
            raise Break("error", f"`{name}` raises NameError: name {used!r} is not defined")
        value = scope[used]
        harmless = (
            value in _HARMLESS
            if isinstance(value, type | types.BuiltinFunctionType)
            else isinstance(value, types.ModuleType) and value.__name__.startswith("numpy")
        )
        if not harmless and operation(value) is None and not is_numpy_function(value):
            if type(value) not in (int, float, complex, bool, str, type(None)):
                raise Break("call", f"`{name}` has no source and uses `{used}`")
            hooks.concrete(helper.name(used, value), "its value is needed")
        helper.name(used, value)


_HARMLESS = frozenset(
    {range, len, abs, min, max, sum, zip, enumerate, float, int, tuple, list, isinstance, round}
)
