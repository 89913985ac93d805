"""Arithmetic on numbers: Python's and NumPy's, each by its own rules."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from jupyter_npcompile.loops.kinds import (
    BOOL,
    COUNTER,
    CTYPES,
    FLOAT,
    FULL,
    INT,
    PYTHON,
    STEP,
    Declined,
    Number,
    Origin,
    size,
)
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

ORDERS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
"""Functions in C++ that compare floats."""

_PRODUCTS = {
    3: "cube({0})",
    4: "square(square({0}))",
    1.5: "three_halves({0})",
    -0.5: "inverse_root({0})",
    -1.5: "three_halves(({1})1 / {0})",
    -2: "square(({1})1 / {0})",
    -3: "cube(({1})1 / {0})",
}
"""Powers of floats by products and roots, which are vectorised."""

_SIMPLE = {"add": "+", "subtract": "-", "multiply": "*"}
_CHECKED = {"add": "checked_add", "subtract": "checked_sub", "multiply": "checked_mul"}
_BITS = {"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}


def constant(value: Any) -> Scalar:
    """A number that is written in the source, or known for another reason.

    Examples
    --------
    >>> constant(2).code, constant(0.1).code
    ('((i64)2)', '0x1.999999999999ap-4')
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
    raise Declined(f"a constant {type(value).__name__}")


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


def operand(type: Number) -> Any:
    """A number as NumPy's rules of promotion see it.

    Examples
    --------
    >>> operand(INT), operand(Number("np", "float32"))
    (<class 'int'>, dtype('float32'))
    """
    if type.origin == "py" and not type.mixed:
        return PYTHON[type.dtype]
    return np.dtype(type.dtype)


def operands(type: Number) -> list[Any]:
    """All that a number may be, as NumPy's rules of promotion see it."""
    found: list[Any] = []
    if type.mixed:
        found.append(int)
    if type.origin in ("py", "any"):
        found.append(PYTHON[type.dtype])
    if type.origin in ("np", "any"):
        found.append(np.dtype(type.dtype))
    return found


def resolve(name: str, *kinds: Any) -> tuple[np.dtype[Any], ...]:
    """The dtypes in which a ufunc computes.

    Parameters
    ----------
    name : str
        A ufunc of NumPy with one result.
    *kinds : dtype or type
        Dtypes, and ``int``, ``float``, ``complex`` for Python's arithmetic.

    Returns
    -------
    tuple of dtype
        One for each operand, and the result's.

    Examples
    --------
    >>> resolve("add", np.dtype("float32"), float)
    (dtype('float32'), dtype('float32'), dtype('float32'))
    """
    if all(kind in (int, float, complex, bool) for kind in kinds):
        kinds = tuple(np.dtype(kind) for kind in kinds)
    given = tuple(np.dtype(bool) if kind is bool else kind for kind in kinds)
    try:
        found = getattr(np, name).resolve_dtypes((*given, None))
    except TypeError:
        raise Declined(f"np.{name} of {' and '.join(map(str, kinds))}") from None
    if any(dtype.name not in CTYPES for dtype in found):
        raise Declined(f"np.{name} of {' and '.join(map(str, kinds))}")
    return tuple(found)


def common(name: str, *types: list[Any]) -> tuple[np.dtype[Any], ...]:
    """The dtypes in which a ufunc computes, whatever the operands turn out to be.

    Raises
    ------
    Declined
        When that depends on what they turn out to be.
    """
    results: set[tuple[np.dtype[Any], ...]] = set()
    combinations: list[tuple[Any, ...]] = [()]
    for kinds in types:
        combinations = [(*c, kind) for c in combinations for kind in kinds]
    for combination in combinations:
        results.add(resolve(name, *combination))
    outcomes = {found[-1] for found in results}
    if len(outcomes) > 1:
        raise Declined("the dtype depends on whether a number is Python's or NumPy's")
    return max(results, key=lambda found: [d.itemsize for d in found])


def cast(code: str, source: str, target: str) -> str:
    """Convert a value that a ufunc takes; such conversions are always exact enough for NumPy.

    Examples
    --------
    >>> cast("x", "int64", "float64")
    '((double)x)'
    """
    if source == target:
        return code
    if target == "bool":
        return f"({code} != 0)"
    if source == "complex128":
        raise Declined("a complex number becomes a real one")
    if target == "complex128":
        return f"Complex((double){code})"
    return f"(({CTYPES[target]}){code})"


