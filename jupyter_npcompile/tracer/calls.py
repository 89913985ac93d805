"""What a call in traced code does: compute, record, or break."""

from __future__ import annotations

import builtins
import functools
import math
import operator
import types
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from jupyter_npcompile.tracer import helpers, operators
from jupyter_npcompile.tracer.attributes import Bound, describe_opaque
from jupyter_npcompile.tracer.breaks import OWN_LINE, Break, graph_break
from jupyter_npcompile.tracer.draws import draw
from jupyter_npcompile.tracer.evaluation import PythonErrors, evaluate
from jupyter_npcompile.tracer.guards import TypeGuard
from jupyter_npcompile.tracer.nested import concrete_in, traced_in
from jupyter_npcompile.tracer.numpy_calls import metadata, method, numpy_call
from jupyter_npcompile.tracer.operations import operation
from jupyter_npcompile.tracer.sources import AttributeSource, ComputedSource, ObjectSource
from jupyter_npcompile.tracer.table import is_constant
from jupyter_npcompile.tracer.traced import (
    BoundMethod,
    DrawMethod,
    Interim,
    Opaque,
    Traced,
    is_traced,
)

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks

PURE_BUILTINS = frozenset(
    {range, enumerate, zip, reversed, list, tuple, dict, set, frozenset, map, filter, sum}
    | {any, all, sorted, len, iter, next, callable, issubclass, slice, str, repr, bytes, hash}
    | {ord, chr, bin, hex, oct}
)
"""Builtins without effects; traced values inside them go on recording, or break."""

_ARITHMETIC = (min, max, round, divmod, pow)

_KEYWORDS: dict[Any, tuple[str, ...]] = {
    round: ("number", "ndigits"),
    pow: ("base", "exp", "mod"),
}
"""Names of parameters, where it makes no difference how they are passed."""

_CAPTURED = {
    "int": "np.trunc gives the same number as a float, `.astype(int)` as an integer of NumPy's; "
    "both are captured",
    "round": "np.round gives the same number as a float, and is captured",
}
"""What to write instead of builtins that need the value."""


