"""Literal values and constants, as the text of graphs and pictures shows them."""

from __future__ import annotations

import struct

import pytest

from jupyter_npcompile.graph import Constant, ValueType
from jupyter_npcompile.graph.constants import constant, number, printable


def scalar(dtype: str, format: str, *values: float) -> Constant:
    return Constant(ValueType("scalar", dtype), struct.pack("=" + format, *values))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (scalar("float32", "f", 0.1), "float32(0.1)"),
        (scalar("float16", "e", 65504.0), "float16(65500.0)"),
        (scalar("float32", "f", 3.4028234663852886e38), "float32(3.4028235e+38)"),
        (scalar("float64", "d", -0.0), "float64(-0.0)"),
        (scalar("float32", "f", float("inf")), "float32(inf)"),
        (scalar("complex64", "ff", 0.5, -2.0), "complex64((0.5-2.0j))"),
        (scalar("complex128", "dd", 0.5, 2.0), "complex128((0.5+2.0j))"),
        (scalar("bool", "?", 1), "bool(True)"),
        (scalar("uint64", "Q", 2**64 - 1), "uint64(18446744073709551615)"),
        (Constant(ValueType("array", "int8"), b"\x07"), "array(7, int8[])"),
        (
            Constant(ValueType("array", "int8", (2, 2), (2, 1)), bytes(4)),
            "array([0, 0, 0, 0], int8[2,2])",
        ),
        (Constant(ValueType("array", "int8", (0,), (1,)), b""), "array([], int8[0])"),
        (Constant(ValueType("scalar", "datetime64[D]"), bytes(8)), "datetime64[D](<8 bytes>)"),
        (Constant(ValueType("scalar", "float64"), b"\x00"), "float64(<1 bytes>)"),
    ],
)
def test_constant(value: Constant, text: str) -> None:
    assert constant(value) == text


def test_numpy_scalars_print_as_numbers() -> None:
    class Weird(float):
        def __repr__(self) -> str:
            return "np.float64(0.5)"

    assert number(Weird(0.5)) == "0.5"


def test_printable_escapes_what_breaks_lines() -> None:
    assert printable("a\x00b\u2028\ud800é") == "a\\x00b\\u2028\\ud800é"
