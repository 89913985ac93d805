"""Every lowered method of a ufunc against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.tracer.lowering import lower
from jupyter_npcompile.tracer.lowering.errors import LoweringError
from jupyter_npcompile.tracer.lowering.ufunc_methods import MAX_STEPS
from jupyter_npcompile.tracer.table import ROWS
from tests.support.lowering.programs import Program, call, check

METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")
ROWS_OF_METHODS = [
    row.name
    for row in ROWS
    if row.status == "lowered"
    and row.name.rpartition(".")[2] in METHODS
    and isinstance(getattr(np, row.name.split(".")[1], None), np.ufunc)
]

INTEGERS = frozenset(
    str.split("bitwise_and bitwise_or bitwise_xor gcd lcm left_shift right_shift")
    + str.split("invert bitwise_count")
)
MATRIX = np.array([[3.0, 2.5, 0.5, 1.5], [2.0, 1.0, 4.0, 0.25], [7.0, 1.0, 2.0, 3.0]])
SMALL = np.array([[3, 2, 1, 2], [2, 1, 4, 1], [7, 1, 2, 3]])
TOLERANCE = 4.0


def operands(name: str) -> list[np.ndarray[Any, Any]]:
    """Arrays of the dtypes that matter for a ufunc."""
    if name in INTEGERS:
        return [SMALL, SMALL.astype(np.uint8), np.repeat(SMALL, 2, 1).astype(np.int16)[:, ::2]]
    if name.startswith("arc"):
        return [MATRIX + 1] if name == "arccosh" else [MATRIX / 8]
    if name in ("degrees", "rad2deg"):
        return [MATRIX]
    if name in ("ldexp", "nextafter", "spacing"):
        return [MATRIX]
    found = [MATRIX, MATRIX.astype(np.float32), MATRIX.T, SMALL.astype(np.int8)]
    return [*found, MATRIX > 1] if name.startswith("logical") else found


def check_all(name: str, *programs: Program) -> None:
    for program in programs:
        check(program, TOLERANCE, 1e-6 if "float32" in str(program.given[0].dtype) else 1e-12)


@pytest.mark.parametrize(
    "op", [op for op in ROWS_OF_METHODS if op.endswith((".reduce", ".accumulate"))]
)
def test_folds(op: str) -> None:
    name = op.split(".")[1]
    for x in operands(name):
        check_all(name, call(op, x), call(op, x, 1), call(op, x, axis=-1))
        if op.endswith(".reduce"):
            check_all(name, call(op, x, axis=1, keepdims=True), call(op, x[0]))


@pytest.mark.parametrize("op", [op for op in ROWS_OF_METHODS if op.endswith(".reduceat")])
def test_sections(op: str) -> None:
    name = op.split(".")[1]
    for x in operands(name):
        check_all(name, call(op, x, [0, 2, 1], axis=1), call(op, x[:, 0], [0, 1]))


@pytest.mark.parametrize("op", [op for op in ROWS_OF_METHODS if op.endswith(".outer")])
def test_outer(op: str) -> None:
    name = op.split(".")[1]
    for x in operands(name):
        y = np.array([1, 2, 3]) if name == "ldexp" else x[0]
        check_all(name, call(op, x, y), call(op, x[1], y))


@pytest.mark.parametrize("op", [op for op in ROWS_OF_METHODS if op.endswith(".at")])
def test_at(op: str) -> None:
    name = op.split(".")[1]
    ufunc = getattr(np, name)
    for x in operands(name):
        second = () if ufunc.nin == 1 else (np.array([2, 1]) if name == "ldexp" else x[0][:2],)
        try:
            ufunc.at(x[1].copy(), [0, 2], *second)
        except TypeError:
            continue  # int8 has no square root that is an int8
        check_all(name, call(op, x[1].copy(), [0, 2], *second))
        check_all(name, call(op, x[1].copy(), slice(0, 2), *second))


@pytest.mark.parametrize("name", ["subtract", "gcd", "logical_xor", "hypot", "logaddexp", "fmax"])
def test_initial_and_where(name: str) -> None:
    x = SMALL if name in INTEGERS else MATRIX
    for options in ({"initial": 2}, {"initial": 2, "where": x > 1}, {"initial": 3, "axis": 0}):
        check_all(name, call(f"numpy.{name}.reduce", x, **options))


@pytest.mark.parametrize("name", ["gcd", "bitwise_and", "bitwise_or", "logical_or", "logical_and"])
def test_of_nothing(name: str) -> None:
    check_all(name, call(f"numpy.{name}.reduce", SMALL[:0]))


def test_the_divisor_of_one_number_has_no_sign() -> None:
    check_all("gcd", call("numpy.gcd.reduce", -SMALL[:1]), call("numpy.gcd.reduceat", -SMALL, [0]))
    check_all("gcd", call("numpy.gcd.accumulate", -SMALL))


def test_several_axes() -> None:
    cube = np.arange(1, 25).reshape(2, 3, 4)
    check_all("gcd", call("numpy.gcd.reduce", cube, axis=(0, 2)))
    check_all("hypot", call("numpy.hypot.reduce", cube / 4, axis=(1, 0), keepdims=True))


def test_numbers_are_arrays_for_at() -> None:
    single = np.array([1, 3], np.float32)
    check_all("multiply", call("numpy.multiply.at", single, [0, 1], 1 / 3))
    check_all("add", call("numpy.add.at", np.array([100, 3], np.int8), [0, 0], 1000))


def test_dtype() -> None:
    x = np.array([100, 50, -3], np.int8)
    check_all("add", call("numpy.add.reduceat", x, [0, 1], dtype=np.dtype("float32")))
    check_all("subtract", call("numpy.subtract.reduce", x, dtype=np.dtype("int32")))
    check_all("subtract", call("numpy.subtract.accumulate", x, dtype=np.dtype("float64")))


def test_long_folds_stay_in_numpy() -> None:
    program = call("numpy.subtract.reduce", np.arange(MAX_STEPS + 1.0))
    with pytest.raises(LoweringError, match="one after the other"):
        lower(program.graph())


def test_an_index_that_may_repeat_stays_in_numpy() -> None:
    program = call("numpy.divide.at", np.arange(1.0, 4.0), np.array([0, 0]), 2.0)
    with pytest.raises(LoweringError, match="twice"):
        lower(program.graph())
