"""What iterators have not given yet, and the same later on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.runtime.iterators import is_own, later, remaining

numbers = st.builds(range, st.integers(-9, 9), st.integers(-9, 9), st.integers(-3, 3).filter(bool))
arrays = st.integers(0, 6).map(lambda n: np.arange(float(n)))
simple = st.one_of(numbers, arrays)
made = st.one_of(
    simple.map(lambda x: lambda: iter(x)),
    st.tuples(simple, simple).map(lambda p: lambda: zip(*p, strict=False)),
    st.tuples(simple, st.integers(-3, 3)).map(lambda p: lambda: enumerate(*p)),
    simple.map(lambda x: lambda: zip(enumerate(x), x, strict=False)),
)


@given(made, st.integers(0, 5), st.integers(0, 5))
def test_later_is_as_if_items_had_been_taken(
    make: Callable[[], Iterator[Any]], first: int, second: int
) -> None:
    iterator, other = make(), make()
    for _ in range(min(first, remaining(iterator).count)):
        next(iterator)
        next(other)
    left = remaining(iterator).count
    second = min(second, left)
    for _ in range(second):
        next(other)
    assert repr(list(later(iterator, second))) == repr(list(other))


def test_looking_at_an_iterator_takes_nothing() -> None:
    iterator = iter(range(5))
    assert remaining(iterator) == remaining(iterator)
    assert list(iterator) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("make", [lambda: iter([1]), lambda: (k for k in "ab"), lambda: iter({})])
def test_other_iterators_are_declined(make: Callable[[], Iterator[Any]]) -> None:
    with pytest.raises(Declined, match="a loop over"):
        remaining(make())


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("range(3)", True),
        ("a", True),
        ("a[1:]", True),
        ("zip(a, range(3))", True),
        ("enumerate(a, 2)", True),
        ("enumerate(a, start=2)", True),
        ("made", False),
        ("zip(a, made)", False),
        ("function()", False),
    ],
)
def test_whose_iterator_it_is(text: str, own: bool) -> None:
    names = {
        **{"range": range, "zip": zip, "enumerate": enumerate, "a": np.zeros(3)},
        **{"made": iter(range(3)), "function": lambda: iter([])},
    }
    assert is_own(ast.parse(text, mode="eval").body, names) is own
