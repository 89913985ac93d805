"""Arithmetic on Python's numbers: integers, which say when 64 bits are not enough, and floats."""

from __future__ import annotations

from jupyter_npcompile.loops.inner_loops import BITS, CHECKED, SIMPLE, power_of_two
from jupyter_npcompile.loops.kinds import (
    BOOL,
    COUNTER,
    FLOAT,
    FULL,
    INT,
    STEP,
    Declined,
    Number,
    size,
)
from jupyter_npcompile.loops.promotion import cast
from jupyter_npcompile.loops.values import Scalar


def binary(name: str, left: Scalar, right: Scalar, *, wraps: bool = False) -> Scalar:
    """An arithmetic operator; of integers the last bits only, where it wraps.

    Raises
    ------
    Declined
        When loops do not have it.
    """
    a, b = left.type, right.type
    if "complex128" in (a.dtype, b.dtype):
        if name not in ("add", "subtract", "multiply"):
            raise Declined(f"`{name}` of complex numbers of Python's")
        x, y = cast(left.code, a.dtype, "complex128"), cast(right.code, b.dtype, "complex128")
        return Scalar(f"({x} {SIMPLE[name]} {y})", Number("py", "complex128"))
    if "float64" in (a.dtype, b.dtype):
        return floats(name, left, right)
    if name in BITS:
        if a.dtype == b.dtype == "bool":
            return Scalar(f"(bool)({left.code} {BITS[name]} {right.code})", BOOL)
        code = f"((i64){left.code} {BITS[name]} (i64){right.code})"
        masks = [s.const for s in (left, right) if isinstance(s.const, int) and s.const >= 0]
        bits = min(masks).bit_length() if masks and name == "bitwise_and" else max(a.bits, b.bits)
        return Scalar(code, Number("py", "int64", size(bits)))
    x, y = cast(left.code, a.dtype, "int64"), cast(right.code, b.dtype, "int64")
    if name == "left_shift":
        bits = FULL
        if isinstance(right.const, int) and right.const >= 0 and a.bits + right.const < 62:
            bits = size(a.bits + right.const)
        code = f"shift_left({x}, {y})"
        if wraps and isinstance(right.const, int) and 0 <= right.const < 64:
            code = f"(i64)((uint64_t){x} << {right.const})"
        return Scalar(code, Number("py", "int64", bits))
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
            return binary("multiply", left, left)
        return Scalar(f"checked_pow<i64>({x}, {y})", INT)
    bits = size(a.bits + b.bits if name == "multiply" else max(a.bits, b.bits) + 1)
    if _counts(name, left, right) or _counts(name, right, left):
        bits = COUNTER
    if bits <= 62 or wraps:
        return Scalar(f"({x} {SIMPLE[name]} {y})", Number("py", "int64", min(bits, FULL)))
    return Scalar(f"{CHECKED[name]}<i64>({x}, {y})", INT)


def _counts(name: str, value: Scalar, step: Scalar) -> bool:
    """Whether something small is added to a counter."""
    constant = isinstance(step.const, int) and abs(step.const) <= STEP
    small = constant or 1 << step.type.bits <= STEP
    return name != "multiply" and small and value.type.bits == COUNTER


def floats(name: str, left: Scalar, right: Scalar) -> Scalar:
    """An arithmetic operator between numbers of which one is a float.

    Raises
    ------
    Declined
        When floats do not have it.
    """
    x = cast(left.code, left.type.dtype, "float64")
    y = cast(right.code, right.type.dtype, "float64")
    if name in SIMPLE:
        return Scalar(f"({x} {SIMPLE[name]} {y})", FLOAT)
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
