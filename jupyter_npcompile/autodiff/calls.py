"""What a call in followed code does: NumPy, a helper, a builtin, or a host step."""

from __future__ import annotations

import abc
import functools
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.autodiff import numpy_calls, texts, vjps
from jupyter_npcompile.autodiff.builtin_calls import (
    COLLECTIONS,
    CONTAINERS,
    HARMLESS,
    ITERATING,
    builtin,
    elements,
    entries,
    iterated,
)
from jupyter_npcompile.autodiff.functions import is_library, python
from jupyter_npcompile.autodiff.python_numbers import joined
from jupyter_npcompile.autodiff.special_methods import user_method
from jupyter_npcompile.autodiff.steps import name_of, without_cuts
from jupyter_npcompile.autodiff.taints import is_opaque
from jupyter_npcompile.runtime.functions import CompiledCallable

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks


_HEAP = 1 << 9
_IMMUTABLE = 1 << 8
"""Classes that are not written in Python."""


def call(hooks: TapeHooks, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call anything."""
    while isinstance(func, functools.partial | CompiledCallable):
        if isinstance(func, CompiledCallable):  # whose values are plain arrays
            func = func.__wrapped__
        else:
            args, kwargs, func = (*func.args, *args), {**func.keywords, **kwargs}, func.func
    own = None if isinstance(func, type) else getattr(func, "__npcompile_on_tape__", None)
    if own is not None:
        hooks.tape.demand_recording()
        return own(hooks, args, kwargs)
    vjp = vjps.registered(func)
    tape = hooks.tape
    if tape.tainted(func) is not None and _own_call(type(func)) is None:
        return hooks.host(func, args, kwargs, f"`{name_of(func)}` is not followed")
    if vjp is not None and tape.has_active((args, kwargs)):
        return vjps.call(hooks, func, vjp, args, kwargs)
    kind = type(func)
    if kind is types.FunctionType:
        return python(hooks, func, args, kwargs)
    if kind is types.MethodType and not _is_cython(func):
        return call(hooks, func.__func__, (func.__self__, *args), kwargs)
    if kind is functools._lru_cache_wrapper and tape.has_active((args, kwargs)):
        return call(hooks, func.__wrapped__, args, kwargs)
    if isinstance(func, type):
        return _construct(hooks, func, args, kwargs)
    if numpy_calls.is_numpy(func):
        return numpy_calls.call(hooks, func, args, kwargs)
    if isinstance(func, np.vectorize):
        return numpy_calls.vectorized(hooks, func, args, kwargs)
    if kind.__flags__ & _HEAP and (own_call := _own_call(kind)) is not None:
        return call(hooks, own_call, (func, *args), kwargs)
    return builtin(hooks, func, args, kwargs)


def _is_cython(method: types.MethodType) -> bool:
    """Whether a method is no Python: those of NumPy's generators."""
    return type(method.__func__).__name__ == "cython_function_or_method"


def _own_call(kind: type) -> types.FunctionType | None:
    """The ``__call__`` that a class written in Python gives its instances."""
    for base in kind.__mro__:
        found = base.__dict__.get("__call__")
        if found is not None:
            return found if isinstance(found, types.FunctionType) else None
    return None


def _construct(hooks: TapeHooks, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    tape = hooks.tape
    init = _init_of(kind)
    if kind in (float, complex, int, bool) and len(args) == 1 and not kwargs:
        return _convert(hooks, kind, args[0])
    if kind is complex and len(args) == 2 and tape.has_active(args):
        return joined(hooks, *args)
    if issubclass(kind, np.integer) and len(args) == 1 and tape.node_of(args[0]) is not None:
        return tape.cut(f"`np.{kind.__name__}()`", kind(args[0]))
    simple = type(kind) in (type, abc.ABCMeta) and getattr(kind, "__new__", None) is object.__new__
    if simple and kind.__module__.startswith("numpy.polynomial"):
        return _made(hooks, kind, args, kwargs)
    if issubclass(kind, np.generic) or kind.__module__.partition(".")[0] == "numpy":
        return numpy_calls.call(hooks, kind, args, kwargs)
    if kind in ITERATING:
        return iterated(hooks, kind, args, kwargs)
    if kind is str and len(args) == 1:
        return texts.written(hooks, kind, args, kwargs)
    if kind in texts.KINDS and tape.touches(args):
        return hooks.host(kind, args, kwargs, f"`{kind.__name__}` makes text of numbers")
    if kind.__module__ in COLLECTIONS:
        return _container(hooks, kind, args, kwargs)
    if kind in HARMLESS:
        return kind(*without_cuts(args), **kwargs)
    own_call = None if kind is type else user_method(kind, "__call__")
    if own_call is not None:
        return call(hooks, own_call, (kind, *args), kwargs)
    if isinstance(kind.__new__, types.FunctionType) and not is_library(kind.__new__):
        made = call(hooks, kind.__new__, (kind, *args), kwargs)
        if isinstance(made, kind) and isinstance(init, types.FunctionType):
            call(hooks, init, (made, *args), kwargs)
        return made
    if issubclass(kind, CONTAINERS):
        return _container(hooks, kind, args, kwargs)
    if simple and isinstance(init, types.FunctionType) and not is_library(init):
        return _made(hooks, kind, args, kwargs)
    if (
        kind.__flags__ & _HEAP
        and not kind.__flags__ & _IMMUTABLE
        and not any(is_library(f) for f in vars(kind).values() if isinstance(f, types.FunctionType))
        and not is_opaque(kind)
    ):
        return kind(*args, **kwargs)  # it keeps what it is given
    if tape.touches((args, kwargs)):
        return hooks.host(kind, args, kwargs, f"`{name_of(kind)}` is not followed")
    return kind(*args, **kwargs)


def _container(hooks: TapeHooks, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Something that holds what it is given, or the elements of that."""
    taken = entries if issubclass(kind, dict) else elements
    return kind(*(taken(hooks, arg) for arg in without_cuts(args)), **kwargs)


def _init_of(kind: Any) -> Any:
    return kind.__init__


def _made(hooks: TapeHooks, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An object whose class is followed."""
    made: Any = object.__new__(kind)
    hooks.tape.inside[id(made)] = made
    call(hooks, _init_of(kind), (made, *args), kwargs)
    return made


def _convert(hooks: TapeHooks, kind: type, value: Any) -> Any:
    """``float(x)`` and its like."""
    tape = hooks.tape
    if tape.node_of(value) is None:
        own = user_method(value, f"__{kind.__name__}__")
        if own is not None:
            return call(hooks, own, (value,), {})
        step = tape.tainted_in((value,))
        return kind(value) if step is None else tape.taint(kind(value), step)
    if kind is int:
        return tape.cut("`int()`", int(value))
    if kind is bool:
        tape.note("the truth of a value has the derivative zero")
        return bool(value)
    result = kind(value)
    if result is value:
        return value
    return hooks.record(f"python.{kind.__name__}", (value,), result)
