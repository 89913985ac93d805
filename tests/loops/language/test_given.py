"""Values from outside a loop: which it may take, as what, and which are part of its code."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.loops.given import (
    SMALL,
    fixed,
    fixed_value,
    is_fixed,
    kind_of,
    type_of,
    wide_enough,
)
from jupyter_npcompile.loops.kinds import (
    BOOL,
    FULL,
    INT,
    ArrayType,
    Declined,
    ListType,
    Number,
    SourceType,
)
from jupyter_npcompile.loops.values import Items, Known
from tests.support.loops.native_loops import compiled, define, how


class Own(np.ndarray[Any, Any]):
    """An array of a class of its own."""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, BOOL),
        (2**SMALL - 1, Number("py", "int64", SMALL)),
        (-(2**SMALL), INT),
        (2**63 - 1, INT),
        (2**63, None),
        (1j, Number("py", "complex128")),
        (np.float32(1), Number("np", "float32")),
        (np.bool_(True), Number("np", "bool", 1)),
        (np.float16(1), None),
        (np.str_("a"), None),
        (np.bytes_(b"a"), None),
        (np.zeros(1, [("x", "f8")])[0], None),
        ([], ListType(None, is_given=True)),
        (np.random.default_rng(0), SourceType()),
        (np.random.RandomState(0), None),
        (np.zeros((2, 3)), ArrayType("float64", 2, True)),
        (np.zeros((2, 3)).T, ArrayType("float64", 2, False)),
        (np.zeros((3, 1)).T[:, ::2], ArrayType("float64", 2, False)),
        (np.zeros(9)[::9], ArrayType("float64", 1, True)),
        (np.zeros(()), None),
        (np.zeros(3, ">f8"), None),
        (np.zeros(3, "U2"), None),
        (np.zeros(3).view(Own), None),
        (np.ma.zeros(3), None),
    ],
)
def test_types(value: Any, expected: Any) -> None:
    assert type_of(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, True),
        (..., True),
        ("text", True),
        (np, True),
        (float, True),
        (np.dtype("int8"), True),
        (np.sin, True),
        (math.sqrt, True),
        (kind_of, True),
        ((1, None, (2.5, "x")), True),
        ((1, [2]), False),
        (0.5, False),
        (np.zeros(2), False),
        (object(), False),
    ],
)
def test_what_is_part_of_the_code(value: Any, expected: bool) -> None:
    assert is_fixed(value) is expected


def test_values_in_the_code() -> None:
    assert fixed("text") == Known("text")
    one, rest = fixed((2, (None,))).items  # type: ignore[union-attr]
    assert one.const == 2
    assert rest == Items((Known(None),))
    assert fixed_value(0.5).const == 0.5  # type: ignore[union-attr]
    with pytest.raises(Declined, match="a default that is a 1-d array of float64"):
        fixed_value(np.zeros(2))


def test_a_record_of_numpy_is_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "native-loop")
    function = compiled(define("def f(r):\n    for i in range(9): t = r\n    return t['x'] + i\n"))
    assert function(np.ones(1, [("x", "f8")])[0]) == 9
    assert how(function) == "python"


def test_entries_that_are_replaced() -> None:
    few, more = Number("py", "int64", 3), Number("py", "int64", 9)
    assert wide_enough(more, few) == more
    assert wide_enough(few, more) == Number("py", "int64", FULL)
    assert wide_enough(few, Number("np", "int64", 3)) is None
    assert wide_enough(few, Number("any", "int64", 3)) is None
    row, column = ArrayType("int8", 1, True), ArrayType("int8", 1, False)
    assert wide_enough(row, row) == row
    assert wide_enough(row, column) == column
    assert wide_enough(row, ArrayType("int8", 2, True)) is None
    assert wide_enough(row, few) is None


def test_words() -> None:
    assert kind_of(np.zeros((2, 2), "int8")) == "a 2-d array of int8"
    assert kind_of({}) == "a dict"
    assert kind_of(0.5) == "a Python float"
