"""Operators: what NumPy does with arrays, and Python with numbers, while it is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.tracer import attributes, numpy_calls, sources
from jupyter_npcompile.tracer.breaks import Break
from jupyter_npcompile.tracer.evaluation import PythonErrors, evaluate
from jupyter_npcompile.tracer.guards import TypeGuard
from jupyter_npcompile.tracer.operations import UFUNCS
from jupyter_npcompile.tracer.sources import ComputedSource
from jupyter_npcompile.tracer.traced import Opaque, Traced, is_traced

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks

_POWERS = {2.0: np.square, 0.5: np.sqrt, -1.0: np.reciprocal}
"""Exponents for which the operator ``**`` of a floating-point array calls another ufunc."""


def operate(hooks: Hooks, operation: str, *operands: Any) -> Any:
    """What an operator of Python gives.

    Parameters
    ----------
    hooks : Hooks
        Who is asked.
    operation : str
        Its :mod:`ast` name.
    *operands : object
        Its operands, traced or not.

    Raises
    ------
    Break
        When it cannot be captured.
    """
    if not any(is_traced(operand) for operand in operands):
        return _plain(hooks, operation, operands)
    if all(not is_array_like(operand) for operand in operands):
        return _numbers(hooks, operation, operands)
    if not any(is_traced(o) and isinstance(o.value, np.ndarray) for o in operands):
        # Scalars warn of overflow where the ufunc does not.
        return numpy_calls.perform(
            hooks,
            f"numpy.{UFUNCS[operation].__name__}",
            sources.OPERATORS[operation],
            operands,
            {},
        )
    if any(not is_array_like(o) and not is_number(o) for o in operands):
        if any(isinstance(o, Opaque) for o in operands):
            raise Break("input", attributes.describe_opaque(operands))
        if any(isinstance(o, str | bytes | dict | set) or o is None for o in operands):
            hooks.stop("call", f"an array is combined with a {type(operands[-1]).__name__}")
    if operation == "Pow":
        return _power(hooks, *operands)
    return numpy_calls.numpy_call(hooks, UFUNCS[operation], operands, {})


def _power(hooks: Hooks, base: Any, exponent: Any) -> Any:
    """``base ** exponent``; NumPy's operator knows some constant exponents better."""
    shortcut = None
    varies = is_traced(exponent) and type(exponent.value) in (int, float)
    if varies and is_traced(base) and base.value.dtype.char in "eFD?":
        # For the other types the lowering of powers knows 0.5 ithooks.
        exponent = hooks.concrete(exponent, "the power needs the value of the exponent")
    if type(exponent) in (int, float) and base.value.dtype.kind in "fc":
        shortcut = _POWERS.get(float(exponent))
    elif type(exponent) is int and exponent == 2 and base.value.dtype.kind == "b":
        shortcut = np.square  # whose result has 8 bits
    if shortcut is not None:
        return numpy_calls.numpy_call(hooks, shortcut, (base,), {})
    return numpy_calls.numpy_call(hooks, np.power, (base, exponent), {})


def _plain(hooks: Hooks, operation: str, operands: tuple[Any, ...]) -> Any:
    for operand in operands:
        if isinstance(operand, Opaque):
            raise Break("input", attributes.describe_opaque((operand,)))
        if isinstance(operand, np.ndarray):
            raise Break("input", "an array that tracing has not seen being made")
    if any(isinstance(operand, np.generic) for operand in operands):
        return evaluate(hooks, sources.OPERATORS[operation], operands, {})
    with PythonErrors(always=True):
        return sources.OPERATORS[operation](*operands)


def _numbers(hooks: Hooks, operation: str, operands: tuple[Any, ...]) -> Any:
    """Arithmetic between Python numbers."""
    known = [o for o in operands if not is_traced(o) or o.source is not None]
    values = [o.value if is_traced(o) else o for o in operands]
    if any(not is_number(o) for o in operands):
        if len(known) < len(operands):
            hooks.stop("value", "Python needs the value of something the graph computes")
        values = [
            hooks.concrete(o, "Python needs the value") if is_traced(o) else o for o in operands
        ]
        with PythonErrors():
            return sources.OPERATORS[operation](*values)
    with PythonErrors():
        result = sources.OPERATORS[operation](*values)
    if len(known) == len(operands):
        parts = tuple(o.source if is_traced(o) else o for o in operands)
        source = ComputedSource(operation, parts)
        if may_raise(operation, operands):
            hooks.recorder.guards.append(TypeGuard(source, type(result)))
        return Traced(hooks.root, result, None, source)
    if operation in ("Add", "Sub", "Mult", "USub", "UAdd") and all(
        type(v) is float for v in values
    ):
        op = {"Add": "add", "Sub": "sub", "Mult": "mul", "USub": "neg", "UAdd": "pos"}
        return hooks.recorder.record(hooks.root, f"python.{op[operation]}", operands, {}, result)
    hooks.stop("value", "arithmetic on a Python number that the graph computes")


_DIVISIONS = frozenset({"Div", "FloorDiv", "Mod"})
_SHIFTS = frozenset({"LShift", "RShift"})


def may_raise(operation: str, operands: tuple[Any, ...]) -> bool:
    """Whether arithmetic raises for some numbers, or gives another type.

    Then it is done in each replay, used or not: ``1 // k`` has to raise. And ``3 ** -2``
    is no integer, ``(-8.0) ** 0.5`` no float.

    Parameters
    ----------
    operation : str
        A name of ``sources.OPERATORS``.
    operands : tuple
        Python numbers, traced or not.
    """
    numbers = [operand.value if is_traced(operand) else operand for operand in operands]
    is_long = any(is_traced(o) and isinstance(o.source, ComputedSource) for o in operands)
    is_complex = any(type(number) is complex for number in numbers)
    is_fixed = not is_traced(operands[-1])
    if operation in _DIVISIONS and is_fixed and numbers[-1] != 0:
        return is_complex or is_long  # the quotient of long integers may be no float
    if operation in _SHIFTS and is_fixed and numbers[-1] >= 0:
        return is_long
    if operation == "Pow" and is_fixed and type(numbers[-1]) is int and numbers[-1] >= 0:
        return type(numbers[0]) not in (int, bool)
    if operation in ("int", "round"):
        return type(numbers[0]) is float  # of NaN
    if operation in ("abs", "complex", "float"):
        return is_complex or is_long
    return operation in _DIVISIONS | _SHIFTS or operation in ("Pow", "pow")


def is_array_like(value: Any) -> bool:
    """Whether NumPy, rather than Python, does arithmetic on a value."""
    if is_traced(value):
        value = value.value
    return isinstance(value, np.ndarray | np.generic)


def is_number(value: Any) -> bool:
    """Whether a value is a Python number, traced or not."""
    if is_traced(value):
        value = value.value
    return type(value) in (bool, int, float, complex)
