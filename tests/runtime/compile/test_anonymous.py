"""Two cells that compute the same share code, and each sees its own names in it."""

from __future__ import annotations

from dataclasses import replace

from jupyter_npcompile.graph.nodes import Graph, Node, Output, Position, Ref, ValueType
from jupyter_npcompile.runtime.anonymous import anonymous, key_of, named
from jupyter_npcompile.tracer.lowering import lower

ARRAY = ValueType("array", "float64", (3,), (8,))


def graph(x: str, y: str, line: int, scope: str = "", factor: float = 2.0) -> Graph:
    """``y = x * factor``, on a line."""
    inputs = (Node(0, "input", name=x, types=(ARRAY,), position=Position(line, 4)),)
    node = Node(
        1,
        "numpy.multiply",
        (Ref(0), factor),
        types=(ARRAY,),
        position=Position(line, 6),
        scope=scope,
    )
    return Graph("numpy", inputs, (node,), (Output(y, Ref(1)),))


def test_names_and_places_do_not_count() -> None:
    assert key_of(graph("x", "y", 3)) == key_of(graph("#0", "@7", 9, "helper"))
    assert key_of(graph("x", "y", 3)) != key_of(graph("x", "y", 3, factor=3.0))
    for one in (graph("x", "y", 3), graph("a", "b", 5, "helper")):
        assert key_of(one) == key_of(anonymous(one))
    other = graph("x", "y", 3)
    wide = replace(ARRAY, strides=(16,))
    assert key_of(other) != key_of(
        replace(other, inputs=(replace(other.inputs[0], types=(wide,)),))
    )


def test_nothing_of_the_cell_is_left() -> None:
    assert anonymous(graph("x", "y", 3)) == anonymous(graph("a", "b", 5, "helper"))


def test_each_sees_its_own_names() -> None:
    for mine in (graph("x", "y", 3), graph("a#1", "@0", 7, "helper")):
        made = named(lower(anonymous(mine)).aten, mine)
        assert made == lower(mine).aten
