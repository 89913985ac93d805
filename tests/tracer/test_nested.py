"""Traced values are found wherever NumPy finds arguments, and nowhere else."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_npcompile.tracer.breaks import Break
from jupyter_npcompile.tracer.hooks import Hooks
from jupyter_npcompile.tracer.nested import MAX_ITEMS, concrete_in, demand_short, traced_in
from jupyter_npcompile.tracer.traced import Opaque, Traced

LEAVES = st.one_of(
    *(st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.none()),
    st.sampled_from([int, np.float32, np.dtype("i8"), Ellipsis, frozenset({1})]),
)


class Pair(tuple[Any, ...]):
    """A tuple of another type, as a named one is."""


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    short = st.lists(inner, max_size=3)
    return st.one_of(
        *(short, short.map(tuple), st.dictionaries(st.text(), inner, max_size=3)),
        st.tuples(inner, inner, inner).map(lambda bounds: slice(*bounds)),
    )


@given(st.data())
def test_all_of_them_in_order(data: st.DataObject) -> None:
    made: list[Traced] = []

    def traced(value: float) -> Traced:
        made.append(Traced(cast(Hooks, None), value, len(made)))
        return made[-1]

    leaves = st.one_of(LEAVES, st.floats(allow_nan=False).map(traced))
    nested = data.draw(st.recursive(leaves, containers, max_leaves=12))
    found = traced_in(nested)
    assert [traced.id for traced in found] == _ids(nested)
    plain = concrete_in(nested)
    assert not traced_in(plain)
    assert repr(plain) == repr(_plain(nested))


def _ids(nested: Any) -> list[int | None]:
    """The same, slowly."""
    if type(nested) is Traced:
        return [nested.id]
    if isinstance(nested, slice):
        nested = [nested.start, nested.stop, nested.step]
    if isinstance(nested, dict):
        nested = list(nested.values())
    items = nested if isinstance(nested, list | tuple) else ()
    return [id for item in items for id in _ids(item)]


def _plain(nested: Any) -> Any:
    if type(nested) is Traced:
        return nested.value
    if isinstance(nested, slice):
        return slice(_plain(nested.start), _plain(nested.stop), _plain(nested.step))
    if isinstance(nested, dict):
        return {key: _plain(value) for key, value in nested.items()}
    return type(nested)(map(_plain, nested)) if isinstance(nested, list | tuple) else nested


def test_in_tuples_of_other_types_too() -> None:
    traced = Traced(cast(Hooks, None), 1.0, 7)
    assert traced_in(Pair([0, traced])) == [traced]


def test_what_cannot_be_traced_says_why() -> None:
    with pytest.raises(Break, match="`gate` is a object"):
        concrete_in([1, Opaque(object(), cast(Any, "gate"))])


@pytest.mark.parametrize("split", [1, 2, 10])
def test_a_limit_holds_for_all_lists_together(split: int) -> None:
    parts = [[0.0] * (MAX_ITEMS // split - 1)] * split
    demand_short(parts)
    with pytest.raises(Break, match=f"more than {MAX_ITEMS} Python objects"):
        demand_short([*parts, [0.0] * 2 * split])
