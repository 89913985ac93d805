"""Calls of NumPy: functions, ufuncs, methods and attributes of arrays."""

from __future__ import annotations

import ast
import functools
import inspect
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.tracer import helpers
from jupyter_npcompile.tracer.breaks import DRAW, OWN_LINE, RANDOM, Break
from jupyter_npcompile.tracer.definitions import DEFINITIONS, needs_source
from jupyter_npcompile.tracer.draws import draw
from jupyter_npcompile.tracer.evaluation import PythonErrors, evaluate
from jupyter_npcompile.tracer.folding import fold, folds
from jupyter_npcompile.tracer.interpret import function as numpy_function
from jupyter_npcompile.tracer.nested import concrete_in, demand_short, traced_in
from jupyter_npcompile.tracer.operations import WRITERS, operation
from jupyter_npcompile.tracer.sources import ObjectSource
from jupyter_npcompile.tracer.structure import structural
from jupyter_npcompile.tracer.table import is_constant, lowering_of
from jupyter_npcompile.tracer.traced import COMPARISONS, OPERATORS, BoundMethod, Traced, is_traced

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks

# Asking NumPy for every name of `dir(np)` would import numpy.f2py and numpy.testing.
UFUNC_NAMES = frozenset(name for name, value in vars(np).items() if isinstance(value, np.ufunc))

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
    "numpy.unravel_index": frozenset({0}),
    "numpy.ravel_multi_index": frozenset({0}),
    "numpy.array": frozenset({0}),
    "numpy.asarray": frozenset({0}),
}
"""Positions at which a number is an operand. Elsewhere (axis, shape, order, ...)
it decides what the graph is, so the recording depends on its value."""


_SPECIAL = {f"__{name}__": operator for name, operator in (OPERATORS | COMPARISONS).items()}
"""``x.__truediv__(y)``, as NumPy's own sources have it, by the name of its operator."""

_OWN_MEMORY = frozenset({"ndarray.byteswap", "ndarray.setflags"})
"""Methods that may change the array itself."""

SHAPED = frozenset({"numpy.zeros", "numpy.ones", "numpy.empty", "numpy.full"})
"""Functions whose first argument is a shape."""


