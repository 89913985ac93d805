"""How long an element takes, as far as it decides whether threads share a loop."""

from __future__ import annotations

from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.costs import (
    DIVISION,
    FUNCTION,
    OPERATION,
    WIDE,
    element_cost,
    is_wide,
)
from jupyter_npcompile.loops.kinds import ArrayType
from jupyter_npcompile.loops.values import Lazy, Ref


def array(name: str, dtype: str = "float64") -> Ref:
    return Ref(name, ArrayType(dtype, 1, True))


def work(value: Lazy) -> float:
    """Of a value, without what is moved."""
    return round(element_cost([value], []), 6)


def test_what_is_used_twice_is_computed_once() -> None:
    value: Lazy = array("x")
    for _ in range(5):
        value = elementwise.binary("add", value, value)
    assert work(value) == round(5 * OPERATION, 6)


def test_small_numbers_are_computed_faster() -> None:
    small, large = array("x", "uint8"), array("x", "uint64")
    one, other = (
        element_cost([elementwise.binary("add", ref, ref)], [ref]) for ref in (large, small)
    )
    assert round(one / other) == 8


def test_arrays_that_are_numbers_are_not_read_for_each_element() -> None:
    number = Ref("k", ArrayType("float64", 0, True))
    assert element_cost([], [number, number]) == 0
    assert element_cost([], [array("x"), array("x")]) == element_cost([], [array("x")]) > 0


def test_functions_take_longest() -> None:
    x = array("x")
    costs = [
        work(elementwise.binary("add", x, x)),
        work(elementwise.binary("true_divide", x, x)),
        work(elementwise.apply("math::exp({0})", [x], "float64")),
    ]
    assert costs == [OPERATION, DIVISION, FUNCTION]


def test_divisions_are_not_worth_the_widest_vectors() -> None:
    x = array("y")
    many: Lazy = array("x")
    for _ in range(WIDE):
        many = elementwise.binary("multiply", many, x)
    assert is_wide([many])
    assert not is_wide([elementwise.binary("true_divide", many, x)])
    assert not is_wide([elementwise.binary("add", x, x)] * WIDE)
