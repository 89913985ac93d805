"""Every ufunc on every dtype it takes, on special values, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from jupyter_npcompile.tracer.lowering import LoweringError
from jupyter_npcompile.tracer.lowering.ufuncs import named
from jupyter_npcompile.tracer.table import ROWS
from tests.support.lowering.programs import Program, call, check, run, same

DTYPES = str.split(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
    "float16 float32 float64 complex64 complex128"
)
UFUNCS = [row.name for row in ROWS if row.status == "lowered" and named(row.name) is not None]

COMPLEX = frozenset({"complex64", "complex128"})
HALF = frozenset({"bool", "int8", "uint8", "float16"})
UNSUPPORTED = {
    **dict.fromkeys(str.split("numpy.exp2 numpy.expm1 numpy.log1p numpy.float_power"), COMPLEX),
    **dict.fromkeys(str.split("numpy.power numpy.pow numpy.fmax numpy.fmin"), COMPLEX),
    **dict.fromkeys(str.split("numpy.maximum numpy.minimum numpy.less numpy.greater"), COMPLEX),
    **dict.fromkeys(str.split("numpy.less_equal numpy.greater_equal"), COMPLEX),
    **dict.fromkeys(str.split("numpy.nextafter numpy.spacing"), HALF),
    **dict.fromkeys(str.split("numpy.gcd numpy.lcm"), frozenset({"uint64"})),
}
"""What is left to NumPy."""

CHECKED = str.split(
    "numpy.floor_divide numpy.remainder numpy.mod numpy.divmod numpy.fmod numpy.reciprocal"
)
"""What fails a check on zeros: NumPy warns there."""

CANCELLING = ("numpy.logaddexp", "numpy.logaddexp2")


def special(dtype: str) -> np.ndarray:
    """Values at which things go wrong."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.array([True, False, True])
    if kind.kind in "iu":
        info = np.iinfo(kind)
        values = [0, 1, 2, 3, 7, info.max, info.max - 1, info.max // 2]
        if kind.kind == "i":
            values += [-1, -2, -3, -7, info.min, info.min + 1]
        return np.array(values, kind)
    if kind.kind == "f":
        limits = np.finfo(kind)
        small = [0.0, 1, 2, 0.5, 1.5, 2.5, 3, 7.25, 0.1, 0.3, np.inf, limits.max, limits.tiny]
        both = [sign * x for x in small for sign in (1, -1)]
        return np.array([*both, np.nan, limits.eps], kind)
    parts = np.array([0, 1, -1, 2, 0.5, -1.5])
    return (parts[:, None] + 1j * parts).ravel().astype(kind)


def operands(name: str, dtype: str) -> tuple[np.ndarray, ...]:
    """All pairs of special values, or what the ufunc is defined for."""
    values = special(dtype)
    ufunc = named(name)
    assert ufunc is not None
    if ufunc.nin == 1:
        return (values,)
    left, right = np.repeat(values, len(values)), np.tile(values, len(values))
    if ufunc is np.ldexp:
        return left, (np.arange(len(left)) * 37 % 400 - 200).astype("int32")
    if ufunc is np.power and left.dtype.kind in "iu":
        right = np.where((right < 0) | (right > 2**62), 3, right).astype(dtype)
    if name in CHECKED:
        keep = right != 0
        if left.dtype.kind == "f":  # quotients that overflow fail a check, too
            with np.errstate(all="ignore"):
                keep &= np.isfinite(left / right) | ~np.isfinite(left)
        left, right = left[keep], right[keep]
    return left, right


@pytest.mark.parametrize("name", UFUNCS)
def test_special_values(name: str) -> None:
    ufunc = named(name)
    assert ufunc is not None
    tried = 0
    for dtype in DTYPES:
        args = operands(name, dtype)
        if ufunc is np.reciprocal:
            args = (args[0][args[0] != 0],)
        try:
            with np.errstate(all="ignore"):
                ufunc(*args)
        except TypeError:
            continue
        tried += 1
        program = call(name, *args)
        if dtype in UNSUPPORTED.get(name, ()):
            with pytest.raises(LoweringError):
                check(program)
            continue
        check(program, ulp=64 if name in CANCELLING else 4)
    assert tried


@pytest.mark.parametrize("name", CHECKED)
def test_zeros_fail_a_check(name: str) -> None:
    ufunc = named(name)
    assert ufunc is not None
    zeros, ones = np.array([0, 1]), np.array([1, 1])
    expected, found, passed = run(call(name, *((zeros,) if ufunc.nin == 1 else (ones, zeros))))
    assert not passed
    if name != "numpy.reciprocal":
        for a, b in zip(expected, found, strict=True):
            same(a, b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("other", [2, 2.5, True])
def test_python_numbers_are_weak(dtype: str, other: float) -> None:
    program = Program()
    x = program.input(special(dtype))
    outputs = {"a": x + other, "b": other * x, "c": x == other}
    if dtype != "bool" or other is not True:
        outputs["d"] = other - x
    if dtype in ("float32", "float64"):
        outputs["e"], outputs["f"] = x**other, other / x
    program.output(**outputs)
    check(program, ulp=2)


@pytest.mark.parametrize("name", ["less", "equal", "greater_equal", "not_equal"])
def test_signed_and_unsigned_compare_exactly(name: str) -> None:
    left, right = special("int64"), special("uint64")
    a, b = np.repeat(left, len(right)), np.tile(right, len(left))
    check(call(f"numpy.{name}", a, b))
    check(call(f"numpy.{name}", b, a))


def test_numbers_beyond_the_dtype_compare_exactly() -> None:
    x = special("uint8")
    for other in (300, -1):
        check(call("numpy.less", x, other))
        check(call("numpy.equal", other, x))


@pytest.mark.parametrize("name", ["arccos", "arcsin", "arctan", "sqrt", "arccosh", "arcsinh"])
def test_complex_zeros_have_signs(name: str) -> None:
    parts = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0]
    numbers = np.array([complex(p, q) for p in parts for q in parts])
    with np.errstate(all="ignore"):
        finite = numbers[np.isfinite(getattr(np, name)(numbers))]
    (expected,), (found,), _ = run(call(f"numpy.{name}", finite))
    for part in ("real", "imag"):
        seen, wanted = np.signbit(getattr(found, part)), np.signbit(getattr(expected, part))
        assert (seen == wanted).all(), finite[seen != wanted]


def test_dtype_and_where() -> None:
    x = np.arange(6.0)
    check(call("numpy.add", x, 1, dtype=np.dtype("float32")))
    check(call("numpy.multiply", np.arange(3), 2, dtype=np.dtype("float64")))
    check(call("numpy.add", x, x, out=np.zeros(6), where=x > 2))
    check(call("numpy.sqrt", x, np.zeros(6)), ulp=1)
    check(call("numpy.divmod", x + 1, 2.0, out=(np.zeros(6), np.zeros(6))))