def weak(code: str, dtype: str, *, checked: bool = True) -> str:
    """A Python integer as a number of an integer dtype: an error where it does not fit."""
    if dtype == "int64":
        return code
    return f"fitting<{CTYPES[dtype]}>({code})"


def as_loop(value: Scalar, dtype: str) -> str:
    """A number as an operand of a ufunc that computes in a dtype."""
    if (
        value.type.origin == "py"
        and value.type.dtype == "int64"
        and np.dtype(dtype).kind in "iu"
        and not value.type.mixed
    ):
        return weak(value.code, dtype)
    return cast(value.code, value.type.dtype, dtype)


def binary(name: str, left: Scalar, right: Scalar) -> Scalar:
    """An arithmetic operator between two arithmetic."""
    a, b = left.type, right.type
    if a.origin == b.origin == "py" and not a.mixed and not b.mixed:
        return _python(name, left, right)
    if a.origin != "np" and b.origin != "np":
        return _undecided(name, left, right)
    return _numpy(name, left, right)


def _python(name: str, left: Scalar, right: Scalar) -> Scalar:
    a, b = left.type, right.type
    if "complex128" in (a.dtype, b.dtype):
        if name not in ("add", "subtract", "multiply"):
            raise Declined(f"`{name}` of complex numbers of Python's")
        x, y = cast(left.code, a.dtype, "complex128"), cast(right.code, b.dtype, "complex128")
        return Scalar(f"({x} {_SIMPLE[name]} {y})", Number("py", "complex128"))
    if "float64" in (a.dtype, b.dtype):
        return _python_floats(name, left, right)
    if name in _BITS:
        if a.dtype == b.dtype == "bool":
            return Scalar(f"(bool)({left.code} {_BITS[name]} {right.code})", BOOL)
        code = f"((i64){left.code} {_BITS[name]} (i64){right.code})"
        masks = [s.const for s in (left, right) if isinstance(s.const, int) and s.const >= 0]
        bits = min(masks).bit_length() if masks and name == "bitwise_and" else max(a.bits, b.bits)
        return Scalar(code, Number("py", "int64", size(bits)))
    x, y = cast(left.code, a.dtype, "int64"), cast(right.code, b.dtype, "int64")
    if name == "left_shift":
        bits = FULL
        if isinstance(right.const, int) and right.const >= 0 and a.bits + right.const < 62:
            bits = size(a.bits + right.const)
        return Scalar(f"shift_left({x}, {y})", Number("py", "int64", bits))
    if name == "right_shift":
        if isinstance(right.const, int) and 0 <= right.const < 63:
            return Scalar(f"({x} >> {right.const})", Number("py", "int64", a.bits))
        return Scalar(f"shift_right({x}, {y})", Number("py", "int64", a.bits))
    if name == "true_divide":
        return Scalar(f"true_div({x}, {y})", FLOAT)
    power = power_of_two(right.const)
    if name == "floor_divide" and power is not None:
        return Scalar(f"({x} >> {power})", Number("py", "int64", a.bits))
    if name == "remainder" and power is not None:
        return Scalar(f"({x} & {right.const - 1})", Number("py", "int64", b.bits))
    if name == "floor_divide":
        return Scalar(
            f"floor_div<i64>({x}, {y})", Number("py", "int64", size(min(a.bits + 1, FULL)))
        )
    if name == "remainder":
        return Scalar(f"floor_mod<i64>({x}, {y})", Number("py", "int64", b.bits))
    if name == "power":
        if isinstance(right.const, int) and right.const < 0:
            raise Declined("a power of integers whose exponent is negative")
        if right.const == 2:
            return _python("multiply", left, left)
        return Scalar(f"checked_pow<i64>({x}, {y})", INT)
    bits = size(a.bits + b.bits if name == "multiply" else max(a.bits, b.bits) + 1)
    if _counts(name, left, right) or _counts(name, right, left):
        bits = COUNTER
    if bits <= 62:
        return Scalar(f"({x} {_SIMPLE[name]} {y})", Number("py", "int64", bits))
    return Scalar(f"{_CHECKED[name]}<i64>({x}, {y})", INT)


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


def _counts(name: str, value: Scalar, step: Scalar) -> bool:
    """Whether something small is added to a counter."""
    constant = isinstance(step.const, int) and abs(step.const) <= STEP
    small = constant or 1 << step.type.bits <= STEP
    return name != "multiply" and small and value.type.bits == COUNTER


