"""Calls of Python's builtins, and of functions that are not followed."""

from __future__ import annotations

import functools
import io
import itertools
import math
import operator
import types
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.autodiff import numpy_calls, texts
from jupyter_npcompile.autodiff.accessors import ACCESSORS, access
from jupyter_npcompile.autodiff.effects import note_effect
from jupyter_npcompile.autodiff.python_numbers import SPECIAL, SUMS, complex_, real
from jupyter_npcompile.autodiff.special_methods import user_method
from jupyter_npcompile.autodiff.steps import name_of, without_cuts
from jupyter_npcompile.tracer.attribution import attributed, warn
from jupyter_npcompile.tracer.sources import OPERATORS

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks


_QUIET = frozenset(
    {"builtins", "math", "cmath", "operator", "_operator", "itertools", "functools"}
    | {"_struct", "struct", "binascii", "_json", "_decimal", "decimal", "fractions"}
)
"""Modules whose functions have no effect but on their arguments."""

_COMPARING = frozenset({"Lt", "LtE", "Gt", "GtE", "Eq", "NotEq", "Is", "IsNot", "In", "NotIn"})

_READING = frozenset(
    {"items", "keys", "values", "get", "index", "count", "copy", "decode", "find", "hex"}
)

_FROM_FILES = frozenset({"read", "read1", "readline", "readlines", "getvalue", "getbuffer"})

HARMLESS = frozenset(
    {print, len, isinstance, issubclass, type, id, hasattr, callable, hash, range, slice}
    | {next, getattr, setattr, delattr, object, super, open, input, vars, dir}
    | {staticmethod, classmethod, property}
)
"""Builtins that are called as they are: what they give depends on no number, or is the number."""

_PURE = HARMLESS - {setattr, delattr, open, input, next}

ITERATING = frozenset(
    {zip, enumerate, list, tuple, reversed, set, frozenset, dict, any, all, map, filter, sorted}
    | {itertools.chain, itertools.product, itertools.islice, itertools.combinations}
    | {itertools.permutations, itertools.repeat, itertools.cycle, itertools.pairwise}
    | {itertools.zip_longest, itertools.starmap, itertools.takewhile, itertools.accumulate}
    | {itertools.compress, itertools.filterfalse, itertools.dropwhile, itertools.groupby}
    | {functools.reduce, min, max, iter, itertools.tee}
)
"""What hands elements on as they are, perhaps through a function."""

CONTAINERS = (
    list,
    dict,
    set,
    frozenset,
    tuple,
    str,
    bytes,
    bytearray,
    range,
    slice,
    types.SimpleNamespace,
)

COLLECTIONS = frozenset({"collections", "_collections"})

_SLOT = type((0.0).__add__)
"""What ``x.__add__`` of a builtin is."""

_PROTOCOL: dict[Any, str] = {
    abs: "__abs__", round: "__round__", divmod: "__divmod__", reversed: "__reversed__",
    pow: "__pow__", next: "__next__", operator.abs: "__abs__", operator.neg: "__neg__",
    math.floor: "__floor__", math.ceil: "__ceil__", math.trunc: "__trunc__",
}  # fmt: skip

_PARTS = frozenset({operator.getitem, operator.setitem})
_AUGMENTED = {
    operator.iadd: "Add", operator.isub: "Sub", operator.imul: "Mult",
    operator.itruediv: "Div", operator.ipow: "Pow", operator.imatmul: "MatMult",
    operator.ifloordiv: "FloorDiv", operator.imod: "Mod",
}  # fmt: skip
"""By the operation's :mod:`ast` name."""

_GROWING = frozenset({"extend", "extendleft", "update", "fromkeys", "union", "__iadd__"})
"""Methods of containers that take elements out of their argument."""

_OPERATORS = {function: name for name, function in OPERATORS.items() if name[0].isupper()}


