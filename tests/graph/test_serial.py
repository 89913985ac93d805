"""JSON and back: nothing may be lost, whatever a graph holds."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_npcompile.graph import (
    Argument,
    Constant,
    DType,
    Graph,
    Node,
    Output,
    Position,
    Ref,
    Slice,
    ValueType,
    from_json,
    to_json,
)
from jupyter_npcompile.graph.serial import argument_from_json, argument_to_json
from tests.support.graph_examples import heat, hostile

texts = st.text(max_size=8)
sizes = st.tuples() | st.tuples(st.integers(0, 2**40), st.integers(-(2**40), 2**40))
types = st.builds(
    ValueType, st.sampled_from(["array", "scalar", "python"]), texts, shape=sizes, strides=sizes
)
atoms = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | texts
    | st.just(...)
    | st.builds(Ref, st.integers(0, 99))
    | st.builds(DType, texts)
    | st.builds(Constant, types, st.binary(max_size=9))
)
arguments: st.SearchStrategy[Argument] = st.recursive(
    atoms,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.builds(Slice, inner, inner, inner)
    ),
    max_leaves=5,
)
ids = st.lists(st.integers(0, 99), max_size=2).map(tuple)
nodes = st.builds(
    Node,
    st.integers(0, 99),
    texts,
    st.lists(arguments, max_size=2).map(tuple),
    st.dictionaries(texts, arguments, max_size=2),
    st.lists(types, max_size=2).map(tuple),
    st.builds(Position, st.integers(0, 999), st.integers(0, 999)),
    st.none() | st.integers(0, 99),
    ids,
    texts,
    texts,
)
graphs = st.builds(
    Graph,
    st.sampled_from(["numpy", "aten"]),
    st.lists(nodes, max_size=2).map(tuple),
    st.lists(nodes, max_size=3).map(tuple),
    st.lists(st.builds(Output, texts, arguments), max_size=2).map(tuple),
    ids,
)


@settings(deadline=None)
@given(graphs)
def test_round_trip(graph: Graph) -> None:
    text = json.dumps(to_json(graph), allow_nan=False)
    back = from_json(json.loads(text))
    # repr tells apart what == does not: 1 and True, 0.0 and -0.0; nan prints as nan.
    assert repr(back) == repr(graph)
    assert to_json(back) == to_json(graph)


@pytest.mark.parametrize("value", [0.0, -0.0, math.inf, -math.inf, 5e-324, 0.1, 1.0])
def test_floats_stay_floats(value: float) -> None:
    back = argument_from_json(json.loads(json.dumps(argument_to_json(value))))
    assert isinstance(back, float)
    assert back.hex() == value.hex()


@pytest.mark.parametrize("value", [2**53, 2**53 + 1, -(2**60), True])
def test_integers_stay_exact_in_javascript(value: int) -> None:
    data = argument_to_json(value)
    assert isinstance(data, bool | dict) or abs(value) <= 2**53
    assert repr(argument_from_json(data)) == repr(value)


def test_hostile_strings() -> None:
    assert from_json(json.loads(json.dumps(to_json(hostile())))) == hostile()


def test_what_is_no_argument() -> None:
    with pytest.raises(TypeError, match="set is not an argument"):
        argument_to_json({1})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["level"], "assembly", "unknown level 'assembly'"),
        (["nodes"], None, "not a captured graph"),
        (["nodes", 0, "args"], [{"surprise": 1}], "unknown tag 'surprise'"),
        (["nodes", 0, "args"], [{}], "one key"),
        (["nodes", 0, "args"], [0.5], "untagged float"),
        (["nodes", 0, "types", 0, "kind"], "tensor", "unknown kind of value 'tensor'"),
        (
            ["nodes", 0, "args"],
            [{"constant": {"type": {}, "data": "?"}}],
            "not base64",
        ),
    ],
)
def test_broken_data_is_named(path: list[str | int], value: Any, message: str) -> None:
    data: Any = copy.deepcopy(to_json(heat()))
    part = data
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    with pytest.raises(ValueError, match=message):
        from_json(data)


def test_missing_part_is_named() -> None:
    data = to_json(heat())
    del data["outputs"]
    with pytest.raises(ValueError, match="'outputs' is missing"):
        from_json(data)
