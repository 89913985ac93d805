"""Operators of code that is followed: what Python does, and the tape is told."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.autodiff import effects, python_numbers, subscripts, texts
from jupyter_npcompile.autodiff.special_methods import user_method
from jupyter_npcompile.autodiff.steps import perform
from jupyter_npcompile.autodiff.taints import CutInt
from jupyter_npcompile.tracer.attribution import attributed
from jupyter_npcompile.tracer.sources import OPERATORS

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import At, TapeHooks

Pattern = tuple[Any, ...] | None
"""None for a name, a tuple for a target that is taken apart."""

_PYTHON = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "Pow": "pow",
    "FloorDiv": "floordiv", "Mod": "mod", "USub": "neg", "UAdd": "pos",
}  # fmt: skip
_SPECIAL = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "Pow": "pow",
    "FloorDiv": "floordiv", "Mod": "mod", "MatMult": "matmul", "BitAnd": "and", "BitOr": "or",
    "BitXor": "xor", "LShift": "lshift", "RShift": "rshift",
}  # fmt: skip
_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd, "Sub": operator.isub, "Mult": operator.imul, "Div": operator.itruediv,
    "FloorDiv": operator.ifloordiv, "Mod": operator.imod, "Pow": operator.ipow,
    "MatMult": operator.imatmul, "BitAnd": operator.iand, "BitOr": operator.ior,
    "BitXor": operator.ixor, "LShift": operator.ilshift, "RShift": operator.irshift,
}  # fmt: skip
_COMPARING = {
    "Lt": "__lt__", "LtE": "__le__", "Gt": "__gt__", "GtE": "__ge__", "Eq": "__eq__",
    "NotEq": "__ne__",
}  # fmt: skip
_SWAPPED = {
    "Lt": "__gt__", "LtE": "__ge__", "Gt": "__lt__", "GtE": "__le__", "Eq": "__eq__",
    "NotEq": "__ne__", "In": "__contains__", "NotIn": "__contains__",
}  # fmt: skip
_UNARY = {"USub": "__neg__", "UAdd": "__pos__", "Invert": "__invert__"}
_ZERO = frozenset({"FloorDiv"})
_NUMBERS = (int, float, complex, bool, CutInt)


def binary(hooks: TapeHooks, at: At, operation: str, left: Any, right: Any) -> Any:
    """``left <operation> right``, by the operation's :mod:`ast` name."""
    node_of = hooks.tape.node_of
    if isinstance(left, str | bytes):
        return texts.binary(hooks, at, operation, left, right)
    if node_of(left) is None and node_of(right) is None and not _contains(hooks, left, right):
        return _plain(hooks, operation, left, right)
    if at is not None:
        hooks.tape.at(at)
    if operation in _PYTHON and _is_python(left) and _is_python(right):
        return _numbers(hooks, operation, left, right)
    if operation in _ZERO:
        hooks.tape.note("`//` is piecewise constant: its derivative is zero")
    native = OPERATORS[operation]
    return perform(
        hooks,
        lambda inner, *args: inner.binary(None, operation, *args),
        lambda: native(left, right),
        (left, right),
        what=f"the operator {operation}",
    )


def _contains(hooks: TapeHooks, left: Any, right: Any) -> bool:
    """Whether an array meets a list of active numbers."""
    if type(left) in (list, tuple) and isinstance(right, np.ndarray | np.generic):
        return hooks.tape.has_active(left)
    if type(right) in (list, tuple) and isinstance(left, np.ndarray | np.generic):
        return hooks.tape.has_active(right)
    return False


_NUMPY = (np.ndarray, np.generic)


def _plain(hooks: TapeHooks, operation: str, left: Any, right: Any) -> Any:
    for one, other, prefix in ((left, right, "__"), (right, left, "__r")):
        name = _SPECIAL.get(operation)
        method = name and user_method(one, f"{prefix}{name}__")
        if method:
            made = hooks.call(None, types.MethodType(method, one), other)
            if made is not NotImplemented:
                return made
    function = OPERATORS[operation]
    if isinstance(left, _NUMPY) or isinstance(right, _NUMPY):
        made = attributed(function, (left, right), {})
    else:
        made = function(left, right)
    step = hooks.tape.tainted_in((left, right))
    return made if step is None else hooks.tape.taint(made, step)