def builtin(hooks: TapeHooks, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a builtin, or anything else that is not written in Python."""
    tape = hooks.tape
    own = _own_method(func, args)
    if own is not None and not kwargs:
        return hooks.call(None, types.MethodType(own, args[0]), *args[1:])
    if func is setattr and len(args) == 3:
        return hooks.set_attribute(None, args[2], args[0], args[1])
    if func in (getattr,) and len(args) >= 2 and hasattr(args[0], args[1]):
        return hooks.attribute(None, args[0], args[1])
    name = _OPERATORS.get(func) if _hashable(func) else None
    if name is not None and not kwargs:
        if len(args) == 2:
            how = hooks.compare if name in _COMPARING else hooks.binary
            return how(None, name, *args)
        return hooks.unary(None, name, *args)
    if func == itertools.chain.from_iterable:
        func, args = itertools.chain, tuple(hooks.items(args[0]))
    if _hashable(func) and func in ITERATING:
        return iterated(hooks, func, args, kwargs)
    if func is print:
        return texts.printed(hooks, args, kwargs)
    if _hashable(func) and func in texts.WRITERS and args:
        return texts.written(hooks, func, args, kwargs)
    if _hashable(func) and func in _PURE:
        return func(*args, **kwargs)
    owner = getattr(func, "__self__", None)
    if isinstance(owner, texts.KINDS):
        return texts.method(hooks, func, owner, args, kwargs)
    if isinstance(owner, CONTAINERS) or type(owner).__module__ in COLLECTIONS:
        return _of_container(hooks, func, owner, args, kwargs)
    if isinstance(owner, io.IOBase) and tape.spilled is not None:
        found = func(*args, **kwargs)  # a file may hold what was written before
        return tape.taint(found, tape.spilled) if func.__name__ in _FROM_FILES else found
    if _hashable(func) and func in _PARTS and not kwargs:
        if len(args) == (2 if func is operator.getitem else 3):
            return (hooks.subscript if len(args) == 2 else hooks.store)(None, *args)
        return func(*args)
    augmented = _AUGMENTED.get(func) if _hashable(func) else None
    if augmented is not None and len(args) == 2:
        return hooks.augment(None, augmented, *args)
    if type(func) is _SLOT and _is_number(hooks, owner, args):
        return _of_number(hooks, func, owner, args)
    special = SPECIAL.get(func) if _hashable(func) else None
    if special is not None and func in SUMS and not tape.has_active(kwargs):
        return special(hooks, *args, **kwargs)  # nobody knows what an iterator will give
    if not tape.touches((owner, args, kwargs)):
        return unseen(hooks, func, args, kwargs)
    if special is not None:
        return special(hooks, *args, **kwargs)
    module = getattr(func, "__module__", None)
    if module in ("math", "cmath") and isinstance(func, types.BuiltinFunctionType):
        return (real if module == "math" else complex_)(hooks, func, args)
    if type(func) in ACCESSORS:
        return access(hooks, func, args)
    if args and type(args[0]) is np.ndarray and getattr(func, "__objclass__", None) is np.ndarray:
        return hooks.call(None, getattr(args[0], func.__name__), *args[1:], **kwargs)
    if _hashable(func) and func in HARMLESS:
        tape.effects.append(name_of(func))
        return func(*args, **kwargs)
    if module not in _QUIET:
        tape.effects.append(name_of(func))
    return hooks.host(func, args, kwargs, f"`{name_of(func)}` is not followed")


def _own_method(func: Any, args: tuple[Any, ...]) -> types.FunctionType | None:
    """The method that a class written in Python has for a builtin function."""
    name = _PROTOCOL.get(func) if args and _hashable(func) else None
    return None if name is None else user_method(args[0], name)


def _is_number(hooks: TapeHooks, owner: Any, args: tuple[Any, ...]) -> bool:
    """Whether a special method belongs to an active number of Python's, and gets a number."""
    return (
        isinstance(owner, float | complex)
        and all(isinstance(arg, float | complex | int) for arg in args)
        and hooks.tape.has_active((owner, args))
    )


def _of_number(hooks: TapeHooks, func: Any, owner: Any, args: tuple[Any, ...]) -> Any:
    """``x.__add__(y)`` of numbers."""
    name = func.__name__
    swapped = f"__{name[3:]}"
    if hasattr(operator, name):
        return hooks.call(None, getattr(operator, name), owner, *args)
    if name.startswith("__r") and hasattr(operator, swapped):
        return hooks.call(None, getattr(operator, swapped), *args, owner)
    kind = {"__float__": float, "__int__": int, "__bool__": bool, "__complex__": complex}.get(name)
    return func(*args) if kind is None else hooks.call(None, kind, owner)


def unseen(hooks: TapeHooks, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of something that gets no active value."""
    module = str(getattr(func, "__module__", "") or "")
    if module not in _QUIET and not module.startswith("numpy"):
        hooks.tape.effects.append(name_of(func))
    wrapped = tuple(_passed(hooks, arg) for arg in args)
    given = {key: _passed(hooks, arg) for key, arg in kwargs.items()}
    if func is warnings.warn:
        return warn(*wrapped, **given)
    return attributed(func, wrapped, given)


def _hashable(func: Any) -> bool:
    return isinstance(func, types.BuiltinFunctionType | type)


def _passed(hooks: TapeHooks, value: Any) -> Any:
    """A function that is handed to something that calls it: its calls are followed."""
    plain = isinstance(value, types.FunctionType | types.MethodType | functools.partial)
    computes = _hashable(value) and (
        value in _OPERATORS
        or value in SPECIAL
        or value in (float, complex, int, chr, ord)
        or value in texts.WRITERS
        or getattr(value, "__module__", None) in ("math", "cmath")
    )
    accesses = type(value) in ACCESSORS or isinstance(value, types.MethodDescriptorType)
    if plain or computes or accesses or numpy_calls.is_numpy_callable(value):
        return functools.partial(hooks.call, None, value)
    return value


def _made_by(hooks: TapeHooks, value: Any) -> Any:
    """A class that is handed to something that makes objects of it."""
    if isinstance(value, type) and isinstance(vars(value).get("__init__"), types.FunctionType):
        return functools.partial(hooks.call, None, value)
    return value


def elements(hooks: TapeHooks, value: Any) -> Any:
    """What is run over: the elements of an active array, other things as they are."""
    if isinstance(value, np.ndarray) and hooks.tape.node_of(value) is not None:
        return list(hooks.items(value))
    followed = user_method(value, "__iter__") or user_method(value, "__getitem__")
    if followed or (hooks.tape.tainted(value) is not None and hasattr(value, "__iter__")):
        return list(hooks.items(value))
    return _passed(hooks, value)


def entries(hooks: TapeHooks, value: Any) -> Any:
    """What a dict takes out of something: what stands at the keys of a mapping, or elements."""
    if not hasattr(value, "keys"):
        return elements(hooks, value)
    if isinstance(value, dict) and type(value).__iter__ is dict.__iter__:
        return value  # Python looks into it, whatever its class says
    keys = list(hooks.items(hooks.call(None, value.keys)))
    return {key: hooks.subscript(None, value, key) for key in keys}


def iterated(hooks: TapeHooks, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A builtin that runs over its arguments."""
    tape = hooks.tape
    own = _own_method(func, args)
    if own is not None:
        return hooks.call(None, types.MethodType(own, args[0]), *args[1:])
    if func in (min, max, sorted) and tape.has_active(args):
        tape.note("a comparison has the derivative zero")
    if func is itertools.accumulate and len(args) == 1 and "func" not in kwargs:
        args = (*args, operator.add)
    taken = entries if func is dict else elements
    given = [taken(hooks, _made_by(hooks, arg)) for arg in args]
    return func(*given, **{key: _passed(hooks, value) for key, value in kwargs.items()})


def _of_container(
    hooks: TapeHooks, func: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A method of a list, dict, string: it hands on what it is given."""
    if func.__name__ not in _READING:
        note_effect(hooks, owner)
    taken = entries if isinstance(owner, dict) and func.__name__ == "update" else elements
    items = [taken(hooks, arg) if func.__name__ in _GROWING else arg for arg in without_cuts(args)]
    return func(*items, **{key: _passed(hooks, value) for key, value in kwargs.items()})
