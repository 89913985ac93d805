"""Integers of generated code, in C++ and as numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_npcompile.runtime.compile_errors import UnbuildableError
from jupyter_npcompile.runtime.native.extents import Extents


def extents(a: int, b: int) -> Extents:
    made = Extents([a, b])
    made.name("a", 0)
    made.name("b", 1)
    return made


@pytest.mark.parametrize(
    "text", ["a", "2*a + b", "a // 2", "(a - 7) // b", "a % b", "max(a, b, 3)", "-a", "a**2"]
)
@given(a=st.integers(1, 50), b=st.integers(1, 50))
def test_numbers_are_python_s(text: str, a: int, b: int) -> None:
    assert extents(a, b).read(text).values[0] == eval(text, {"a": a, "b": b})


def test_equal_expressions_are_known_as_such() -> None:
    known = extents(5, 5)
    assert known.read("a*b + a").values == known.read("a*(1 + b)").values
    assert known.read("a").values != known.read("b").values


@pytest.mark.parametrize("text", ["c", "a / 2", "f(a)", "a if b else 1", "'a'", "1.5"])
def test_what_is_no_integer(text: str) -> None:
    with pytest.raises(UnbuildableError):
        extents(2, 3).read(text)


def test_conditions() -> None:
    known = extents(2, 3)
    assert known.condition("a < b <= 9 and not a == 2") == (
        "(((sizes[0] < sizes[1]) && (sizes[1] <= 9)) && !((sizes[0] == 2)))"
    )
    with pytest.raises(UnbuildableError):
        known.condition("a")