def _numbers(hooks: TapeHooks, operation: str, *operands: Any) -> Any:
    """Arithmetic of Python's own numbers."""
    plain = [int(x) if type(x) is CutInt else x for x in operands]
    result = OPERATORS[operation](*plain)
    if type(result) is bool or not isinstance(result, _NUMBERS):
        return result
    if operation == "Pow" and isinstance(result, complex):
        return python_numbers.complex_power(hooks, operands[0], operands[1], result)
    return hooks.record(f"python.{_PYTHON[operation]}", operands, result)


def unary(hooks: TapeHooks, at: At, operation: str, operand: Any) -> Any:
    """``<operation> operand``."""
    if hooks.tape.node_of(operand) is None:
        method = user_method(operand, _UNARY[operation])
        if method:
            return hooks.call(at, types.MethodType(method, operand))
        return OPERATORS[operation](operand)
    if at is not None:
        hooks.tape.at(at)
    if operation in _PYTHON and _is_python(operand):
        return _numbers(hooks, operation, operand)
    native = OPERATORS[operation]
    return perform(
        hooks,
        lambda inner, arg: inner.unary(None, operation, arg),
        lambda: native(operand),
        (operand,),
        what=f"the operator {operation}",
    )


def compare(hooks: TapeHooks, at: At, operation: str, left: Any, right: Any) -> Any:
    """``left <operation> right`` for comparisons, ``is`` and ``in``."""
    if operation in ("Is", "IsNot"):
        return (left is right) == (operation == "Is")
    node_of = hooks.tape.node_of
    if node_of(left) is not None or node_of(right) is not None:
        if at is not None:
            hooks.tape.at(at)
        hooks.tape.note("a comparison has the derivative zero")
        made = _compared(operation, left, right)
        if isinstance(made, bool | np.bool_):
            hooks.tape.turn(bool(made))
        return made
    for one, other, names in ((left, right, _COMPARING), (right, left, _SWAPPED)):
        method = user_method(one, names.get(operation, ""))
        if method:
            made = hooks.call(at, types.MethodType(method, one), other)
            if made is not NotImplemented:
                return _as_asked(operation, made)
    return _compared(operation, left, right)


def augment(hooks: TapeHooks, at: At, operation: str, left: Any, right: Any) -> Any:
    """``left <operation>= right``; returns what the target is bound to."""
    tape = hooks.tape
    if not isinstance(left, np.ndarray):
        if type(left) in (float, int, complex, CutInt) or isinstance(left, np.generic):
            return hooks.binary(at, operation, left, right)
        method = user_method(left, f"__i{_SPECIAL.get(operation, '')}__")
        if method:
            return hooks.call(at, types.MethodType(method, left), right)
        if user_method(left, f"__{_SPECIAL.get(operation, '')}__"):
            return hooks.binary(at, operation, left, right)
        if isinstance(left, list | dict | set):
            if isinstance(right, np.ndarray):
                return hooks.binary(at, operation, left, right)
            effects.note_effect(hooks, left)
        if isinstance(left, str | bytes):
            return hooks.binary(at, operation, left, right)
        step = tape.tainted_in((left, right))
        made = attributed(_IN_PLACE[operation], (left, right), {})
        return made if step is None else tape.taint(made, step)
    if tape.node_of(left) is None and not tape.has_active(right):
        tape.before_write(left)
        return attributed(_IN_PLACE[operation], (left, right), {})
    if at is not None:
        tape.at(at)
    if operation in _ZERO:
        tape.note("`//=` is piecewise constant: its derivative is zero")
    subscripts.opened(hooks, left, right)

    def native() -> Any:
        return _IN_PLACE[operation](left, right)

    return perform(
        hooks,
        lambda inner, *args: inner.augment(None, operation, *args),
        native,
        (left, right),
        what=f"the operator {operation}",
        writes=(left,),
    )


def _as_asked(operation: str, made: Any) -> Any:
    if operation in ("In", "NotIn"):
        return bool(made) == (operation == "In")
    return made


def _compared(operation: str, left: Any, right: Any) -> Any:
    if operation in ("In", "NotIn"):
        return (left in right) == (operation == "In")
    return OPERATORS[operation](left, right)


def _is_python(value: Any) -> bool:
    """Whether a value is a number of Python's own."""
    return isinstance(value, _NUMBERS) and not isinstance(value, np.generic)
