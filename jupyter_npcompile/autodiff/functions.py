"""Python functions in the form that is followed."""

from __future__ import annotations

import copy
import dis
import functools
import sys
import sysconfig
import types
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.autodiff import numpy_calls
from jupyter_npcompile.autodiff.builtin_calls import unseen
from jupyter_npcompile.autodiff.errors import CONCRETE
from jupyter_npcompile.autodiff.steps import name_of, perform
from jupyter_npcompile.cell import HOOKS, NotTraceable, SourceUnavailable, definition
from jupyter_npcompile.cell.whole import whole_code
from jupyter_npcompile.tracer import helpers

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks


_OWN = frozenset(
    {
        "jupyter_npcompile.autodiff.api",
        "jupyter_npcompile.autodiff.rules",
        "jupyter_npcompile.autodiff.differences",
        "jupyter_npcompile.tracer.definitions",
    }
)
"""Modules of this package that are followed like the user's."""

_FOLLOWED = frozenset({"contextlib", "functools"})
"""Modules of the standard library whose functions call the user's."""

_COMPUTING = frozenset(
    {"numpy", "scipy", "copy", "functools", "operator", "statistics", "fractions", "textwrap"}
    | {"contextlib", "dataclasses", "collections", "typing", "string", "abc", "enum", "types"}
)
"""Libraries whose Python functions only compute."""

READABLE = f"define it in a cell or file, where its text can be read; {CONCRETE}"
"""What to do about a function without source."""

_PACKAGE = str(Path(__file__).parents[1])
_STANDARD = sysconfig.get_path("stdlib")

_SITE = tuple({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})