def call(hooks: Hooks, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call anything: NumPy, a builtin, a type, a helper function; or break."""
    if func is graph_break:
        raise Break("explicit", "graph_break() asks for a break here", "remove the call")
    if isinstance(func, BoundMethod):
        if func.name == "item" and not args and not kwargs and _is_numpy(func.owner):
            return _convert(hooks, type(func.owner.value.dtype.type(0).item()), func.owner)
        return method(hooks, func, args, kwargs)
    if isinstance(func, DrawMethod):
        return draw(hooks, func.owner.source, func.owner.value, func.name, args, kwargs)
    if is_traced(func) or isinstance(func, Opaque):
        raise Break("call", f"a {type(func.value).__name__} is called", OWN_LINE)
    if isinstance(func, Bound):
        return call(hooks, func.func, (*func.args, *args), kwargs)
    if isinstance(func, functools.partial):
        return _partial(hooks, func, args, kwargs)
    if isinstance(func, types.FunctionType) and helpers.is_instrumented(func):
        return func(*args, **kwargs)
    if isinstance(func, type):
        return _construct(hooks, func, args, kwargs)
    op = operation(func)
    if op is not None:
        return numpy_call(hooks, func, args, kwargs)
    if isinstance(func, types.MethodType) and isinstance(func.__func__, types.FunctionType):
        source = ObjectSource("self", func.__self__, id(func.__self__))
        owner = hooks.recorder.lift(hooks.root, source, func.__self__)
        return call(hooks, func.__func__, (owner, *args), kwargs)
    if isinstance(func, types.FunctionType):
        if not helpers.is_compiled(func):
            return helpers.inline(hooks, func, args, kwargs)
        try:
            return helpers.inline(hooks, helpers.original(func), args, kwargs)
        except Break as stop:
            raise Break(
                "inner", f"`{func.__name__}` runs its own segments: {stop.reason}"
            ) from None
    return _builtin(hooks, func, args, kwargs)


def _partial(
    hooks: Hooks, func: functools.partial[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A function with arguments that it has already, which may change."""
    source = ObjectSource("partial", func, id(func))
    first, named = (
        hooks.recorder.lift(hooks.root, AttributeSource(source, name), getattr(func, name))
        for name in ("args", "keywords")
    )
    for part in (first, named):
        if isinstance(part, Opaque):  # too many to look at
            raise Break("input", describe_opaque((part,)))
    return call(hooks, func.func, (*first, *args), {**named, **kwargs})


def _construct(hooks: Hooks, func: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if func is type and len(args) == 1:
        return type(_look(args[0]))
    _refuse_opaque((*args, *kwargs.values()))
    if func in (float, int, complex, bool) and len(args) == 1 and is_traced(args[0]):
        return _convert(hooks, func, args[0])
    if issubclass(func, np.generic):
        if args and is_traced(args[0]):
            result = evaluate(hooks, func, args, kwargs)
            return hooks.recorder.record(hooks.root, "ndarray.astype", (args[0], func), {}, result)
        with PythonErrors():
            return func(*concrete_in(args), **concrete_in(kwargs))
    if func in PURE_BUILTINS:
        args, kwargs = _positional(hooks, func, args, kwargs)
        with PythonErrors():
            return func(*args, **kwargs)
    if func in (float, int, complex, bool, np.dtype) or issubclass(func, np.finfo | np.iinfo):
        with PythonErrors():
            return func(*(hooks.concrete(a, "Python needs the value") for a in args), **kwargs)
    if issubclass(func, Exception) and not traced_in((args, kwargs)):
        with PythonErrors():
            return func(*args, **kwargs)
    if func is np.ndindex:
        with PythonErrors():
            return np.ndindex(*(hooks.concrete(arg, "a loop needs the value") for arg in args))
    if is_constant(operation(func)):
        return metadata(hooks, func, args, kwargs)
    raise Break("call", f"`{_name(func)}` makes an object that is not traced", OWN_LINE)


def _convert(hooks: Hooks, kind: type, value: Traced) -> Any:
    """``float(x)`` and its like, and ``x.item()``."""
    if value.source is not None and not isinstance(value.value, np.ndarray | np.generic):
        with PythonErrors():
            result = kind(value.value)
        source = ComputedSource(kind.__name__, (value.source,))
        if operators.may_raise(kind.__name__, (value,)):
            hooks.recorder.guards.append(TypeGuard(source, kind))
        return Traced(hooks.root, result, None, source)
    if kind is bool:
        return hooks.truth(None, value)
    if kind is int and np.asarray(value.value).dtype.kind == "f":
        raise Break("value", "int() needs the value", _CAPTURED["int"])
    result = evaluate(hooks, kind, (value,), {})
    return hooks.recorder.record(hooks.root, f"python.{kind.__name__}", (value,), {}, result)


def _builtin(hooks: Hooks, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if func is isinstance:
        with PythonErrors():
            return isinstance(_look(args[0]), args[1])
    if func is getattr and len(args) >= 2:
        return hooks.attribute(None, args[0], args[1])
    _refuse_opaque((*args, *kwargs.values()))
    args, kwargs = _positional(hooks, func, args, kwargs)
    if func is abs and len(args) == 1 and is_traced(args[0]):
        if isinstance(args[0].value, np.ndarray | np.generic):
            return numpy_call(hooks, np.absolute, args, {})
        return _arithmetic(hooks, "abs", args)
    if func in _ARITHMETIC and not kwargs and traced_in(args):
        if func is divmod and isinstance(concrete_in(args[0]), np.ndarray):
            return numpy_call(hooks, np.divmod, args, {})
        return _arithmetic(hooks, func.__name__, args)
    if func in (operator.index, normalize_axis_index):
        with PythonErrors(always=True):
            return func(*(hooks.concrete(a, "an index needs the value") for a in args), **kwargs)
    if func in PURE_BUILTINS or func in _ARITHMETIC or func is abs:
        with PythonErrors(always=not traced_in((args, kwargs))):
            return func(*args, **kwargs)
    if getattr(func, "__module__", None) == "math" and callable(getattr(math, func.__name__, None)):
        with PythonErrors():
            return func(*(hooks.concrete(a, f"`{_name(func)}` needs the value") for a in args))
    owner = getattr(func, "__self__", None)
    plain = isinstance(owner, str | bytes | tuple | range | dict | list | int | float | complex)
    if plain and not isinstance(owner, bool):
        with PythonErrors():  # hooks.attribute has refused methods that change their owner
            return func(*args, **kwargs)
    what = "cannot" if _name(func).startswith("numpy.") else "is not NumPy and cannot"
    raise Break("call", f"`{_name(func)}` {what} be traced", OWN_LINE)


def _positional(
    hooks: Hooks, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a builtin; the functions among them are called through the hooks."""
    names = _KEYWORDS.get(func, ())
    while len(args) < len(names) and names[len(args)] in kwargs:
        args = (*args, kwargs[names[len(args)]])
        kwargs = {name: value for name, value in kwargs.items() if name != names[len(args) - 1]}
    if func in (map, filter) or (func is iter and len(args) == 2):
        args = (_followed(hooks, args[0]), *args[1:]) if args else args
    if "key" in kwargs:
        kwargs = {**kwargs, "key": _followed(hooks, kwargs["key"])}
    return args, kwargs


def _followed(hooks: Hooks, func: Any) -> Any:
    """A function that a builtin calls: it may have effects, as any other that is called."""
    unchanging = getattr(func, "__objclass__", None) in (str, bytes, int, float, complex, tuple)
    if not callable(func) or unchanging or type(func).__module__ == "operator":
        return func
    return functools.partial(hooks.call, None, func)


def _look(value: Any) -> Any:
    """A value whose type alone matters."""
    if isinstance(value, Interim):
        raise Break("value", "the type of a method or an iterator of an array is asked", OWN_LINE)
    return value.value if isinstance(value, Opaque) else concrete_in(value)


def _refuse_opaque(values: Any) -> None:
    if isinstance(values, Opaque):
        raise Break("input", describe_opaque((values,)))
    if isinstance(values, dict):
        _refuse_opaque(tuple(values.values()))
    elif isinstance(values, tuple | list):
        for value in values:
            _refuse_opaque(value)


def _arithmetic(hooks: Hooks, name: str, args: tuple[Any, ...]) -> Any:
    """A builtin on Python numbers, computed again on every replay."""
    for arg in args:
        if is_traced(arg) and (
            arg.source is None or isinstance(arg.value, np.ndarray | np.generic)
        ):
            raise Break("value", f"{name}() needs the value", _CAPTURED.get(name, OWN_LINE))
        if not is_traced(arg) and type(arg) not in (int, float, complex, bool):
            raise Break("value", f"{name}() needs the values", OWN_LINE)
    with PythonErrors():
        result = getattr(builtins, name)(*concrete_in(args))
    known = tuple(arg.source if is_traced(arg) else arg for arg in args)
    if name == "divmod":  # a graph has no tuples: its two numbers come by themselves
        if operators.may_raise("FloorDiv", args):
            guard = TypeGuard(ComputedSource("FloorDiv", known), type(result[0]))
            hooks.recorder.guards.append(guard)
        return tuple(
            Traced(hooks.root, number, None, ComputedSource(operation, known))
            for operation, number in zip(("FloorDiv", "Mod"), result, strict=True)
        )
    source = ComputedSource(name, known)
    if operators.may_raise(name, args):
        hooks.recorder.guards.append(TypeGuard(source, type(result)))
    return Traced(hooks.root, result, None, source)


def _is_numpy(traced: Traced) -> bool:
    return isinstance(traced.value, np.ndarray | np.generic)


def _name(func: Any) -> str:
    name = getattr(func, "__qualname__", None) or type(func).__name__
    module = getattr(func, "__module__", None)
    if module in (None, "builtins", "__main__"):
        return str(name)
    return f"{module}.{name}"
