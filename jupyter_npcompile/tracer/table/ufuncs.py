"""Ufuncs and their methods."""

from __future__ import annotations

from jupyter_npcompile.tracer.table.rows import Row, Section, host, lowered, lowered_as

_SMOOTH = """
    absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt conjugate copysign cos
    cosh deg2rad degrees divide exp exp2 expm1 fabs float_power fmod hypot log log10 log1p log2
    logaddexp logaddexp2 multiply negative positive power rad2deg radians reciprocal remainder
    sin sinh sqrt square subtract tan tanh
"""
_STEPPED = "ceil floor floor_divide heaviside nextafter rint sign spacing trunc"
_COMPARISONS = """
    equal greater greater_equal isfinite isinf isnan less less_equal logical_and logical_not
    logical_or logical_xor not_equal signbit
"""
_INTEGERS = """
    bitwise_and bitwise_count bitwise_or bitwise_xor gcd invert lcm left_shift right_shift
"""
_SMOOTH_BINARY = """
    add arctan2 copysign divide float_power fmax fmin fmod hypot logaddexp logaddexp2 maximum
    minimum multiply power remainder subtract ldexp
"""
_STEPPED_BINARY = """
    bitwise_and bitwise_or bitwise_xor equal floor_divide gcd greater greater_equal heaviside lcm
    left_shift less less_equal logical_and logical_or logical_xor nextafter not_equal right_shift
"""
_SMOOTH_UNARY = """
    absolute arccos arccosh arcsin arcsinh arctan arctanh cbrt conjugate cos cosh deg2rad degrees
    exp exp2 expm1 fabs log log10 log1p log2 negative positive rad2deg radians reciprocal sin sinh
    sqrt square tan tanh
"""
_STEPPED_UNARY = """
    bitwise_count ceil floor invert isfinite isinf isnan logical_not rint sign signbit spacing trunc
"""
_TWO_RESULTS = "divmod frexp modf"
_PRODUCTS = "matmul matvec vecdot vecmat"
_METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")


def _methods(method: str, names: str, *, smooth: bool) -> tuple[Row, ...]:
    every = " ".join(f"{name}.{method}" for name in names.split())
    return lowered_as(f"ufunc_methods:{method}", every, smooth=smooth)


def _missing(reason: str, names: str, *methods: str) -> tuple[Row, ...]:
    return host(reason, " ".join(f"{n}.{m}" for n in names.split() for m in methods))


def _folds() -> tuple[Row, ...]:
    rows: list[Row] = []
    for method in ("reduce", "accumulate", "reduceat"):
        rows += _methods(method, _FOLDED, smooth=True)
        rows += _methods(method, _STEPPED_FOLDED, smooth=False)
        rows += _missing(_COMPARES, _COMPARED, method)
        rows += _missing("NumPy's fast loops do not go step by step", "power arctan2", method)
    return tuple(rows)


_FOLDED = """
    add multiply maximum minimum fmax fmin subtract divide float_power hypot logaddexp logaddexp2
    copysign fmod remainder
"""
_STEPPED_FOLDED = """
    logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor gcd lcm floor_divide
    heaviside left_shift nextafter right_shift
"""
_COMPARED = "equal greater greater_equal less less_equal not_equal"
_COMPARES = "comparisons of comparisons: NumPy allows it for few dtypes"
_RAISES = "NumPy raises: the ufunc has no such method"

UFUNCS = Section(
    "Ufuncs",
    (
        *lowered("elementwise", _SMOOTH),
        *lowered("elementwise", _STEPPED, smooth=False),
        *lowered("comparisons", "maximum minimum fmax fmin"),
        *lowered("comparisons", _COMPARISONS, smooth=False),
        *lowered("integers", _INTEGERS, smooth=False),
        *lowered("elementwise", "divmod modf frexp ldexp"),
        *lowered("products", _PRODUCTS),
        *host("it works on dates", "isnat"),
        *lowered_as("elementwise:remainder", "mod"),
        *lowered_as("elementwise:power", "pow"),
        *lowered_as("elementwise:conjugate", "conj"),
    ),
)

METHODS = Section(
    "Methods of ufuncs",
    (
        *_folds(),
        *_methods("outer", _SMOOTH_BINARY, smooth=True),
        *_methods("outer", _STEPPED_BINARY, smooth=False),
        *_missing("its results are two arrays", "divmod", "outer"),
        *_methods("at", _SMOOTH_BINARY, smooth=True),
        *_methods("at", _STEPPED_BINARY, smooth=False),
        *_methods("at", _SMOOTH_UNARY, smooth=True),
        *_methods("at", _STEPPED_UNARY, smooth=False),
        *_missing("it works on dates", "isnat", "at"),
        *_missing(_RAISES, "ldexp", "reduce", "accumulate", "reduceat"),
        *_missing(_RAISES, _SMOOTH_UNARY, "reduce", "accumulate", "reduceat", "outer"),
        *_missing(_RAISES, _STEPPED_UNARY, "reduce", "accumulate", "reduceat", "outer"),
        *_missing(_RAISES, "isnat", "reduce", "accumulate", "reduceat", "outer"),
        *_missing(_RAISES, "divmod", "reduce", "accumulate", "reduceat", "at"),
        *_missing(_RAISES, "frexp modf", *_METHODS),
        *_missing(_RAISES, _PRODUCTS, *_METHODS),
    ),
)
