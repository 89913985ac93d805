"""C++ for one element of NumPy's arithmetic: what its inner loops do."""

from __future__ import annotations

from typing import Any

import numpy as np

from jupyter_npcompile.loops.kinds import CTYPES, Declined

_PRODUCTS = {
    3: "cube({0})",
    4: "square(square({0}))",
    5: "{0} * square(square({0}))",
    6: "square(cube({0}))",
    7: "{0} * square(cube({0}))",
    8: "square(square(square({0})))",
    1.5: "three_halves({0})",
    -0.5: "inverse_root({0})",
    -1.5: "three_halves(({1})1 / {0})",
    -2: "square(({1})1 / {0})",
    -3: "cube(({1})1 / {0})",
}
"""Powers of floats by products and roots, which are vectorised."""

SIMPLE = {"add": "+", "subtract": "-", "multiply": "*"}
CHECKED = {"add": "checked_add", "subtract": "checked_sub", "multiply": "checked_mul"}
BITS = {"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}


def power_of_two(value: Any) -> int | None:
    """Which power of two a number is: dividing by it, and the rest, are shifts and masks.

    Examples
    --------
    >>> [power_of_two(value) for value in (1, 8, 6, -2, True)]
    [0, 3, None, None, None]
    """
    if type(value) is not int or value <= 0 or value & (value - 1):
        return None
    return value.bit_length() - 1


def loop_code(
    name: str,
    loop: tuple[np.dtype[Any], ...],
    x: str,
    y: str,
    exponent: Any = None,
    *,
    scalar: bool = False,
) -> str:
    """C++ for an arithmetic ufunc on one pair of elements.

    Parameters
    ----------
    name : str
        The ufunc.
    loop : tuple of dtype
        In which dtypes it computes.
    x, y : str
        The operands, in these dtypes.
    exponent : number, optional
        The second operand, if it is known.
    scalar : bool
        Whether NumPy would warn of integers that overflow, which it does for
        numbers, and not for arrays.

    Raises
    ------
    Declined
        When there is no code for it.
    """
    dtype, kind = loop[0].name, loop[0].kind
    c = CTYPES[dtype]
    if kind == "b":
        return _booleans(name, x, y)
    if name in SIMPLE:
        if kind in "iu":
            if scalar:
                return f"{CHECKED[name]}<{c}>({x}, {y})"
            wide = f"(({_unsigned(dtype)}){x} {SIMPLE[name]} ({_unsigned(dtype)}){y})"
            return f"(({c}){wide})"
        return f"({x} {SIMPLE[name]} {y})"
    if name == "true_divide":
        return f"({x} / {y})"
    if name in BITS and kind in "iu":
        return f"(({c})({x} {BITS[name]} {y}))"
    if name in ("left_shift", "right_shift") and kind in "iu":
        return f"np_{name.split('_')[0]}<{c}>({x}, {y})"
    if name == "power":
        return _power(dtype, kind, x, y, exponent, scalar=scalar)
    if kind == "c":
        raise Declined(f"np.{name} of complex numbers")
    power = power_of_two(exponent) if kind in "iu" else None
    if power is not None and exponent <= np.iinfo(dtype).max:
        if name == "remainder":
            return f"(({c})({x} & {exponent - 1}))"
        if name == "floor_divide":
            return f"(({c})({x} >> {power}))"
    if name == "remainder":
        return f"floor_mod<{c}>({x}, {y})" if kind in "iu" else f"floor_mod({x}, {y})"
    if name == "floor_divide" and (kind in "iu" or dtype == "float64"):
        return f"floor_div<{c}>({x}, {y})" if kind in "iu" else f"floor_div({x}, {y})"
    raise Declined(f"np.{name} of {dtype}")


def _unsigned(dtype: str) -> str:
    return f"uint{max(np.dtype(dtype).itemsize * 8, 32)}_t"


def _booleans(name: str, x: str, y: str) -> str:
    symbol = {"add": "|", "multiply": "&", "bitwise_and": "&", "bitwise_or": "|"}.get(name)
    if symbol is not None:
        return f"((bool){x} {symbol} (bool){y})"
    if name == "bitwise_xor":
        return f"((bool){x} != (bool){y})"
    raise Declined(f"np.{name} of booleans")


def _power(dtype: str, kind: str, x: str, y: str, exponent: Any, *, scalar: bool) -> str:
    c = CTYPES[dtype]
    if kind in "iu":
        if scalar:
            return f"checked_pow<{c}>({x}, {y})"
        return f"wrapping_pow<{c}>({x}, {y})"
    if exponent == 2 and not isinstance(exponent, bool):
        return f"number_square({x})" if scalar and dtype == "float64" else f"square({x})"
    if kind == "c":
        raise Declined("a power of complex numbers")
    # NumPy takes these ways for a number as the exponent of an array.
    if not scalar and exponent == 0.5:
        return f"math::sqrt({x})"
    if not scalar and exponent == -1:
        return f"(({c})1 / {x})"
    if exponent == 1:
        return x
    if not scalar and exponent in _PRODUCTS:
        # NumPy calls pow, from which this is three units in the last place away at most.
        return _PRODUCTS[exponent].format(x, c)
    if scalar and dtype == "float64":
        return f"number_pow({x}, {y})"
    return f"math::pow({x}, {y})"
