"""Arithmetic on numbers: Python's and NumPy's, each by its own rules."""

from __future__ import annotations

import ast
import contextlib
import operator
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from jupyter_npcompile.loops import python_numbers
from jupyter_npcompile.loops.inner_loops import SIMPLE, loop_code
from jupyter_npcompile.loops.kinds import (
    BOOL,
    CTYPES,
    FLOAT,
    FULL,
    INT,
    NARROW,
    Declined,
    Number,
    Origin,
    size,
)
from jupyter_npcompile.loops.promotion import as_loop, cast, common, operands
from jupyter_npcompile.loops.values import Scalar

UFUNCS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "true_divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "power",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.LShift: "left_shift",
    ast.RShift: "right_shift",
    ast.MatMult: "matmul",
}
"""The ufunc behind each operator."""

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "equal"),
    ast.NotEq: ("!=", "not_equal"),
    ast.Lt: ("<", "less"),
    ast.LtE: ("<=", "less_equal"),
    ast.Gt: (">", "greater"),
    ast.GtE: (">=", "greater_equal"),
}
"""C++ spelling and ufunc of each comparison."""

EXACT = 53
"""Bits of an integer that is a float, exactly."""

ORDERS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
"""Functions in C++ that compare floats."""


def constant(value: Any) -> Scalar:
    """A number that is written in the source, or known for another reason.

    Examples
    --------
    >>> constant(2).code, constant(0.1).code
    ('((i64)2)', '0x1.999999999999ap-4')
    >>> constant(np.int16(-1)).code, constant(np.float32(0.5)).code
    ('((int16_t)18446744073709551615ULL)', '((float)0x1.0000000000000p-1)')
    """
    if isinstance(value, bool):
        return Scalar("true" if value else "false", BOOL, const=value)
    if isinstance(value, int):
        bits = size(value.bit_length())
        if bits > 62:
            raise Declined("an integer of more than 62 bits")
        return Scalar(f"((i64){value})", Number("py", "int64", bits), const=value)
    if isinstance(value, float):
        return Scalar(_literal(value), FLOAT, const=value)
    if isinstance(value, complex):
        code = f"Complex({_literal(value.real)}, {_literal(value.imag)})"
        return Scalar(code, Number("py", "complex128"), const=value)
    if isinstance(value, np.generic):
        return _numpy_constant(value)
    raise Declined(f"a constant {type(value).__name__}")


def _numpy_constant(value: Any) -> Scalar:
    """A NumPy scalar that is part of the code."""
    dtype = value.dtype.name
    kind = Number("np", dtype, 1 if dtype == "bool" else FULL)
    if dtype == "bool":
        return Scalar("true" if value else "false", kind)
    if dtype == "complex128":
        return Scalar(
            f"Complex({_literal(float(value.real))}, {_literal(float(value.imag))})", kind
        )
    if value.dtype.kind == "f":
        return Scalar(f"(({CTYPES[dtype]}){_literal(float(value))})", kind)
    return Scalar(f"(({CTYPES[dtype]}){int(value) % (1 << 64)}ULL)", kind)


def large_constant(dtype: str, value: int) -> Scalar:
    """A number of an integer dtype, of more bits than Python's integers have here.

    Examples
    --------
    >>> large_constant("uint64", 0xF000000000000001).code
    '((uint64_t)17293822569102704641ULL)'

    Raises
    ------
    Declined
        When it does not fit: NumPy raises.
    """
    if not 0 <= value <= np.iinfo(dtype).max:
        raise Declined(f"an integer that does not fit into {dtype}")
    return Scalar(f"(({CTYPES[dtype]}){value}ULL)", Number("np", dtype))


def _literal(value: float) -> str:
    if np.isnan(value):
        return "NAN"
    if np.isinf(value):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    text = value.hex()
    return f"({text})" if text.startswith("-") else text


def tag_of(value: Scalar) -> str:
    """A C++ expression: 0 for Python's number, 1 for NumPy's, 2 for a Python integer."""
    if value.type.is_tagged:
        return value.tag
    return "0" if value.type.origin == "py" else "1"


def binary(name: str, left: Scalar, right: Scalar, *, wraps: bool = False) -> Scalar:
    """An arithmetic operator between two numbers.

    Where it wraps, only the last bits of Python's integers are asked for.
    """
    a, b = left.type, right.type
    if a.origin == b.origin == "py" and not a.mixed and not b.mixed:
        known = _folded(name, left.const, right.const)
        if known is not None:
            return constant(known)
        return python_numbers.binary(name, left, right, wraps=wraps)
    if is_numpys(a) or is_numpys(b):
        return _numpy(name, left, right)
    return _undecided(name, left, right)


def is_numpys(type: Number) -> bool:
    """Whether a number is surely NumPy's: what may be a Python integer is not."""
    return type.origin == "np" and not type.mixed


_FOLDED: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "power": operator.pow,
    "left_shift": operator.lshift,
}


