"""Graphs that differ in sizes only are one general graph, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_npcompile.graph import from_json, to_json
from jupyter_npcompile.graph.families import Family, symbols_of
from jupyter_npcompile.graph.nodes import Graph, Node, Output, Ref, Size, Slice, ValueType
from jupyter_npcompile.graph.sizes import general, outline, recorded
from jupyter_npcompile.runtime.forms import itemsize


def kind(array: np.ndarray) -> tuple[ValueType]:
    return (ValueType("array", array.dtype.name, array.shape, array.strides),)


def part(n: int, m: int, k: int, *, fortran: bool = False) -> Graph:
    """``y = x[:k].T`` of an array with ``n`` rows and ``m`` columns."""
    a = np.zeros((n, m), order="F" if fortran else "C")
    x = Node(0, "input", types=kind(a), name="x")
    y = Node(1, "getitem", (Ref(0), Slice(None, k)), types=kind(a[:k]), view_of=0)
    z = Node(2, "ndarray.T", (Ref(1),), types=kind(a[:k].T), view_of=1)
    return Graph("numpy", (x,), (y, z), (Output("z", Ref(2)),))


@pytest.fixture
def family() -> Family:
    made = general(part(7, 8, 4), part(5, 6, 3), itemsize)
    assert made is not None
    return Family(made, {1: [["s2", "s1"]], 2: [["s1", "s2"]]})


def test_symbols_are_what_comes_from_outside(family: Family) -> None:
    assert family.symbols == (Size("s0", (7, 5)), Size("s1", (8, 6)), Size("s2", (4, 3)))
    assert recorded(family.graph) == part(7, 8, 4)
    assert from_json(to_json(family.graph)) == family.graph


@given(st.integers(2, 9), st.integers(2, 9), st.integers(2, 12))
def test_instances_are_those_whose_lengths_follow(n: int, m: int, k: int) -> None:
    made = general(part(7, 8, 4), part(5, 6, 3), itemsize)
    assert made is not None
    family = Family(made, {1: [["s2", "s1"]], 2: [["s1", "s2"]]})
    assert family.sizes(part(n, m, k)) == ((n, m, k) if k <= n else None)


@pytest.mark.parametrize(
    "other",
    [part(1, 8, 4), part(7, 1, 4), part(7, 8, 1), part(7, 8, 0), part(7, 8, 4, fortran=True)],
)
def test_other_outlines(other: Graph) -> None:
    assert outline(other, itemsize) != outline(part(7, 8, 4), itemsize)
    assert outline(part(9, 9, 9), itemsize) == outline(part(7, 8, 4), itemsize)


def test_what_does_not_differ_is_fixed() -> None:
    made = general(part(7, 8, 4), part(7, 6, 4), itemsize)
    assert made is not None
    assert [size.values for size in symbols_of(made)] == [(8, 6)]
    family = Family(made, {1: [["4", "s0"]], 2: [["s0", "4"]]})
    assert family.sizes(part(7, 3, 4)) == (3,)
    assert family.sizes(part(9, 3, 4)) is None
    assert general(part(7, 8, 4), part(7, 8, 4), itemsize) is None