def _python_floats(name: str, left: Scalar, right: Scalar) -> Scalar:
    x = cast(left.code, left.type.dtype, "float64")
    y = cast(right.code, right.type.dtype, "float64")
    if name in _SIMPLE:
        return Scalar(f"({x} {_SIMPLE[name]} {y})", FLOAT)
    if name == "true_divide":
        return Scalar(f"python_div({x}, {y})", FLOAT)
    if name == "power":
        if right.const == 2:
            return Scalar(f"python_square({x})", FLOAT)
        return Scalar(f"python_pow({x}, {y})", FLOAT)
    if name == "remainder":
        return Scalar(f"floor_mod({x}, {y})", FLOAT)
    if name == "floor_divide":
        return Scalar(f"floor_div({x}, {y})", FLOAT)
    raise Declined(f"`{name}` of floats")


def _undecided(name: str, left: Scalar, right: Scalar) -> Scalar:
    """Where neither is surely NumPy's, and one may be."""
    a, b = left.type, right.type
    if (
        (a.mixed and b.dtype != "float64")
        or (b.mixed and a.dtype != "float64")
        or (a.mixed and b.mixed)
    ):
        raise Declined("a number that is an integer at first and a float later")
    origin: Origin = "any"
    tag = f"(({tag_of(left)}) == 1 || ({tag_of(right)}) == 1)"
    if (a.mixed and b.origin == "py") or (b.mixed and a.origin == "py"):
        mixed = a if a.mixed else b
        origin = mixed.origin
    dtypes = {a.dtype, b.dtype}
    if dtypes <= {"float64", "int64"} and "float64" in dtypes:
        plain_left = Scalar(left.code, Number("py", a.dtype, a.bits), const=left.const)
        plain_right = Scalar(right.code, Number("py", b.dtype, b.bits), const=right.const)
        made = _python_floats(name, plain_left, plain_right)
        return Scalar(made.code, Number(origin, "float64"), tag if origin == "any" else "")
    if dtypes == {"int64"} and name in ("add", "subtract", "multiply", "floor_divide", "remainder"):
        plain_left = Scalar(left.code, Number("py", "int64", a.bits), const=left.const)
        plain_right = Scalar(right.code, Number("py", "int64", b.bits), const=right.const)
        made = _python(name, plain_left, plain_right)
        return Scalar(made.code, Number("any", "int64", made.type.bits), tag)
    raise Declined("a number that is Python's or NumPy's, as it comes")


def _numpy(name: str, left: Scalar, right: Scalar) -> Scalar:
    """Where one is surely NumPy's, the result is."""
    loop = common(name, operands(left.type), operands(right.type))
    x, y = as_loop(left, loop[0].name), as_loop(right, loop[1].name)
    result = Number("np", loop[-1].name)
    return Scalar(loop_code(name, loop, x, y, right.const, scalar=True), result)


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
    if name in _SIMPLE:
        if kind in "iu":
            if scalar:
                return f"{_CHECKED[name]}<{c}>({x}, {y})"
            wide = f"(({_unsigned(dtype)}){x} {_SIMPLE[name]} ({_unsigned(dtype)}){y})"
            return f"(({c}){wide})"
        return f"({x} {_SIMPLE[name]} {y})"
    if name == "true_divide":
        return f"({x} / {y})"
    if name in _BITS and kind in "iu":
        return f"(({c})({x} {_BITS[name]} {y}))"
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
    symbol = {"add": "||", "multiply": "&&", "bitwise_and": "&&", "bitwise_or": "||"}.get(name)
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
        return f"square({x})"
    if kind == "c":
        raise Declined("a power of complex numbers")
    # NumPy takes these ways for a number as the exponent of an array.
    if not scalar and exponent == 0.5:
        return f"std::sqrt({x})"
    if not scalar and exponent == -1:
        return f"(({c})1 / {x})"
    if exponent == 1:
        return x
    if not scalar and exponent in _PRODUCTS:
        # NumPy calls pow, from which this is three units in the last place away at most.
        return _PRODUCTS[exponent].format(x, c)
    return f"std::pow({x}, {y})"


def compare(symbol: str, name: str, left: Scalar, right: Scalar) -> Scalar:
    """A comparison of two arithmetic."""
    a, b = left.type, right.type
    if "complex128" in (a.dtype, b.dtype) and symbol not in ("==", "!="):
        raise Declined("an order of complex numbers")
    if a.origin == "np" or b.origin == "np":
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
            python = a.origin == "py" or b.origin == "py"
            if not python:
                raise Declined("a comparison of signed and unsigned integers")
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
