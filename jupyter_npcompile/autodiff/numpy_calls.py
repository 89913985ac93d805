"""Calls of NumPy in followed code: which are recorded, which are constant, which are rewritten."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.autodiff import attributes, rules
from jupyter_npcompile.autodiff.special_methods import user_method
from jupyter_npcompile.autodiff.steps import EXPONENTS, name_of, perform
from jupyter_npcompile.tracer.attribution import attributed
from jupyter_npcompile.tracer.definitions import DEFINITIONS, needs_source
from jupyter_npcompile.tracer.numpy_calls import method, numpy_call
from jupyter_npcompile.tracer.operations import WRITERS, is_numpy_function, operation
from jupyter_npcompile.tracer.table import is_constant, lowering_of
from jupyter_npcompile.tracer.traced import BoundMethod

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks

_METADATA = frozenset(
    {"__len__", "__repr__", "__str__", "__format__", "__dir__", "__sizeof__", "__array__"}
    | {"setflags", "tobytes", "tofile", "dump", "dumps", "all", "any", "argmax", "argmin"}
)
_SCALARS = {"__float__": float, "__complex__": complex, "__int__": int, "__bool__": bool}
_WEIGHTED = frozenset({"numpy.bincount"})
_FOLDS = (".reduce", ".accumulate", ".reduceat", ".outer", ".at")

SMOOTH = frozenset({"numpy.nextafter", "numpy.heaviside", "numpy.floor_divide"})
"""Operations that hand on an operand in places, and are steps elsewhere."""

CHOSEN = frozenset(
    f"numpy.linalg.{name}"
    for name in ("cholesky", "eig", "eigh", "eigvals", "eigvalsh", "qr", "svd")
)
"""Decompositions whose derivative follows NumPy's choice: see `decompositions`."""


def is_numpy(func: Any) -> bool:
    """Whether a callable belongs to NumPy: functions, ufuncs, their methods, methods of arrays."""
    if isinstance(func, np.ufunc) or isinstance(
        getattr(func, "__self__", None), np.ndarray | np.generic | np.ufunc
    ):
        return True
    if operation(func) is not None:
        return True
    return is_numpy_function(func) and not isinstance(func, types.FunctionType)


def is_numpy_callable(value: Any) -> bool:
    """Whether a value is a function or ufunc of NumPy."""
    return isinstance(value, np.ufunc | type(np.sum))


def rule_of(func: Any) -> types.FunctionType | None:
    """A function in other words that can be followed."""
    op = operation(func) if not isinstance(func, types.FunctionType) or _is_public(func) else None
    return None if op is None else rules.RULES.get(op)


def _is_public(func: types.FunctionType) -> bool:
    return str(func.__module__).startswith("numpy")


