"""Functions of Python and of ``math``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise, indexing, joins, lists, promotion
from jupyter_npcompile.loops.calls import Call, array, elements, number, of, register
from jupyter_npcompile.loops.kinds import BOOL, FLOAT, INT, Declined, Number, Origin, python_type
from jupyter_npcompile.loops.library import aggregates
from jupyter_npcompile.loops.library.ufuncs import ufunc
from jupyter_npcompile.loops.values import (
    Applied,
    Bounds,
    Cut,
    Gathered,
    Items,
    Known,
    Listed,
    Ref,
    Scalar,
    Value,
    Zipped,
)

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

MATH = {
    "sqrt": "math::sqrt({0})",
    "exp": "math::exp({0})",
    "log": "math::log({0})",
    "log2": "math::log2({0})",
    "log10": "math::log10({0})",
    "log1p": "math::log1p({0})",
    "expm1": "math::expm1({0})",
    "sin": "math::sin({0})",
    "cos": "math::cos({0})",
    "tan": "math::tan({0})",
    "asin": "math::asin({0})",
    "acos": "math::acos({0})",
    "atan": "math::atan({0})",
    "sinh": "math::sinh({0})",
    "cosh": "math::cosh({0})",
    "tanh": "math::tanh({0})",
    "fabs": "math::fabs({0})",
    "cbrt": "math::cbrt({0})",
    "atan2": "math::atan2({0}, {1})",
    "hypot": "math::hypot({0}, {1})",
    "copysign": "math::copysign({0}, {1})",
    "fmod": "math::fmod({0}, {1})",
    "radians": "{0} * (M_PI / 180.0)",
    "degrees": "{0} * (180.0 / M_PI)",
}
"""Functions of ``math`` on floats, in C++; what is infinite or NaN is Python's to raise."""


