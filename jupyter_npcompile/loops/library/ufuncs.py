"""NumPy's ufuncs on numbers and arrays, in C++."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise, inner_loops, promotion
from jupyter_npcompile.loops.calls import Call, array, register
from jupyter_npcompile.loops.kinds import CTYPES, Declined, Number
from jupyter_npcompile.loops.values import Lazy, Scalar, Value, dtype_of

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

UNARY = {
    "sqrt": "math::sqrt({0})",
    "exp": "math::exp({0})",
    "exp2": "math::exp2({0})",
    "expm1": "math::expm1({0})",
    "log": "math::log({0})",
    "log2": "math::log2({0})",
    "log10": "math::log10({0})",
    "log1p": "math::log1p({0})",
    "sin": "math::sin({0})",
    "cos": "math::cos({0})",
    "tan": "math::tan({0})",
    "arcsin": "math::asin({0})",
    "arccos": "math::acos({0})",
    "arctan": "math::atan({0})",
    "sinh": "math::sinh({0})",
    "cosh": "math::cosh({0})",
    "tanh": "math::tanh({0})",
    "arcsinh": "math::asinh({0})",
    "arccosh": "math::acosh({0})",
    "arctanh": "math::atanh({0})",
    "cbrt": "math::cbrt({0})",
    "fabs": "math::fabs({0})",
    "floor": "math::floor({0})",
    "ceil": "math::ceil({0})",
    "trunc": "math::trunc({0})",
    "rint": "math::nearbyint({0})",
    "square": "square({0})",
    "negative": "(-{0})",
    "positive": "({0})",
    "reciprocal": "(1 / {0})",
    "sign": "np_sign({0})",
    "absolute": "math::fabs({0})",
    "deg2rad": "({0} * 0.017453292519943295)",
    "rad2deg": "({0} * 57.295779513082323)",
    "radians": "({0} * 0.017453292519943295)",
    "degrees": "({0} * 57.295779513082323)",
    "isnan": "({0} != {0})",
    "isinf": "math::isinf({0})",
    "isfinite": "math::isfinite({0})",
    "signbit": "math::signbit({0})",
}
"""Ufuncs of one floating-point number, in C++."""


VECTORS = {"exp": "quick_exp({0})", "log": "quick_log({0})"}
"""Ufuncs of arrays of float64 that are written in C++, and are no calls: see mathematics.hpp."""


INTEGERS = {
    "floor": "{0}",
    "ceil": "{0}",
    "trunc": "{0}",
    "positive": "{0}",
    "square": "wrapping_pow<{c}>({0}, 2)",
    "sign": "np_sign<{c}>({0})",
    "absolute": "(({c})({0} < 0 ? -(uint64_t){0} : (uint64_t){0}))",
    "negative": "(({c})(-(uint64_t){0}))",
    "invert": "(({c})(~{0}))",
}
"""Ufuncs of one integer, in C++."""


COMPLEX = {
    "absolute": "np_abs({0})",
    "negative": "(-{0})",
    "positive": "({0})",
    "square": "({0} * {0})",
    "conjugate": "Complex({0}.re, -{0}.im)",
    "exp": "complex_exp({0})",
    "sqrt": "complex_sqrt({0})",
}
"""Ufuncs of one complex number, in C++."""


BINARY = {
    "maximum": "np_max<{c}>({0}, {1})",
    "minimum": "np_min<{c}>({0}, {1})",
    "at_least": "at_least<{c}>({0}, {1})",
    "at_most": "at_most<{c}>({0}, {1})",
    "hypot": "math::hypot({0}, {1})",
    "arctan2": "math::atan2({0}, {1})",
    "copysign": "math::copysign({0}, {1})",
    "fmax": "math::fmax({0}, {1})",
    "fmin": "math::fmin({0}, {1})",
    "logaddexp": "logaddexp({0}, {1})",
    "heaviside": "np_heaviside({0}, {1})",
}
"""Ufuncs of two numbers that are no operators, in C++."""


CLIPPED = ("at_least", "at_most")
"""What ``np.clip`` does with bounds that are numbers: no ufuncs, but by the rules of one."""


OF_ANY_ORDER = ("maximum", "minimum", *CLIPPED)
"""Those of them that integers have, too."""


ARITHMETIC = frozenset(arithmetic.UFUNCS.values()) - {"matmul"}


COMPARED = {name: symbol for symbol, name in arithmetic.COMPARISONS.values()}


def ufunc(t: Names, name: str, values: Sequence[Lazy | Scalar]) -> Lazy | Scalar:
    """Call a ufunc on arrays and arithmetic."""
    if len(values) == 2:
        return _binary_ufunc(t, name, values[0], values[1])
    (value,) = values
    loop = promotion.common(name, elementwise.kinds_of(value))
    kind, result = loop[0].kind, loop[-1].name
    tables = {"f": UNARY, "i": INTEGERS, "u": INTEGERS, "c": COMPLEX}
    template = tables.get(kind, {}).get(name)
    if name == "logical_not" or (name == "invert" and kind == "b"):
        template = "(!{0})"
    if template is None:
        raise Declined(f"np.{name} of {loop[0].name}")
    template = template.replace("{c}", CTYPES[loop[0].name])
    if isinstance(value, Scalar):
        if kind in "iu" and name in ("negative", "absolute", "square"):
            raise Declined(f"np.{name} of an integer")
        return _scalar(t, template, [value], loop)
    if loop[0].name == "float64":
        template = VECTORS.get(name, template)
    values, (x,) = elementwise.operands_in([loop[0].name], [value])
    return elementwise.apply(template.replace("{0}", x), values, result)


def _scalar(
    t: Names, template: str, values: Sequence[Scalar], loop: Sequence[np.dtype[Any]]
) -> Scalar:
    held = [
        t.writer.hold(CTYPES[d.name], promotion.as_loop(v, d.name))
        for v, d in zip(values, loop, strict=False)
    ]
    result = loop[-1].name
    return Scalar(template.format(*held), Number("np", result, 1 if result == "bool" else 63))


def _binary_ufunc(t: Names, name: str, a: Lazy | Scalar, b: Lazy | Scalar) -> Lazy | Scalar:
    both = [v for v in (a, b) if isinstance(v, Scalar)]
    if name in COMPARED:
        if len(both) == 2:
            return _as_numpy(arithmetic.compare(COMPARED[name], name, *both))
        return elementwise.compare(COMPARED[name], name, a, b)
    if name in ARITHMETIC:
        if len(both) == 2:
            loop = promotion.common(name, *(promotion.operands(v.type) for v in both))
            x, y = (promotion.as_loop(v, d.name) for v, d in zip(both, loop, strict=False))
            code = inner_loops.loop_code(name, loop, x, y, both[1].const, scalar=True)
            return Scalar(code, Number("np", loop[-1].name))
        return elementwise.binary(name, a, b)
    if name.startswith("logical_"):
        symbol = {"logical_and": "&", "logical_or": "|", "logical_xor": "!="}[name]
        template = f"((bool)({{0}} != 0) {symbol} (bool)({{1}} != 0))"
        loop = (np.dtype(dtype_of(a)), np.dtype(dtype_of(b)), np.dtype(bool))
        if "c" in (loop[0].kind, loop[1].kind):
            raise Declined(f"np.{name} of complex numbers")
    else:
        if name not in BINARY:
            raise Declined(f"np.{name}")
        rules = "maximum" if name in CLIPPED else name
        loop = promotion.common(rules, elementwise.kinds_of(a), elementwise.kinds_of(b))
        if loop[0].kind == "c" or (loop[0].kind != "f" and name not in OF_ANY_ORDER):
            raise Declined(f"np.{name} of {loop[0].name}")
        template = BINARY[name].replace("{c}", CTYPES[loop[0].name])
    if len(both) == 2:
        return _scalar(t, template, both, loop)
    values, (x, y) = elementwise.operands_in([loop[0].name, loop[1].name], (a, b))
    template = template.replace("{0}", "\0").replace("{1}", y).replace("\0", x)
    return elementwise.apply(template, values, loop[-1].name)


def _as_numpy(value: Scalar) -> Scalar:
    return Scalar(value.code, Number("np", value.type.dtype, value.type.bits))


def _call_ufunc(name: str) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        if kwargs or len(args) not in (1, 2):
            raise Declined(f"np.{name} with these arguments")
        return ufunc(t, name, [array(arg) for arg in args])

    return call


_NAMES = (
    *(*UNARY, *INTEGERS, *COMPLEX, *(set(BINARY) - set(CLIPPED)), *ARITHMETIC, *COMPARED),
    *("logical_not", "logical_and", "logical_or", "logical_xor"),
)


for _name in dict.fromkeys(_NAMES):
    register(getattr(np, _name), _call_ufunc(_name))