def call(hooks: TapeHooks, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a NumPy function, ufunc or method."""
    tape = hooks.tape
    if _is_resize(func):
        return attributes.resize(hooks, func, args, kwargs)
    receiver = getattr(func, "__self__", None)
    step = tape.tainted_in((receiver, *args, *kwargs.values()))
    if step is not None:
        return tape.taint(func(*args, **kwargs), step)
    if isinstance(receiver, np.ndarray | np.generic):
        return _method(hooks, func, receiver, args, kwargs)
    args = tuple(_as_array(hooks, arg) for arg in args)
    op = operation(func)
    if op is not None and op.startswith("numpy.random."):
        if op.rpartition(".")[2] not in ("default_rng", "Generator", "RandomState"):
            _note_draw(hooks, receiver, func)
        if tape.has_active((args, kwargs)):
            reason = f"`{name_of(func)}` draws random numbers: no gradient flows through it"
            return hooks.host(func, args, kwargs, reason)
        return func(*args, **kwargs)
    if op == "numpy.fromiter":
        return hooks_inline(hooks, rules.fromiter, args, kwargs)
    if not tape.has_active((args, kwargs)):
        _announce(hooks, op, args, kwargs)
        if _takes_functions(args, kwargs) and op is not None:
            python = _python_of(op, func)
            if python is not None:
                return hooks_inline(hooks, python, args, kwargs)
        return attributed(func, args, kwargs)
    if op is None:
        return hooks.host(func, args, kwargs, f"`{name_of(func)}` has no derivative here")
    if op in CHOSEN and _is_chosen(op, kwargs):
        return _chosen(hooks, op, func, args, kwargs)
    rule = (rules.COMPLEX if args and _is_complex(args[0]) else rules.RULES).get(op)
    if rule is not None and kwargs.get("out") is None:
        return hooks_inline(hooks, rule, args, kwargs)
    if is_constant(op) or op in ("numpy.dtype", "numpy.finfo"):
        return func(*args, **kwargs)
    row = lowering_of(op)
    if row is not None and row.status != "lowered" and not row.differentiable:
        return _unlowered(hooks, op, func, args, kwargs, effect=row.status == "skeleton")
    smooth = op in SMOOTH or (op.rpartition(".")[0] in SMOOTH and op.endswith(_FOLDS))
    if row is None or row.how == "source" or needs_source(op, args, kwargs):
        python = _python_of(op, func)
        if python is not None:
            return hooks_inline(hooks, python, args, kwargs)
        return hooks.host(func, args, kwargs, f"`{_short(op)}` has no derivative here")
    return _primitive(hooks, op, func, args, kwargs, differentiable=row.differentiable or smooth)


def _is_resize(func: Any) -> bool:
    return type(getattr(func, "__self__", None)) is np.ndarray and func.__name__ == "resize"


def _as_array(hooks: TapeHooks, value: Any) -> Any:
    """An object that says how it is an array, as that array."""
    method = user_method(value, "__array__")
    if method is None or hasattr(value, "__array_ufunc__"):
        return value
    return hooks.call(None, types.MethodType(method, value))


def _unlowered(
    hooks: TapeHooks,
    op: str,
    func: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    effect: bool,
) -> Any:
    """A function without lowering: what it makes holds no gradient, unless it only counts."""
    python = _python_of(op, func) if op in rules.SOURCES else None
    if python is not None:
        return hooks_inline(hooks, python, args, kwargs)
    if effect:
        hooks.tape.effects.append(f"`{_short(op)}`")
    else:
        hooks.tape.note(f"`{_short(op)}`: what it counts or compares has the derivative zero")
    return hooks.host(func, args, kwargs, f"`{_short(op)}` has no derivative here")


def _is_complex(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic | complex) and bool(np.iscomplexobj(value))


def _is_chosen(op: str, kwargs: dict[str, Any]) -> bool:
    """Whether a decomposition gives factors."""
    if op == "numpy.linalg.svd":
        return kwargs.get("compute_uv", True) is True and not kwargs.get("hermitian")
    return kwargs.get("mode") != "raw"


def _chosen(
    hooks: TapeHooks, op: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A decomposition: its derivative follows what NumPy chose."""
    tape = hooks.tape
    result = func(*args, **kwargs)
    several = isinstance(result, tuple)
    wrapped = tuple(tape.wrap(arg) for arg in args)
    made = tape.recorder.record(tape.hooks, op, wrapped, dict(kwargs), result)
    node = next(n for n in reversed(tape.recorder.nodes) if n.op == op)
    tape.results[node.id] = tuple(np.array(r) for r in (result if several else (result,)))
    return tape.unwrap(made)


def _python_of(op: str, func: Any) -> types.FunctionType | None:
    python = DEFINITIONS.get(op) or getattr(func, "_implementation", func)
    return python if isinstance(python, types.FunctionType) else None


def hooks_inline(
    hooks: TapeHooks, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Follow a function of NumPy's through its source; places stay those of the call."""
    from jupyter_npcompile.autodiff.functions import followed

    assert isinstance(func, types.FunctionType)
    made = followed(hooks, func)
    if made is None:
        return hooks.host(func, args, kwargs, f"`{name_of(func)}` has no source")
    tape = hooks.tape
    held, tape.hold_place = tape.hold_place, True
    try:
        return made(*args, **kwargs)
    finally:
        tape.hold_place = held


def _primitive(
    hooks: TapeHooks,
    op: str,
    func: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    differentiable: bool,
) -> Any:
    """A function with a row in the lowering table."""
    tape = hooks.tape
    targets = written(op, args, kwargs)
    if not differentiable and op not in _WEIGHTED:
        if not any(True for target in targets if isinstance(target, np.ndarray)):
            tape.note(f"`{_short(op)}` is piecewise constant: its derivative is zero")
            return func(*args, **kwargs)
        tape.note(f"`{_short(op)}` is piecewise constant: its derivative is zero")
    _open(hooks, op, targets, (*args, *kwargs.values()) if differentiable else ())
    return perform(
        hooks,
        lambda inner, /, *given, **named: numpy_call(inner, func, given, named),
        lambda: func(*args, **kwargs),
        args,
        what=f"`{_short(op)}`",
        writes=tuple(targets),
        keywords=kwargs,
    )


def written(op: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The arrays that a call writes."""
    found: list[Any] = []
    if (op in WRITERS or op.endswith(".at")) and args:
        found.append(args[WRITERS.get(op, 0)])
    out = kwargs.get("out")
    found += list(out) if isinstance(out, tuple) else [out]
    ufunc = getattr(np, op.removeprefix("numpy."), None)
    if isinstance(ufunc, np.ufunc):
        found += args[ufunc.nin :]
    return [target for target in found if isinstance(target, np.ndarray)]


def _open(hooks: TapeHooks, op: str, targets: list[Any], smooth: tuple[Any, ...]) -> None:
    """Arrays are written with something active; ``smooth`` has what the result varies with."""
    active = hooks.tape.active_in(smooth)
    fractions = any(np.asarray(value).dtype.kind in "fc" for value in active)
    for target in targets:
        if fractions and target.dtype.kind in "biu" and op not in EXPONENTS:
            hooks.tape.activate_cut(target, f"`{_short(op)}` into an array of integers")
        else:
            hooks.tape.activate(target)


def _announce(
    hooks: TapeHooks, op: str | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """A call of constants may write memory that the graph has read."""
    for target in written(op or "", args, kwargs):
        hooks.tape.before_write(target)


def _takes_functions(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    def is_function(value: Any) -> bool:
        if isinstance(value, list | tuple):
            return any(map(is_function, value))
        return isinstance(value, types.FunctionType | types.MethodType)

    return any(map(is_function, (*args, *kwargs.values())))


def _short(op: str) -> str:
    return op.replace("numpy.", "np.", 1)


def _note_draw(hooks: TapeHooks, receiver: Any, func: Any) -> None:
    """Remember the state of the generator, so that the run can be repeated."""
    generator = getattr(func, "__self__", receiver)
    if isinstance(generator, np.random.Generator):
        hooks.tape.streams.note(generator.bit_generator)
    elif isinstance(generator, np.random.RandomState):
        hooks.tape.streams.note(generator)
    else:
        hooks.tape.effects.append("random numbers are drawn")


# -- methods of arrays


def _method(
    hooks: TapeHooks, func: Any, receiver: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    tape = hooks.tape
    name = func.__name__
    if tape.node_of(receiver) is None and not tape.has_active((args, kwargs)):
        _announce(hooks, f"ndarray.{name}", (receiver, *args), kwargs)
        return attributed(func, args, kwargs)
    if name in _SCALARS:
        return hooks.call(None, _SCALARS[name], receiver)
    if name == "item":
        return _item(hooks, receiver, args)
    if name == "tolist":
        return _listed(hooks, receiver)
    if name in ("__copy__", "__deepcopy__"):
        return hooks.call(None, np.copy, receiver)
    op = f"ndarray.{name}"
    row = lowering_of(op)
    if name in _METADATA:
        if name.startswith(("arg", "a")):
            tape.note(f"`.{name}()` is piecewise constant: its derivative is zero")
        elif name.startswith(("to", "dump")):
            if name in ("tofile", "dump"):
                tape.effects.append(f"`.{name}()`")
            return hooks.host(func, args, kwargs, f"`.{name}()` makes text of numbers")
        return func(*args, **kwargs)
    rule = rules.METHODS.get(name)
    if rule is not None:
        return hooks_inline(hooks, rule, (receiver, *args), kwargs)
    targets = written(op, (receiver, *args), kwargs)
    if row is not None and row.status == "lowered" and not row.differentiable and not targets:
        tape.note(f"`.{name}()` is piecewise constant: its derivative is zero")
        return func(*args, **kwargs)
    smooth = row is not None and row.differentiable
    _open(hooks, op, targets, (*args, *kwargs.values()) if smooth else ())
    if name in _DIGITS:
        return hooks.host(func, args, kwargs, f"`.{name}()` makes integers or text of numbers")
    if isinstance(receiver, np.ndarray) or name not in _NUMBER_METHODS:
        return perform(
            hooks,
            lambda inner, obj, /, *given, **named: method(
                inner, BoundMethod(obj, name), given, named
            ),
            lambda: func(*args, **kwargs),
            (
                receiver
                if isinstance(receiver, np.ndarray) or tape.is_active(receiver)
                else np.asarray(receiver),
                *args,
            ),
            what=f"`.{name}()`",
            writes=tuple(targets),
            keywords=kwargs,
        )
    return func(*args, **kwargs)


_NUMBER_METHODS = frozenset({"is_integer", "fromhex", "bit_count"})
_DIGITS = frozenset({"as_integer_ratio", "hex"})


def _item(hooks: TapeHooks, receiver: Any, args: tuple[Any, ...]) -> Any:
    if args:
        index = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
        if len(args) == 1 and not isinstance(args[0], tuple):
            receiver = hooks.call(None, np.ravel, receiver)
        return _item(hooks, hooks.subscript(None, receiver, index), ())
    if receiver.size != 1:
        return receiver.item()  # NumPy raises
    kind = complex if receiver.dtype.kind == "c" else float
    return hooks.call(None, kind, hooks.call(None, np.reshape, receiver, ()))


def _listed(hooks: TapeHooks, receiver: Any) -> Any:
    if not isinstance(receiver, np.ndarray) or receiver.ndim == 0:
        return _item(hooks, receiver, ())
    return [_listed(hooks, item) for item in hooks.items(receiver)]


def vectorized(
    hooks: TapeHooks, func: np.vectorize, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """``np.vectorize(f)(...)``, element by element."""
    plain = not kwargs and func.signature is None and not func.excluded
    if not plain or isinstance(func.pyfunc, np.vectorize):
        return hooks.host(func, args, kwargs, "`np.vectorize` with options is not followed")
    return hooks_inline(hooks, rules.vectorize, (func.pyfunc, func.otypes, *args), {})


__all__ = ["call", "is_numpy", "is_numpy_callable", "rule_of", "vectorized"]