def python(
    hooks: TapeHooks, func: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call a Python function: followed, in other words, or as it is."""
    if HOOKS in func.__code__.co_freevars:  # made by followed code, perhaps of another run
        return _for_run(hooks, func)(*args, **kwargs)
    if func.__code__.co_filename.startswith(_PACKAGE) and func.__module__ not in _OWN:
        return func(*args, **kwargs)
    if func is np.lib.stride_tricks.as_strided:
        return func(*args, **kwargs)  # what is active is found by its memory
    if func in (copy.copy, copy.deepcopy):
        return _copied(hooks, func, args)
    rule = numpy_calls.rule_of(func)
    if rule is not None:
        return numpy_calls.hooks_inline(hooks, rule, args, kwargs)
    if helpers.is_compiled(func):
        func = helpers.original(func)
    if is_library(func):
        if str(func.__module__).partition(".")[0] not in _COMPUTING:
            hooks.tape.effects.append(name_of(func))
        return hooks.host(func, args, kwargs, f"`{name_of(func)}` is not followed")
    if _changes_objects(func.__code__):
        hooks.tape.effects.append(f"`{name_of(func)}` sets attributes or global names")
    if str(func.__module__).partition(".")[0] == "numpy" and followed(hooks, func) is not None:
        return numpy_calls.hooks_inline(hooks, func, args, kwargs)
    return inline(hooks, func, args, kwargs)


@functools.cache
def _changes_objects(code: types.CodeType) -> bool:
    """Whether a function sets attributes, but for those of a new object, or global names."""
    changing = {"STORE_GLOBAL", "DELETE_GLOBAL", "DELETE_ATTR"}
    if code.co_name != "__init__":
        changing.add("STORE_ATTR")
    return any(step.opname in changing for step in dis.get_instructions(code))


def _copied(hooks: TapeHooks, func: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Copies of containers of arrays."""
    value = args[0]
    if isinstance(value, np.ndarray):
        return hooks.call(None, np.copy, value)
    if func is copy.deepcopy and type(value) in (list, tuple):
        return type(value)(_copied(hooks, func, (item,)) for item in value)
    if func is copy.deepcopy and type(value) is dict:
        return {key: _copied(hooks, func, (item,)) for key, item in value.items()}
    if isinstance(value, float | complex | np.generic | list | dict | tuple):
        return copy.copy(value) if func is copy.copy else value
    return hooks.host(func, args, {}, f"`copy.{func.__name__}` of an object is not followed")


def inline(
    hooks: TapeHooks, func: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Run a Python function in the form that is followed."""
    made = followed(hooks, func)
    if made is None:
        return _without_source(hooks, func, args, kwargs)
    tape = hooks.tape
    filename, position = tape.filename, tape.recorder.position
    outermost = bool(filename) and len(tape.functions) < 2  # the cell, or the function, calls it
    before = len(tape.recorder.nodes)
    tape.filename = func.__code__.co_filename
    tape.functions.append(func.__name__)
    try:
        return made(*args, **kwargs)
    finally:
        tape.functions.pop()
        tape.filename, tape.recorder.position = filename, position
        if outermost:
            tape.callers.add(tape.recorder.nodes[before:], position, func.__name__)


def _without_source(
    hooks: TapeHooks, func: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A function of which only the code is there: followed through its values, if it is pure."""
    if not hooks.tape.has_active((args, kwargs)):
        return unseen(hooks, func, args, kwargs)
    return perform(
        hooks,
        lambda inner, /, *given, **named: helpers.inline(inner, func, given, named),
        lambda: func(*args, **kwargs),
        args,
        what=f"`{name_of(func)}`",
        keywords=kwargs,
        hint=READABLE,
    )


def followed(hooks: TapeHooks, func: types.FunctionType) -> types.FunctionType | None:
    """The form of a function that is followed; None when its source cannot be had."""
    code = _code(func.__code__, func)
    if code is None:
        return None
    own = dict(zip(func.__code__.co_freevars, func.__closure__ or (), strict=True))
    own[HOOKS] = types.CellType(hooks)
    closure = tuple(own[name] for name in code.co_freevars)
    made = types.FunctionType(code, func.__globals__, func.__name__, func.__defaults__, closure)
    made.__kwdefaults__ = func.__kwdefaults__
    made.__dict__.update(func.__dict__)
    return made


def _for_run(hooks: TapeHooks, func: types.FunctionType) -> types.FunctionType:
    """The same function with the hooks of this run."""
    cells = dict(zip(func.__code__.co_freevars, func.__closure__ or (), strict=True))
    if cells[HOOKS].cell_contents is hooks:
        return func
    cells[HOOKS] = types.CellType(hooks)
    closure = tuple(cells[name] for name in func.__code__.co_freevars)
    made = types.FunctionType(
        func.__code__, func.__globals__, func.__name__, func.__defaults__, closure
    )
    made.__kwdefaults__ = func.__kwdefaults__
    return made


@functools.cache
def _code(code: types.CodeType, func: types.FunctionType) -> types.CodeType | None:
    try:
        source = definition(func)
        return whole_code(
            source.node, code.co_filename, code.co_freevars, text=source.text, flags=code.co_flags
        )
    except (SourceUnavailable, NotTraceable):
        return None


@functools.cache
def is_library(func: types.FunctionType) -> bool:
    """Whether a function belongs to a library that is not followed.

    Pure Python packages are; packages with code of another language, and
    Python's own library, work on values that nobody else sees.

    Examples
    --------
    >>> import textwrap
    >>> is_library(textwrap.dedent), is_library(lambda: 0)
    (True, False)
    """
    filename = func.__code__.co_filename
    # not `__module__`, which a wrapper takes over from what it wraps
    module = str(func.__globals__.get("__name__") or "").partition(".")[0]
    if module in ("numpy", "jupyter_npcompile"):
        return False
    for site in _SITE:
        if filename.startswith(site):
            return _is_compiled(module)
    return filename.startswith(_STANDARD) and module not in _FOLLOWED


@functools.cache
def _is_compiled(package: str) -> bool:
    """Whether a package holds code that is not Python."""
    origin = getattr(sys.modules.get(package), "__file__", None)
    if origin is None:
        return True
    folder = Path(origin)
    if folder.name != "__init__.py":
        return folder.suffix != ".py"
    return any(True for suffix in ("so", "pyd") for _ in folder.parent.rglob(f"*.{suffix}"))