@of(len)
def _len(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1:
        raise Declined("len with these arguments")
    if isinstance(args[0], Items):
        return arithmetic.constant(len(args[0].items))
    if isinstance(args[0], Listed):
        return lists.length(t, args[0])
    return elementwise.as_number(elementwise.shape_of(t.writer, elements(args[0]))[0])


@of(slice)
def _slice(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or not 1 <= len(args) <= 3:
        raise Declined("slice with these arguments")
    bounds = [None if isinstance(a, Known) and a.value is None else number(a) for a in args]
    if len(bounds) == 1:
        bounds.insert(0, None)
    return Cut(bounds[0], bounds[1], bounds[2] if len(bounds) == 3 else None)


@of(range)
def _range(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    bounds = []
    for arg in args:
        if not isinstance(arg, Scalar) or arg.type.kind not in "iub" or arg.type.mixed:
            raise Declined("range of no integers")
        if arg.type.dtype != "int64":
            raise Declined("range of such integers")
        bounds.append(arg)
    if kwargs or not 1 <= len(bounds) <= 3:
        raise Declined("range with these arguments")
    one, zero = arithmetic.constant(1), arithmetic.constant(0)
    if len(bounds) == 1:
        return Bounds(zero, bounds[0], one)
    return Bounds(bounds[0], bounds[1], bounds[2] if len(bounds) == 3 else one)


@of(enumerate)
def _enumerate(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = args[1] if len(args) > 1 else kwargs.get("start", arithmetic.constant(0))
    if set(kwargs) - {"start"} or len(args) + len(kwargs) not in (1, 2) or not args:
        raise Declined("enumerate with these arguments")
    start = number(given)
    if start.type != Number("py", "int64", start.type.bits) or start.type.bits > 32:
        raise Declined("enumerate with such a start")
    endless = Bounds(start, arithmetic.constant((1 << 40) - 1), arithmetic.constant(1))
    return Zipped((endless, args[0]))


@of(divmod)
def _divmod(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 2:
        raise Declined("divmod with these arguments")
    left, right = (number(t.settled(arg)) for arg in args)
    if {left.type.kind, right.type.kind} != {"i"}:
        raise Declined("divmod of numbers that are no integers")
    parts = (arithmetic.binary(name, left, right) for name in ("floor_divide", "remainder"))
    return Items(tuple(t.settled(part) for part in parts))


@of(zip)
def _zip(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or not args:
        raise Declined("zip with these arguments")
    return Zipped(tuple(args))


@of(abs)
def _abs(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1:
        raise Declined("abs with these arguments")
    value = array(args[0])
    if not isinstance(value, Scalar):
        return ufunc(t, "absolute", [value])
    kind = value.type
    if kind.dtype == "bool" or (kind.mixed and kind.dtype != "float64"):
        raise Declined("abs of this number")
    if kind.kind == "f":
        return Scalar(f"math::fabs({value.code})", kind, value.tag)
    if kind.kind == "c":
        result = Number(kind.origin, "float64")
        function = "magnitude" if kind.origin == "np" else "python_magnitude"
        return Scalar(f"{function}({value.code})", result, value.tag)
    x = t.writer.hold(kind.c, value.code)
    return Scalar(f"({x} < 0 ? checked_neg<{kind.c}>({x}) : {x})", kind, value.tag)


@of(sum)
def _sum(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1 or not isinstance(args[0], Listed | Items):
        raise Declined("sum with these arguments")
    some = args[0]
    return aggregates.total(t, some if isinstance(some, Listed) else lists.display(t, some.items))


@of(sorted)
def _sorted(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) != 1 or not isinstance(args[0], Listed | Items):
        raise Declined("sorted with these arguments")
    some = args[0] if isinstance(args[0], Listed) else lists.display(t, args[0].items)
    return aggregates.ordered(t, some, falling=aggregates.falling(kwargs))


@of(reversed)
def _reversed(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1:
        raise Declined("reversed with these arguments")
    if isinstance(args[0], Ref | Applied | Gathered):
        ref = elementwise.materialise(t.writer, args[0])
        backwards = Cut(None, None, arithmetic.constant(-1))
        return indexing.read(t.writer, ref, [backwards])
    if not isinstance(args[0], Bounds):
        raise Declined("reversed with these arguments")
    bounds, step = args[0], args[0].step.const
    if not isinstance(step, int) or not step:
        raise Declined("reversed of such a range")

    def both(name: str, left: Scalar, right: Scalar) -> Scalar:
        return number(t.settled(arithmetic.binary(name, left, right)))

    by, back = arithmetic.constant(step), arithmetic.constant(-step)
    # An empty range stays empty: its last number lies before the first one.
    far = both("subtract", both("subtract", bounds.stop, bounds.start), _sign(step))
    last = both("add", bounds.start, both("multiply", both("floor_divide", far, by), by))
    return Bounds(last, both("subtract", bounds.start, by), back)


def _sign(value: int) -> Scalar:
    return arithmetic.constant(1 if value > 0 else -1)


def _alike(one: Scalar, other: Scalar) -> tuple[Scalar, Scalar]:
    """Two numbers, one of which is chosen; an integer beside a float is a float that says so."""
    if other.type.dtype == "float64" and _is_small(one.type):
        return _as_float(one, other.type.origin), other
    if one.type.dtype == "float64" and _is_small(other.type):
        return one, _as_float(other, one.type.origin)
    if joins.takes_place(one.type, other.type):
        return _as_narrow(one, other.type.dtype), other
    if joins.takes_place(other.type, one.type):
        return one, _as_narrow(other, one.type.dtype)
    return one, other


def _is_small(type: Number) -> bool:
    return type.origin == "py" and type.dtype == "int64" and type.bits <= SMALL


def _as_float(value: Scalar, origin: Origin) -> Scalar:
    return Scalar(f"(double){value.code}", Number(origin, "float64", mixed=True), "2")


def _as_narrow(value: Scalar, dtype: str) -> Scalar:
    return Scalar(promotion.weak(value.code, dtype), Number("any", dtype), "0")


SMALL = 32
"""Bits of an integer that may be chosen instead of a float."""


def _choice(symbol: str) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        if len(args) == 1 and not kwargs and isinstance(args[0], Listed):
            return aggregates.extreme(t, args[0], arithmetic.ORDERS[symbol])
        if len(args) == 1 and isinstance(args[0], Items):
            args = args[0].items
        if kwargs or len(args) < 2:
            raise Declined("min or max with these arguments")
        best = number(args[0])
        for arg in args[1:]:
            best, other = _alike(best, number(arg))
            a, b = best.type, other.type
            if a.dtype != b.dtype:
                raise Declined("min or max of different types")
            x = t.writer.hold(a.c, best.code)
            y = t.writer.hold(b.c, other.code)
            order = arithmetic.ORDERS[symbol]
            chosen = t.writer.hold("bool", f"{order}<{a.c}>({y}, {x})", "b")
            bits = max(a.bits, b.bits)
            code = f"({chosen} ? {y} : {x})"
            if a.kind == "f":
                code = f"picked_{order}<{a.c}>({y}, {x}, {y}, {x})"
            mixed = a.mixed or b.mixed
            if a.origin == b.origin != "any" and not mixed:
                best = Scalar(code, Number(a.origin, a.dtype, bits))
            else:
                tag = f"({chosen} ? {arithmetic.tag_of(other)} : {arithmetic.tag_of(best)})"
                held = t.writer.hold("int", tag, "g")
                origin: Origin = a.origin if a.origin == b.origin else "any"
                best = Scalar(code, Number(origin, a.dtype, bits, mixed), held)
        return best

    return call


register(min, _choice("<"))


register(max, _choice(">"))


@of(any, all, list)
def _of_items(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    raise Declined("any, all or list of something other than a generator expression")


@of(bin)
def _bin(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    raise Declined("bin(n), but for bin(n).count('1')")


@of(int)
def _int(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1:
        raise Declined("int with these arguments")
    value = number(args[0])
    kind = value.type.kind
    if kind == "f":
        return Scalar(f"truncated((double){value.code})", INT)
    if kind == "c" or value.type.dtype == "uint64":
        raise Declined(f"int of {value.type.dtype}")
    bits = value.type.bits
    if value.type.origin == "np" and kind in "iu":
        bits = min(bits, np.dtype(value.type.dtype).itemsize * 8)
    return Scalar(f"((i64){value.code})", Number("py", "int64", min(bits, 63)))


@of(float)
def _float(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1:
        raise Declined("float with these arguments")
    if isinstance(args[0], Known) and isinstance(args[0].value, str):
        try:
            return arithmetic.constant(float(args[0].value))
        except ValueError:
            raise Declined("float of this text") from None
    value = number(args[0])
    if value.type.kind == "c":
        raise Declined("float of a complex number")
    if value.type.kind in "iu" and value.type.bits > 53:
        return Scalar(f"exactly((i64){value.code})", FLOAT)
    return Scalar(f"((double){value.code})", FLOAT)


@of(round)
def _round(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1:
        raise Declined("round with these arguments")
    value = number(args[0])
    if value.type.kind == "f" and not value.type.mixed:
        return Scalar(f"to_int(math::nearbyint((double){value.code}))", INT)
    if value.type.origin == "py" and value.type.dtype == "int64":
        return value
    raise Declined("round of such a number")


@of(complex)
def _complex(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or not 1 <= len(args) <= 2:
        raise Declined("complex with these arguments")
    parts = [number(arg) for arg in args]
    if any(
        part.type.kind != "f" and (part.type.kind not in "iu" or part.type.bits > 53)
        for part in parts
    ):
        raise Declined("complex of such numbers")
    code = ", ".join(f"(double){part.code}" for part in parts)
    return Scalar(f"Complex({code})", Number("py", "complex128"))


@of(isinstance)
def _isinstance(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 2:
        raise Declined("isinstance with these arguments")
    parts = args[1].items if isinstance(args[1], Items) else (args[1],)
    kinds = tuple(part.value for part in parts if isinstance(part, Known))
    if len(kinds) < len(parts) or not all(map(_is_class, kinds)):
        raise Declined("isinstance of something that is no class")
    answers = {issubclass(kind, kinds) for kind in _classes(args[0])}
    if len(answers) != 1:
        raise Declined("isinstance of a number that is Python's or NumPy's, as it comes")
    return arithmetic.constant(answers.pop())


def _is_class(value: object) -> bool:
    """Whether a value is a class that has no opinion of its own about what belongs to it."""
    plain = type(value) is type
    return plain or (isinstance(value, type) and value.__module__ in ("numbers", "collections.abc"))


def _classes(value: Value) -> list[type]:
    """The classes that a value may be of."""
    if isinstance(value, Scalar):
        found: list[type] = [int] if value.type.mixed else []
        found += [python_type(value.type.dtype)] if value.type.origin != "np" else []
        found += [np.dtype(value.type.dtype).type] if value.type.origin != "py" else []
        return found
    if isinstance(value, Ref | Applied | Gathered):
        return [np.ndarray]
    if isinstance(value, Items):
        return [list if value.is_list else tuple]
    if isinstance(value, Listed):
        return [list]
    if isinstance(value, Known):
        return [type(value.value)]
    raise Declined("isinstance of such a value")


@of(bool)
def _bool(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1:
        raise Declined("bool with these arguments")
    return Scalar(arithmetic.truth(number(args[0])), BOOL)


def _scalar_type(dtype: str) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        if kwargs or len(args) != 1:
            raise Declined(f"np.{dtype} with these arguments")
        value = number(args[0])
        if np.dtype(dtype).kind in "iu" and value.type.kind == "f":
            raise Declined(f"np.{dtype} of a float")
        if value.type.kind in "iu" and np.dtype(dtype).kind in "iu":
            if value.type.origin == "py":
                return Scalar(promotion.weak(value.code, dtype), Number("np", dtype))
            if not np.can_cast(value.type.dtype, dtype):
                raise Declined(f"np.{dtype} of {value.type.dtype}")
        code = promotion.cast(value.code, value.type.dtype, dtype)
        return Scalar(code, Number("np", dtype, 1 if dtype == "bool" else 63))

    return call


for _name in (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64"),
):
    register(np.dtype(_name).type, _scalar_type(_name))


def _call_math(name: str, template: str) -> Call:
    count = 2 if "{1}" in template else 1

    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        if kwargs or len(args) != count:
            raise Declined(f"math.{name} with these arguments")
        values = [number(arg) for arg in args]
        if any(v.type.kind == "c" for v in values):
            raise Declined(f"math.{name} of complex numbers")
        held = [
            t.writer.hold("double", promotion.cast(v.code, v.type.dtype, "float64")) for v in values
        ]
        result = template.format(*held)
        for x in held:
            result = f"math_domain({x}, {result})"
        return Scalar(t.writer.hold("double", result), FLOAT)

    return call


for _name, _template in MATH.items():
    if hasattr(math, _name):
        register(getattr(math, _name), _call_math(_name, _template))


def _rounded(name: str) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        if kwargs or len(args) != 1:
            raise Declined(f"math.{name} with these arguments")
        value = number(args[0])
        if value.type.kind != "f":
            raise Declined(f"math.{name} of {value.type.dtype}")
        return Scalar(f"to_int(math::{name}((double){value.code}))", INT)

    return call


for _name in ("floor", "ceil", "trunc"):
    register(getattr(math, _name), _rounded(_name))


def _asked(name: str) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        value = number(args[0])
        if kwargs or len(args) != 1 or value.type.kind == "c":
            raise Declined(f"math.{name} with these arguments")
        return Scalar(f"math::{name}((double){value.code})", BOOL)

    return call


for _name in ("isnan", "isinf", "isfinite"):
    register(getattr(math, _name), _asked(_name))


def _of_integers(name: str, count: int, code: str) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        parts = [number(arg) for arg in args]
        if kwargs or len(parts) != count or any(_is_no_integer(part) for part in parts):
            raise Declined(f"math.{name} with these arguments")
        held = [t.writer.hold("i64", f"(i64){part.code}") for part in parts]
        return Scalar(t.writer.hold("i64", code.format(*held)), INT)

    return call


def _is_no_integer(value: Scalar) -> bool:
    return value.type.mixed or value.type.kind not in "iu" or value.type.dtype == "uint64"


register(math.gcd, _of_integers("gcd", 2, "common_divisor({0}, {1})"))
register(math.isqrt, _of_integers("isqrt", 1, "whole_root({0})"))
register(math.factorial, _of_integers("factorial", 1, "factorial({0})"))
