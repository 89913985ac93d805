"""What a call, an index or an attribute of the traced code does: compute, record, or break."""

from __future__ import annotations

import builtins
import contextlib
import functools
import inspect
import math
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.tracer import helpers
from jupyter_npcompile.tracer.breaks import Break, graph_break
from jupyter_npcompile.tracer.interpret import function as numpy_function
from jupyter_npcompile.tracer.operations import (
    METADATA,
    WRITERS,
    is_numpy_function,
    operation,
)
from jupyter_npcompile.tracer.recorder import concrete_in, traced_in
from jupyter_npcompile.tracer.sources import (
    AttributeSource,
    ComputedSource,
    GlobalSource,
    ObjectSource,
)
from jupyter_npcompile.tracer.table import lowering_of
from jupyter_npcompile.tracer.traced import BoundMethod, Opaque, Traced, is_traced

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks

INSTRUMENTED = helpers.INSTRUMENTED

OWN_LINE = "call it on a line of its own, before or after the array code"
RANDOM = "random numbers come from NumPy's own generator"
DRAW = "draw before the array code, on a line of its own"
UFUNC_NAMES = frozenset(name for name in dir(np) if isinstance(getattr(np, name), np.ufunc))

MASK = "np.where(mask, x, 0) keeps the shape and is captured"

UNINITIALISED: dict[Any, Callable[..., Any]] = {np.empty: np.zeros, np.empty_like: np.zeros_like}
"""What stands in for memory that nobody has written: it must not differ by chance."""

PURE_BUILTINS = frozenset(
    {range, enumerate, zip, reversed, list, tuple, dict, set, frozenset, map, filter, sum}
    | {any, all, sorted, len, iter, next, callable, issubclass, slice, str, repr, bytes, hash}
    | {ord, chr, bin, hex, oct, object}
)
"""Builtins without effects; traced values inside them go on recording, or break."""

OPERANDS: dict[str, frozenset[int]] = {
    "numpy.where": frozenset({0, 1, 2}),
    "numpy.clip": frozenset({1, 2}),
    "ndarray.clip": frozenset({1, 2}),
    "numpy.full": frozenset({1}),
    "numpy.full_like": frozenset({1}),
    "ndarray.fill": frozenset({1}),
    "numpy.copyto": frozenset({1}),
    "numpy.dot": frozenset({0, 1}),
    "numpy.take": frozenset({1}),
    "ndarray.take": frozenset({1}),
    "numpy.array": frozenset({0}),
    "numpy.asarray": frozenset({0}),
}
"""Positions at which a number is an operand. Elsewhere (axis, shape, order, ...)
it decides what the graph is, so the recording depends on its value."""


SHAPED = frozenset({"numpy.zeros", "numpy.ones", "numpy.empty", "numpy.full"})
"""Functions whose first argument is a shape."""


@contextlib.contextmanager
def python_errors() -> Iterator[None]:
    """Turn an exception of the traced code into a break: Python itself must raise it."""
    try:
        yield
    except Exception as error:
        raise Break("error", f"raises {type(error).__name__}: {error}") from error


@contextlib.contextmanager
def _warnings_shown() -> Iterator[list[str]]:
    """Collect the warnings that would be shown.

    ``warnings.catch_warnings`` would make Python forget which warnings it has
    shown already, so that those in the user's loops would be shown again.
    """
    found: list[str] = []
    shown = warnings.showwarning
    globals().pop("__warningregistry__", None)
    warnings.showwarning = lambda message, *_args, **_kwargs: found.append(str(message))
    try:
        yield found
    finally:
        warnings.showwarning = shown