def _folded(name: str, left: Any, right: Any) -> int | None:
    """What two constants give, such as ``2**32 - 1``; None where nobody computes that now.

    Examples
    --------
    >>> _folded("power", 2, 32), _folded("power", 2, 62), _folded("power", 2, -1)
    (4294967296, None, None)
    """
    if type(left) is not int or type(right) is not int:
        return None
    if name not in _FOLDED or (name in ("power", "left_shift") and not 0 <= right < 62):
        return None
    value = _FOLDED[name](left, right)
    return value if abs(value) < 1 << 62 else None


_WHOLE = (
    *("add", "subtract", "multiply", "floor_divide", "remainder"),
    *("bitwise_and", "bitwise_or", "bitwise_xor"),
)
"""What gives the same for integers of Python's and of NumPy's, where there is room for it."""


def _as_pythons(value: Scalar) -> Scalar:
    """A number, as if it were Python's."""
    kind = value.type
    if kind.dtype in NARROW:
        return Scalar(f"(i64){value.code}", INT)
    return Scalar(value.code, Number("py", kind.dtype, kind.bits), const=value.const)


def _undecided(name: str, left: Scalar, right: Scalar) -> Scalar:
    """Where neither is surely NumPy's, and one may be."""
    a, b = left.type, right.type
    if _gives_integers(name, a, b):
        if wholes.are_allowed and name in SIMPLE and _are_exact(a, b):
            wholes.were_made = True
            return _whole_or_float(name, left, right)
        return binary(name, _later(left), _later(right))
    origin: Origin = "any"
    tag = f"(({tag_of(left)}) == 1 || ({tag_of(right)}) == 1)"
    if a.origin == b.origin == "py":
        origin = "py"
    dtypes = {a.dtype, b.dtype}
    if dtypes <= {"float64", "int64", *NARROW} and "float64" in dtypes:
        made = python_numbers.floats(name, _as_pythons(left), _as_pythons(right))
        return Scalar(made.code, Number(origin, "float64"), tag if origin == "any" else "")
    if dtypes == {"int64"} and name in _WHOLE:
        made = python_numbers.binary(name, _as_pythons(left), _as_pythons(right))
        return Scalar(made.code, Number("any", "int64", made.type.bits), tag)
    if dtypes == {"int64"} and name == "true_divide":
        x, y = f"exactly({left.code})", f"exactly({right.code})"
        return Scalar(f"python_div({x}, {y})", Number("any", "float64"), tag)
    if dtypes != {"int64"} and name in (*_WHOLE, "true_divide"):
        return _undecided_narrow(name, left, right, tag)
    raise Declined("a number that is Python's or NumPy's, as it comes")


def _undecided_narrow(name: str, left: Scalar, right: Scalar, tag: str) -> Scalar:
    """Arithmetic of integers of which one is a Python integer or one of NumPy's small ones."""
    kinds = (left.type, right.type)
    numpys = {kind.dtype for kind in kinds if kind.origin != "py"}
    pythons = {kind.dtype for kind in kinds if kind.origin == "py"}
    if len(numpys) > 1 or not numpys <= {*NARROW} or not pythons <= {"int64"}:
        raise Declined("a number that is Python's or NumPy's, as it comes")
    # Beside NumPy's number both must fit, and what does not fit wraps around.
    (dtype,) = numpys
    c = CTYPES[dtype]
    parts = (Scalar(f"(i64)fitting<{c}>((i64){part.code})", INT) for part in (left, right))
    made = python_numbers.binary(name, *parts)
    if name == "true_divide":
        return Scalar(made.code, Number("any", "float64"), tag)
    return Scalar(f"fitting<{c}>({made.code})", Number("any", dtype), tag)


def _gives_integers(name: str, a: Number, b: Number) -> bool:
    """Whether a result may be an integer where a number is an integer at first."""
    if a.mixed and b.mixed:
        return name != "true_divide"
    if not a.mixed and not b.mixed:
        return False
    other = b if a.mixed else a
    return other.dtype != "float64" and (name != "true_divide" or other.bits > EXACT)


class Wholes(threading.local):
    """Whether sums of numbers that are integers at first may be such numbers, too.

    Not everything takes them. So a translation that has been declined is tried once more without:
    such a run is left to Python while they are integers.

    Attributes
    ----------
    are_allowed : bool
        Whether they may.
    were_made : bool
        Whether that has made a difference.
    """

    are_allowed = True
    were_made = False

    @contextlib.contextmanager
    def allowed(self, allowed: bool) -> Iterator[None]:
        """Translate with or without them."""
        before, self.are_allowed, self.were_made = self.are_allowed, allowed, False
        try:
            yield
        finally:
            self.are_allowed = before


wholes = Wholes()


def _are_exact(a: Number, b: Number) -> bool:
    """Whether a double has each value of two numbers, of which one is an integer at first."""
    return all(
        type.dtype == "float64"
        if type.mixed
        else (type.origin, type.dtype) == ("py", "int64") and type.bits <= EXACT
        for type in (a, b)
    )