def numpy_call(hooks: Hooks, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a NumPy function or ufunc and record it, or say why not."""
    op = operation(callee)
    assert op is not None
    if is_constant(op):
        return metadata(hooks, callee, args, kwargs)
    if op.startswith("numpy.random."):
        generator = getattr(callee, "__self__", None)
        if isinstance(generator, np.random.Generator | np.random.RandomState):
            source = ObjectSource("np.random", generator, id(generator))
            return draw(hooks, source, generator, callee.__name__, args, kwargs)
        raise Break("host", f"`{_short(op)}`: {RANDOM}", DRAW)
    row = lowering_of(op)
    if row is None or row.how == "source" or needs_source(op, args, kwargs):
        python = DEFINITIONS.get(op) or getattr(callee, "_implementation", callee)
        if isinstance(python, types.FunctionType):
            return helpers.inline(hooks, python, args, kwargs, name=op.removeprefix("numpy."))
        raise Break("host", f"`{_short(op)}` has no lowering", OWN_LINE)
    if row.status != "lowered" and op not in hooks.recorder.chosen:
        refusal = Break("host", f"`{_short(op)}`: {row.reason}", OWN_LINE)
        if row.status == "host" and folds(hooks, args, kwargs):
            return fold(hooks, callee, args, kwargs, refusal)
        raise refusal
    return perform(hooks, op, callee, args, kwargs)


def perform(
    hooks: Hooks, op: str, callee: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Compute an operation that has a lowering, and record it."""
    demand_short((*args, *kwargs.values()))
    if isinstance(callee, np.ufunc) and len(args) > callee.nin:
        outs = args[callee.nin :]
        args, kwargs = args[: callee.nin], {**kwargs, "out": outs[0] if len(outs) == 1 else outs}
    elif "out" in (names := _positional_names(op)) and len(args) > (place := names.index("out")):
        behind = dict(zip(names[place:], args[place:], strict=False))
        args, kwargs = args[:place], {**kwargs, **behind}
    if op == "numpy.pad":
        args = _pad_widths_in_order(args)
    is_ufunc = op.removeprefix("numpy.") in UFUNC_NAMES
    takes_tuple = is_ufunc or op.endswith((".reduce", ".accumulate", ".reduceat", ".outer"))
    if takes_tuple and type(kwargs.get("out")) is tuple and len(kwargs["out"]) == 1:
        kwargs = {**kwargs, "out": kwargs["out"][0]}
    if not is_ufunc:
        operands = OPERANDS.get(op, ())
        args = tuple(arg if k in operands else structural(hooks, arg) for k, arg in enumerate(args))
    kwargs = {
        key: arg if key in ("out", "where", "initial", "fill_value") else structural(hooks, arg)
        for key, arg in kwargs.items()
    }
    if is_ufunc and kwargs.get("where", True) is not True and kwargs.get("out") is None:
        raise Break("value", "what `where` leaves out is what was in memory, without `out`")
    if not is_ufunc and traced_in((kwargs.get("shape"), *(args[:1] if op in SHAPED else ()))):
        raise Break("value", "the shape depends on values that the graph computes", OWN_LINE)
    writes = _targets(op, args, kwargs)
    for target in writes:
        hooks.recorder.open_for_writing(target)
        hooks.recorder.mutations += 1
    result = evaluate(hooks, callee, args, kwargs)
    recorded = hooks.recorder.record(hooks.root, op, args, kwargs, result, writes)
    return next((target for target in writes if target.value is result), recorded)


_REDUCE = ("array", "axis", "dtype", "out", "keepdims", "initial", "where")
"""Parameters of ``ufunc.reduce``, whose signature does not name them all."""


@functools.cache
def _positional_names(op: str) -> tuple[str, ...]:
    """The parameters of a function that may be passed by position, as far as they are known."""
    if op.endswith(".reduce"):
        return _REDUCE
    try:
        function = numpy_function(op.replace("ndarray.", "numpy.", 1))
        text = getattr(function, "__text_signature__", None)
        if isinstance(function, types.BuiltinFunctionType) and text is not None and "$" not in text:
            return _positional_in(text)  # `inspect` takes 6 ms for the first one
        parameters = inspect.signature(function).parameters.values()
    except (KeyError, TypeError, ValueError):
        return ()
    return tuple(
        parameter.name
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    )


def _positional_in(signature: str) -> tuple[str, ...]:
    """The parameters that may be passed by position, of a signature that is written down.

    Examples
    --------
    >>> _positional_in("(shape, dtype=None, /, order='C', *, like=None)")
    ('shape', 'dtype', 'order')
    """
    (function,) = ast.parse(f"def function{signature}: pass").body
    assert isinstance(function, ast.FunctionDef)
    return tuple(arg.arg for arg in (*function.args.posonlyargs, *function.args.args))


def _pad_widths_in_order(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """``np.pad`` takes a dict of axes, from NumPy 2.2 on; graphs hold no dicts."""
    if len(args) < 2 or type(args[1]) is not dict or not _pads_by_dicts():
        return args
    ndim = np.ndim(concrete_in(args[0]))
    pairs = [(0, 0)] * ndim
    for axis, width in args[1].items():
        with PythonErrors():
            pairs[axis] = width if type(width) is tuple else (width, width)
    return (args[0], tuple(pairs), *args[2:])


@functools.cache
def _pads_by_dicts() -> bool:
    try:
        np.pad(np.zeros(1), {0: 1})  # type: ignore[call-overload, unused-ignore]
    except TypeError:
        return False
    return True


def _targets(op: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Traced, ...]:
    found: list[Any] = []
    if op in WRITERS or op.endswith(".at"):
        found.append(args[WRITERS.get(op, 0)])
    if (out := kwargs.get("out")) is not None:
        found.extend(out if isinstance(out, tuple) else (out,))
    return tuple(target for target in found if target is not None)


def metadata(hooks: Hooks, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of types and shapes: its value is part of the signature."""
    if callee in (np.shape, np.size, np.broadcast_shapes):
        hooks.recorder.demand_fixed_size((args, kwargs))

    def plain(value: Any) -> Any:
        if is_traced(value):
            if isinstance(value.value, np.ndarray | np.generic):
                return value.value
            return hooks.concrete(value, "the call needs the value")
        if type(value) in (tuple, list):
            return type(value)(plain(item) for item in value)
        return concrete_in(value)

    with PythonErrors():
        return callee(*map(plain, args), **{key: plain(value) for key, value in kwargs.items()})


def array_attribute(hooks: Hooks, obj: Traced, name: str) -> Any:
    """``x.T``, ``x.real`` and their like."""
    op = f"ndarray.{name}"
    row = lowering_of(op)
    if row is None or row.lowering is None:
        raise Break("host", f"`.{name}` has no lowering", OWN_LINE)
    return perform(hooks, op, numpy_function(op), (obj,), {})


def method(hooks: Hooks, bound: BoundMethod, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of an array, a NumPy scalar or a number."""
    obj, name = bound.owner, bound.name
    if not isinstance(obj.value, np.ndarray | np.generic):
        with PythonErrors():
            number = hooks.concrete(obj, f"`.{name}()` needs the value")
            return getattr(number, name)(*concrete_in(args), **concrete_in(kwargs))
    operator = _SPECIAL.get(name)
    if operator is not None and len(args) == 1 and not kwargs:
        return hooks.binary(None, operator, obj, args[0])
    if name in ("item", "tolist") and hooks.recorder.is_known(obj):
        with PythonErrors():
            return getattr(obj.value, name)(*concrete_in(args), **concrete_in(kwargs))
    if name in ("item", "tolist", "tobytes", "tofile", "dump", "dumps"):
        raise Break("value", f"`.{name}()` needs the values", OWN_LINE)
    op = f"ndarray.{name}"
    row = lowering_of(op)
    if row is None or row.how != "graph":
        raise Break("host", f"`.{name}()` has no lowering", OWN_LINE)
    callee = numpy_function(op)
    if row.status != "lowered":
        refusal = Break("host", f"`.{name}()`: {row.reason}", OWN_LINE)
        if op not in WRITERS and op not in _OWN_MEMORY and folds(hooks, (obj, *args), kwargs):
            return fold(hooks, callee, (obj, *args), kwargs, refusal)
        raise refusal
    return perform(hooks, op, callee, (obj, *args), kwargs)


def _short(op: str) -> str:
    return op.replace("numpy.", "np.", 1)