def evaluate(hooks: Hooks, callee: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Run NumPy on the concrete values; an error or a warning is a break.

    Parameters
    ----------
    hooks : Hooks
        Whose recorder counts the time.
    callee : callable
        NumPy's own.
    args, kwargs
        With traced values in them.
    """
    happened: list[str] = []
    modes: Any = {kind: mode if mode == "ignore" else "call" for kind, mode in np.geterr().items()}
    with (
        python_errors(),
        _warnings_shown() as caught,
        np.errstate(call=lambda kind, _flag: happened.append(kind), **modes),
    ):
        values, options = concrete_in(args), concrete_in(kwargs)
        began = perf_counter()
        result = UNINITIALISED.get(callee, callee)(*values, **options)
        hooks.recorder.seconds += perf_counter() - began
    if caught:
        raise Break("error", f"NumPy warns: {caught[0]}")
    if happened:
        raise Break("error", f"NumPy warns: {happened[0]}", "np.errstate(...='ignore') silences it")
    return result


# -- NumPy


def numpy_call(hooks: Hooks, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a NumPy function or ufunc and record it, or say why not."""
    op = operation(callee)
    assert op is not None
    if op in METADATA:
        return _metadata(hooks, callee, args, kwargs)
    if op.startswith("numpy.random."):
        raise Break("host", f"`{_short(op)}`: {RANDOM}", DRAW)
    row = lowering_of(op)
    if row is None:
        python = getattr(callee, "_implementation", callee)
        if isinstance(python, types.FunctionType):
            return helpers.inline(hooks, python, args, kwargs, name=op.removeprefix("numpy."))
        raise Break("host", f"`{_short(op)}` has no lowering", OWN_LINE)
    if row.status != "lowered":
        raise Break("host", f"`{_short(op)}`: {row.reason}", OWN_LINE)
    return perform(hooks, op, callee, args, kwargs)


def perform(
    hooks: Hooks, op: str, callee: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Compute an operation that has a lowering, and record it."""
    if isinstance(callee, np.ufunc) and len(args) > callee.nin:
        outs = args[callee.nin :]
        args, kwargs = args[: callee.nin], {**kwargs, "out": outs[0] if len(outs) == 1 else outs}
    elif len(args) > (place := _place_of_out(op)):
        args, kwargs = args[:place], {**kwargs, "out": args[place]}
    if type(kwargs.get("out")) is tuple and len(kwargs["out"]) == 1:
        kwargs = {**kwargs, "out": kwargs["out"][0]}
    is_ufunc = op.removeprefix("numpy.") in UFUNC_NAMES
    args = tuple(
        arg if is_ufunc or k in OPERANDS.get(op, ()) else _structural(hooks, arg)
        for k, arg in enumerate(args)
    )
    kwargs = {
        key: arg if key in ("out", "where", "initial", "fill_value") else _structural(hooks, arg)
        for key, arg in kwargs.items()
    }
    shapes = [kwargs.get("shape"), *(args[:1] if op in SHAPED else ())]
    if any(True for _ in traced_in(shapes)):
        raise Break("value", "the shape depends on values that the graph computes", OWN_LINE)
    writes = _targets(op, args, kwargs)
    for target in writes:
        hooks.recorder.open_for_writing(target)
        hooks.recorder.mutations += 1
    result = evaluate(hooks, callee, args, kwargs)
    return hooks.recorder.record(hooks.root, op, args, kwargs, result, writes)


@functools.cache
def _place_of_out(op: str) -> int:
    """Where a function takes its output array by position, if it does."""
    name = op.replace("ndarray.", "numpy.", 1)
    try:
        parameters = list(inspect.signature(numpy_function(name)).parameters)
    except (KeyError, TypeError, ValueError):
        return sys.maxsize
    return parameters.index("out") if "out" in parameters else sys.maxsize


def _targets(op: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Traced, ...]:
    found: list[Any] = []
    if op in WRITERS or op.endswith(".at"):
        found.append(args[WRITERS.get(op, 0)])
    if (out := kwargs.get("out")) is not None:
        found.extend(out if isinstance(out, tuple) else (out,))
    return tuple(target for target in found if target is not None)


def _structural(hooks: Hooks, arg: Any) -> Any:
    """Replace numbers from outside by their guarded values, at any depth."""
    if is_traced(arg):
        plain = not isinstance(arg.value, np.ndarray | np.inexact)
        if plain and (arg.source is not None or isinstance(arg.value, int | np.integer)):
            return hooks.concrete(arg, "the call needs the value, which the graph computes")
        return arg
    if type(arg) in (tuple, list):
        return type(arg)(_structural(hooks, item) for item in arg)
    if isinstance(arg, slice):
        return slice(*(_structural(hooks, part) for part in (arg.start, arg.stop, arg.step)))
    return arg


def _metadata(hooks: Hooks, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of types and shapes: its value is part of the signature."""

    def plain(value: Any) -> Any:
        if is_traced(value):
            if isinstance(value.value, np.ndarray | np.generic):
                return value.value
            return hooks.concrete(value, "the call needs the value")
        if type(value) in (tuple, list):
            return type(value)(plain(item) for item in value)
        return concrete_in(value)

    with python_errors():
        return callee(*map(plain, args), **{key: plain(value) for key, value in kwargs.items()})


def array_attribute(hooks: Hooks, obj: Traced, name: str) -> Any:
    """``x.T``, ``x.real`` and their like."""
    op = f"ndarray.{name}"
    row = lowering_of(op)
    if row is None or row.status != "lowered":
        raise Break("host", f"`.{name}` has no lowering", OWN_LINE)
    return perform(hooks, op, numpy_function(op), (obj,), {})


def _method(hooks: Hooks, bound: BoundMethod, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    obj, name = bound.owner, bound.name
    if not isinstance(obj.value, np.ndarray | np.generic):
        with python_errors():
            number = hooks.concrete(obj, f"`.{name}()` needs the value")
            return getattr(number, name)(*concrete_in(args), **concrete_in(kwargs))
    if name == "item" and not args and not kwargs:
        return _convert(hooks, type(obj.value.dtype.type(0).item()), obj)
    if name in ("item", "tolist", "tobytes", "tofile", "dump", "dumps"):
        raise Break("value", f"`.{name}()` needs the values", OWN_LINE)
    op = f"ndarray.{name}"
    row = lowering_of(op)
    if row is None:
        raise Break("host", f"`.{name}()` has no lowering", OWN_LINE)
    if row.status != "lowered":
        raise Break("host", f"`.{name}()`: {row.reason}", OWN_LINE)
    callee = numpy_function(op)
    return perform(hooks, op, callee, (obj, *args), kwargs)


# -- indexing


def getitem(hooks: Hooks, obj: Traced, index: Any) -> Any:
    """``x[index]``; a mask gives a shape that depends on the data."""
    for traced in traced_in(index):
        if isinstance(traced.value, np.ndarray | np.bool_) and traced.value.dtype == bool:
            raise Break("host", "a boolean mask selects: the shape depends on the data", MASK)
    kept = _index(hooks, index)
    result = evaluate(hooks, lambda x, i: x[i], (obj, kept), {})
    if isinstance(result, np.ndarray) and any(
        traced.source is None for traced in traced_in(kept) if not is_array(traced)
    ):
        raise Break("value", "which view is taken depends on a value that the graph computes")
    return hooks.recorder.record(hooks.root, "getitem", (obj, kept), {}, result)


def setitem(hooks: Hooks, obj: Traced, index: Any, value: Any) -> None:
    """``x[index] = value``."""
    if not isinstance(obj.value, np.ndarray):
        raise Break("error", "NumPy raises TypeError: a scalar does not support item assignment")
    kept = _index(hooks, index)
    hooks.recorder.open_for_writing(obj)
    hooks.recorder.mutations += 1

    def assign(x: Any, i: Any, v: Any) -> None:
        x[i] = v

    evaluate(hooks, assign, (obj, kept, value), {})
    hooks.recorder.record(hooks.root, "setitem", (obj, kept, value), {}, None, (obj,))


def _index(hooks: Hooks, index: Any) -> Any:
    """An index in which slices are fixed; integers may change from call to call."""
    if type(index) is tuple:
        return tuple(_index(hooks, part) for part in index)
    return _fixed(hooks, index) if isinstance(index, slice | list) else index


def _fixed(hooks: Hooks, index: Any) -> Any:
    if isinstance(index, slice):
        parts = (index.start, index.stop, index.step)
        return slice(*(hooks.concrete(p, "a slice needs the value") for p in parts))
    if type(index) is list:
        return [_fixed(hooks, part) for part in index]
    return hooks.concrete(index, "an index needs the value")


def is_array(traced: Traced) -> bool:
    """Whether a traced value is an ndarray."""
    return isinstance(traced.value, np.ndarray)


# -- everything else that is called


def call(hooks: Hooks, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call anything: NumPy, a builtin, a type, a helper function; or break."""
    if func is graph_break:
        raise Break("explicit", "graph_break() asks for a break here", "remove the call")
    if isinstance(func, BoundMethod):
        return _method(hooks, func, args, kwargs)
    if is_traced(func) or isinstance(func, Opaque):
        raise Break("call", f"a {type(func.value).__name__} is called", OWN_LINE)
    if isinstance(func, functools.partial):
        return call(hooks, func.func, (*func.args, *args), {**func.keywords, **kwargs})
    if isinstance(func, types.FunctionType) and func.__code__ in INSTRUMENTED:
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
            return helpers.inline(hooks, func.__wrapped__, args, kwargs)  # type: ignore[attr-defined]
        except Break as stop:
            raise Break(
                "inner", f"`{func.__name__}` runs its own segments: {stop.reason}"
            ) from None
    return _builtin(hooks, func, args, kwargs)


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
        with python_errors():
            return func(*concrete_in(args), **concrete_in(kwargs))
    if func in PURE_BUILTINS:
        with python_errors():
            return func(*args, **kwargs)
    if func in (float, int, complex, bool, np.dtype) or issubclass(func, np.finfo | np.iinfo):
        with python_errors():
            return func(*(hooks.concrete(a, "Python needs the value") for a in args), **kwargs)
    op = operation(func)
    if op is not None and op in METADATA:
        return _metadata(hooks, func, args, kwargs)
    raise Break("call", f"`{_name(func)}` makes an object that is not traced", OWN_LINE)


def _convert(hooks: Hooks, kind: type, value: Traced) -> Any:
    """``float(x)`` and its like, and ``x.item()``."""
    if value.source is not None and not isinstance(value.value, np.ndarray | np.generic):
        with python_errors():
            result = kind(value.value)
        return Traced(hooks.root, result, None, ComputedSource(kind.__name__, (value.source,)))
    if kind is bool:
        return hooks.truth(None, value)
    if kind is int and np.asarray(value.value).dtype.kind == "f":
        raise Break("value", "int() needs the value", OWN_LINE)
    result = evaluate(hooks, kind, (value,), {})
    return hooks.recorder.record(hooks.root, f"python.{kind.__name__}", (value,), {}, result)


def _builtin(hooks: Hooks, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if func is isinstance:
        with python_errors():
            return isinstance(_look(args[0]), args[1])
    if func is getattr and len(args) >= 2:
        return hooks.attribute(None, args[0], args[1])
    _refuse_opaque((*args, *kwargs.values()))
    if func is abs and len(args) == 1 and is_traced(args[0]):
        if isinstance(args[0].value, np.ndarray | np.generic):
            return numpy_call(hooks, np.absolute, args, {})
        return _arithmetic(hooks, "abs", args)
    if func in (min, max, round, divmod, pow) and any(True for _ in traced_in(args)):
        if func is divmod and isinstance(concrete_in(args[0]), np.ndarray):
            return numpy_call(hooks, np.divmod, args, {})
        return _arithmetic(hooks, func.__name__, args)
    if func in PURE_BUILTINS or func in (min, max, round, divmod, pow, abs):
        with python_errors():
            return func(*args, **kwargs)
    if getattr(func, "__module__", None) == "math" and callable(getattr(math, func.__name__, None)):
        with python_errors():
            return func(*(hooks.concrete(a, f"`{_name(func)}` needs the value") for a in args))
    owner = getattr(func, "__self__", None)
    plain = isinstance(owner, str | bytes | tuple | range | dict | list | int | float | complex)
    if plain and not isinstance(owner, bool):
        with python_errors():  # hooks.attribute has refused methods that change their owner
            return func(*args, **kwargs)
    raise Break("call", f"`{_name(func)}` is not NumPy and cannot be traced", OWN_LINE)


def _look(value: Any) -> Any:
    """A value whose type alone matters."""
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
            raise Break("value", f"{name}() needs the value", OWN_LINE)
        if not is_traced(arg) and type(arg) not in (int, float, complex, bool):
            raise Break("value", f"{name}() needs the values", OWN_LINE)
    with python_errors():
        result = getattr(builtins, name)(*concrete_in(args))
    parts = tuple(arg.source if is_traced(arg) else arg for arg in args)
    return Traced(hooks.root, result, None, ComputedSource(name, parts))


# -- attributes of what is not an array


def module_attribute(hooks: Hooks, module: types.ModuleType, name: str) -> Any:
    """``np.sin``, ``math.pi``, ``mymodule.K``: guarded like a global."""
    if name not in vars(module):
        with python_errors():
            getattr(module, name)
        raise Break("call", f"`{module.__name__}.{name}` is made on access")
    source = GlobalSource(name, vars(module), id(vars(module)))
    value = vars(module)[name]
    if type(value) in (int, float, complex) and is_numpy_module(module):
        return value
    return hooks.recorder.lift(hooks.root, source, value)


def is_numpy_module(module: types.ModuleType) -> bool:
    """Whether constants such as ``np.pi`` may be trusted to stay."""
    return module.__name__.partition(".")[0] in ("numpy", "math")


def opaque_attribute(hooks: Hooks, obj: Opaque, name: str) -> Any:
    """A plain instance attribute of an object from outside."""
    if isinstance(obj.value, np.random.Generator | np.random.RandomState):
        raise Break("host", f"`np.random`: {RANDOM}", DRAW)
    attributes = getattr(obj.value, "__dict__", None)
    method = inspect.getattr_static(type(obj.value), name, None)
    overridden = isinstance(attributes, dict) and name in attributes
    if isinstance(method, types.FunctionType) and not overridden:
        source = AttributeSource(AttributeSource(obj.source, name), "__func__")
        return functools.partial(hooks.recorder.lift(hooks.root, source, method), obj)
    if not isinstance(attributes, dict) or name not in attributes or isinstance(obj.value, type):
        raise Break("call", f"`{obj.source}.{name}` is not a plain attribute", OWN_LINE)
    return hooks.recorder.lift(hooks.root, AttributeSource(obj.source, name), attributes[name])


def is_plain_type(kind: type) -> bool:
    """Whether the attributes of a type are constants: a builtin's or NumPy's."""
    return kind.__module__.partition(".")[0] in ("builtins", "numpy")


def class_attribute(hooks: Hooks, owner: type, name: str) -> Any:
    """An attribute of a user's class: guarded like a global."""
    with python_errors():
        value = getattr(owner, name)
    source = AttributeSource(ObjectSource(owner.__name__, owner, id(owner)), name)
    return hooks.recorder.lift(hooks.root, source, value)


def describe_opaque(values: tuple[Any, ...]) -> str:
    """Why the first opaque value among some cannot be traced."""
    for value in values:
        if isinstance(value, Opaque):
            try:
                concrete_in(value)
            except Break as reason:
                return reason.reason
    return "a value that is not traced"


def _short(op: str) -> str:
    return op.replace("numpy.", "np.", 1)


def _name(func: Any) -> str:
    name = getattr(func, "__qualname__", None) or type(func).__name__
    module = getattr(func, "__module__", None)
    if module in (None, "builtins", "__main__"):
        return str(name)
    return f"{module}.{name}"


__all__ = ["call", "getitem", "is_numpy_function", "numpy_call", "setitem"]
