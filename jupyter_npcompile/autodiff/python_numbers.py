"""What Python computes with its own numbers: builtins, :mod:`math`, :mod:`cmath`, parts of complex.

Python's value is kept to the last bit; where it has no lowering, its
derivative is that of the same thing said with NumPy.
"""

from __future__ import annotations

import bisect
import builtins
import cmath
import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.autodiff.taints import CutInt
from jupyter_npcompile.tracer.table import lowering_of

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks


def _sum(hooks: TapeHooks, iterable: Any, start: Any = 0) -> Any:
    total = start
    for item in hooks.items(iterable):
        total = hooks.binary(None, "Add", total, item)
    return total


def _product(hooks: TapeHooks, iterable: Any, *, start: Any = 1) -> Any:
    total = start
    for item in hooks.items(iterable):
        total = hooks.binary(None, "Mult", total, item)
    return total


def _exact_sum(hooks: TapeHooks, iterable: Any) -> Any:
    items = list(hooks.items(iterable))
    total = float(math.fsum(float(item) for item in items))
    if not hooks.tape.has_active(items):
        return total
    sums = hooks.call(None, np.array, items)
    return hooks.record("python.float", (hooks.call(None, np.sum, sums),), total)


def _absolute(hooks: TapeHooks, value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return hooks.call(None, np.absolute, value)
    return hooks.record("python.abs", (value,), abs(value))


def _power(hooks: TapeHooks, base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is not None:
        return pow(base, exp, mod)
    return hooks.binary(None, "Pow", base, exp)


def _division(hooks: TapeHooks, left: Any, right: Any) -> Any:
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return hooks.call(None, np.divmod, left, right)
    whole = hooks.binary(None, "FloorDiv", left, right)
    return whole, hooks.binary(None, "Mod", left, right)


def _rounded(hooks: TapeHooks, value: Any, digits: Any = None) -> Any:
    hooks.tape.note("rounding is piecewise constant: its derivative is zero")
    return round(value) if digits is None else round(value, digits)


def _position(find: Any) -> Callable[..., Any]:
    def found(hooks: TapeHooks, *args: Any, **kwargs: Any) -> Any:
        hooks.tape.note("a position has the derivative zero")
        return find(*args, **kwargs)

    return found


SPECIAL: dict[Any, Callable[..., Any]] = {
    bisect.bisect_left: _position(bisect.bisect_left),
    bisect.bisect_right: _position(bisect.bisect_right),
    sum: _sum,
    math.prod: _product,
    math.fsum: _exact_sum,
    builtins.abs: _absolute,
    operator.abs: _absolute,
    pow: _power,
    math.pow: lambda hooks, x, y: hooks.record("math.pow", (x, y), math.pow(x, y)),
    divmod: _division,
    round: _rounded,
}
"""Builtins that compute, by what follows them."""

SUMS = (sum, math.prod, math.fsum)
"""Those that run over an iterator, of which nobody knows what it will give."""


def real(hooks: TapeHooks, func: Any, args: tuple[Any, ...]) -> Any:
    """A function of :mod:`math`."""
    if func is math.log and len(args) == 2:
        logs = (hooks.call(None, math.log, arg) for arg in args)
        return hooks.binary(None, "Div", *logs)
    plain = [int(arg) if type(arg) is CutInt else arg for arg in args]
    distance = func is math.hypot and len(args) != 2
    if distance or func is math.dist:
        sides = args if distance else (hooks.call(None, np.subtract, *args),)
        length = hooks.call(None, np.linalg.norm, hooks.call(None, np.hstack, sides))
        return hooks.record("python.float", (length,), func(*plain))
    row = lowering_of(f"math.{func.__name__}")
    if row is None or row.status != "lowered":
        return hooks.host(func, args, {}, f"`math.{func.__name__}` has no derivative here")
    result = func(*plain)
    if not row.differentiable:
        hooks.tape.note(f"`math.{func.__name__}` is piecewise constant: its derivative is zero")
        return result
    operands = tuple(
        hooks.call(None, float, arg) if hooks.tape.node_of(arg) is not None else arg for arg in args
    )
    return hooks.record(f"math.{func.__name__}", operands, result)


_CIRCULAR = ("sin", "cos", "tan", "sinh", "cosh", "tanh")

_COMPLEX: dict[Any, Callable[..., Any]] = {
    **{getattr(cmath, name): getattr(np, name) for name in ("exp", "log", "sqrt", *_CIRCULAR)},
    **{getattr(cmath, "a" + name): getattr(np, "arc" + name) for name in _CIRCULAR},
    cmath.log10: np.log10,
    cmath.phase: np.angle,
}
"""Functions of :mod:`cmath`, by NumPy's of the same meaning."""


def complex_(hooks: TapeHooks, func: Any, args: tuple[Any, ...]) -> Any:
    """A function of :mod:`cmath`."""
    same = _COMPLEX.get(func)
    if same is None or len(args) != 1:
        return hooks.host(func, args, {}, f"`cmath.{func.__name__}` has no derivative here")
    number = hooks.call(None, np.multiply, args[0], 1 + 0j)
    kind = "float" if func is cmath.phase else "complex"
    return hooks.record(f"python.{kind}", (hooks.call(None, same, number),), func(*args))


def part(hooks: TapeHooks, number: complex, name: str) -> Any:
    """``z.real`` or ``z.imag`` of an active number of Python's."""
    array = hooks.call(None, np.multiply, number, 1.0)
    found = hooks.attribute(None, array, name)
    return hooks.record("python.float", (found,), getattr(number, name))


def conjugate(hooks: TapeHooks, number: complex) -> Any:
    """``z.conjugate()`` of an active number of Python's."""
    kind = type(number).__name__
    made = hooks.call(None, np.conjugate, number)
    return hooks.record(f"python.{kind}", (made,), number.conjugate())


def complex_power(hooks: TapeHooks, base: Any, exponent: Any, power: complex) -> Any:
    """``base ** exponent`` where it is a complex number."""
    number = hooks.call(None, np.multiply, base, 1 + 0j)
    made = hooks.call(None, np.power, number, exponent)
    return hooks.record("python.complex", (made,), power)


def joined(hooks: TapeHooks, first: Any, second: Any) -> Any:
    """``complex(a, b)``."""
    rotated = hooks.call(None, np.multiply, second, 1j)
    made = hooks.call(None, np.add, first, rotated)
    return hooks.record("python.complex", (made,), complex(first, second))