def _whole_or_float(name: str, left: Scalar, right: Scalar) -> Scalar:
    """A sum, a difference or a product that is an integer where both numbers are."""
    kinds = {part.type.origin for part in (left, right) if part.type.mixed}
    origin: Origin = kinds.pop() if len(kinds) == 1 else "any"
    tags = [part.tag if part.type.mixed else "2" for part in (left, right)]
    tag = f"tag_of_two({tags[0]}, {tags[1]})"
    x, y = (cast(part.code, part.type.dtype, "float64") for part in (left, right))
    code = f"whole_or_float({tag}, {x} {SIMPLE[name]} {y})"
    return Scalar(code, Number(origin, "float64", mixed=True), tag)


def _later(value: Scalar) -> Scalar:
    """A number that is an integer at first and a float later; as an integer it is Python's."""
    kind = value.type
    if not kind.mixed:
        return value
    return Scalar(f"later({value.tag}, {value.code})", replace(kind, mixed=False), value.tag)


def _numpy(name: str, left: Scalar, right: Scalar) -> Scalar:
    """Where one is surely NumPy's, the result is."""
    loop = common(name, operands(left.type), operands(right.type))
    x, y = as_loop(left, loop[0].name), as_loop(right, loop[1].name)
    result = Number("np", loop[-1].name)
    return Scalar(loop_code(name, loop, x, y, right.const, scalar=True), result)


def compare(symbol: str, name: str, left: Scalar, right: Scalar) -> Scalar:
    """A comparison of two arithmetic."""
    a, b = left.type, right.type
    if "complex128" in (a.dtype, b.dtype) and symbol not in ("==", "!="):
        raise Declined("an order of complex numbers")
    if is_numpys(a) or is_numpys(b):
        result, tag = Number("np", "bool", 1), ""
    elif a.origin == b.origin == "py":
        result, tag = BOOL, ""
    else:
        result = Number("any", "bool", 1)
        tag = f"(({tag_of(left)}) == 1 || ({tag_of(right)}) == 1)"
    dtypes = (a.dtype, b.dtype)
    if "complex128" in dtypes:
        x, y = cast(left.code, a.dtype, "complex128"), cast(right.code, b.dtype, "complex128")
    elif "float64" in dtypes and ("int64" in dtypes or "uint64" in dtypes):
        # Python compares exactly; so do doubles, while the integer is one.
        integer = a if a.dtype != "float64" else b
        if integer.bits > 53:
            x = f"exactly({left.code})" if a is integer else left.code
            y = f"exactly({right.code})" if b is integer else right.code
        else:
            x = cast(left.code, a.dtype, "float64")
            y = cast(right.code, b.dtype, "float64")
    elif a.origin != "py" or b.origin != "py":
        if np.dtype(a.dtype).kind != np.dtype(b.dtype).kind and {"u", "i"} == {a.kind, b.kind}:
            x, y = f"(i64){left.code}", f"(i64){right.code}"
            if "uint64" in dtypes:
                raise Declined("a comparison of signed and unsigned integers")
        else:
            loop = (
                common(name, operands(a), operands(b)) if a.kind == "f" or b.kind == "f" else None
            )
            x = cast(left.code, a.dtype, loop[0].name) if loop else left.code
            y = cast(right.code, b.dtype, loop[1].name) if loop else right.code
    else:
        x, y = left.code, right.code
    if symbol in ORDERS and "f" in (a.kind, b.kind):
        c = "float" if {a.dtype, b.dtype} == {"float32"} else "double"
        return Scalar(f"{ORDERS[symbol]}<{c}>({x}, {y})", result, tag)
    return Scalar(f"({x} {symbol} {y})", result, tag)


def unary(op: ast.unaryop, value: Scalar) -> Scalar:
    """An operator before a number."""
    kind = value.type
    if isinstance(op, ast.Not):
        return Scalar(f"(!{truth(value)})", BOOL)
    if kind.mixed and kind.dtype == "float64" and isinstance(op, ast.USub):
        return Scalar(f"whole_or_float({value.tag}, -{value.code})", kind, value.tag)
    if kind.mixed:
        raise Declined("a number that is an integer at first and a float later")
    if isinstance(op, ast.USub):
        if value.const is not None and not isinstance(value.const, bool) and kind.origin == "py":
            return constant(-value.const)
        if kind.dtype == "bool":
            raise Declined("minus a truth value")
        if kind.kind in "iu":
            if kind.kind == "u":
                raise Declined("minus an unsigned integer")
            code = (
                f"(-{value.code})" if kind.bits < FULL else f"checked_neg<{kind.c}>({value.code})"
            )
            return Scalar(code, kind, value.tag)
        return Scalar(f"(-{value.code})", kind, value.tag)
    if isinstance(op, ast.UAdd):
        if kind.dtype == "bool":
            raise Declined("plus a truth value")
        return value
    if kind.dtype == "bool" and kind.origin == "np":
        return Scalar(f"(!{value.code})", kind)
    if kind.kind in "iu":
        return Scalar(f"(({kind.c})(~{value.code}))", kind, value.tag)
    raise Declined(f"~ of {kind.dtype}")


def truth(value: Scalar) -> str:
    """A C++ condition: whether a number is true."""
    if value.type.dtype == "bool":
        return f"({value.code})"
    if value.type.dtype == "complex128":
        return f"({value.code} != Complex(0.0))"
    return f"({value.code} != 0)"
