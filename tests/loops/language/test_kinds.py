"""Types in native loops: where two of them meet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_npcompile.loops.joins import join
from jupyter_npcompile.loops.kinds import (
    COUNTER,
    FULL,
    UNBOUND,
    ArrayType,
    Declined,
    Maybe,
    Number,
    TupleType,
    Type,
    size,
)

DTYPES = ("bool", "int64", "float64", "float32")
bits = st.integers(1, FULL)
numbers = st.one_of(
    st.builds(Number, st.sampled_from(("py", "any")), st.sampled_from(DTYPES[:3]), bits),
    st.builds(Number, st.just("np"), st.sampled_from(DTYPES), bits),
)
arrays = st.builds(ArrayType, st.sampled_from(DTYPES), st.integers(1, 3), st.booleans())
types: st.SearchStrategy[Type] = st.one_of(
    numbers, arrays, st.just(UNBOUND), st.builds(TupleType, st.tuples(numbers, arrays))
)


def joined(one: Type, other: Type) -> Type | None:
    try:
        return join(one, other)
    except Declined:
        return None


@given(types, types)
def test_what_two_types_have_in_common_holds_for_both(one: Type, other: Type) -> None:
    both = joined(one, other)
    if both is not None:
        assert join(both, one) == both
        assert join(both, other) == both


@given(types, types)
def test_the_order_does_not_matter_but_for_bits(one: Type, other: Type) -> None:
    assert (joined(one, other) is None) == (joined(other, one) is None)


@given(numbers)
def test_a_name_that_is_bound_in_one_case_is_so_perhaps(number: Number) -> None:
    assert join(number, UNBOUND) == Maybe(number)
    assert join(Maybe(number), number) == Maybe(number)


def test_arrays_of_different_dtypes_have_no_type() -> None:
    with pytest.raises(Declined, match="1-d array of int64 or a 1-d array of float64"):
        join(ArrayType("int64", 1, True), ArrayType("float64", 1, True))


def test_growing_bits_end_with_those_of_a_counter_or_all_of_them() -> None:
    small, larger = Number("py", "int64", 3), Number("py", "int64", 4)
    counter, large = Number("py", "int64", COUNTER), Number("py", "int64", 62)
    assert join(small, larger) == join(small, counter) == join(counter, larger) == counter
    assert join(larger, small) == larger
    assert join(counter, large) == join(small, large) == Number("py", "int64", FULL)
    assert [size(bits) for bits in (60, COUNTER, 62)] == [60, 62, 62]
