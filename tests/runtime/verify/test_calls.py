"""Nodes and values as Python source that can be pasted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.graph.nodes import DType, Node, Ref, Slice
from jupyter_npcompile.runtime.calls import call_of
from jupyter_npcompile.runtime.literals import source
from jupyter_npcompile.runtime.ulps import distance

wide = np.arange(24).reshape(4, 6)

VALUES = [
    np.array([1, -1], np.int8),
    np.array(3, np.uint8),
    np.array([0.1, np.nan, -np.inf, -0.0, 1e300]),
    np.array([0.1], np.float32),
    np.array([1 + 2j, complex(np.nan, 1)]),
    np.array([True]),
    np.zeros((0, 3), np.float32),
    wide.T,
    wide[:, ::2],
    wide[0, ::-1],
    np.asfortranarray(wide.astype(float)),
    np.broadcast_to(np.arange(3), (2, 3)),
    np.float16(0.1),
    np.uint64(2**64 - 1),
    np.bool_(True),
    -0.0,
    float("nan"),
    3,
    (1, (2.5,)),
    [None, "a"],
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_source_makes_the_value_again(value: Any) -> None:
    made = eval(source(value))
    assert type(made) is type(value)
    if isinstance(value, np.ndarray):
        assert (made.dtype, made.shape) == (value.dtype, value.shape)
        assert made.strides == value.strides or not value.size
        assert np.array_equal(made, value, equal_nan=value.dtype.kind in "fc")
    else:
        assert repr(made) == repr(value)


NODES = [
    (Node(9, "numpy.cumsum", (Ref(0),), {"dtype": DType("int8")}), "np.cumsum(a, dtype=np.int8)"),
    (Node(9, "numpy.add", (Ref(0), Ref(0))), "np.add(a, a)"),
    (Node(9, "ndarray.sum", (Ref(3),), {"axis": 0}), "a.sum(axis=0)"),
    (Node(9, "ndarray.T", (Ref(3),)), "a.T"),
    (Node(9, "getitem", (Ref(0), (Slice(1, None, 2), ..., None))), "a[1::2, ..., None]"),
    (Node(9, "getitem", (Ref(0), (0,))), "a[0,]"),
    (Node(9, "setitem", (Ref(0), Slice(None, -1), Ref(1))), "a[:-1] = b"),
    (Node(9, "python.truediv", (Ref(0), 2)), "a / 2"),
    (Node(9, "python.neg", (Ref(0),)), "-a"),
    (Node(9, "python.float", (Ref(0),)), "float(a)"),
    (Node(9, "math.sqrt", (Ref(0),)), "math.sqrt(a)"),
    (Node(9, "numpy.concatenate", ([Ref(0), Ref(1)],)), "np.concatenate([a, b])"),
]


@pytest.mark.parametrize(("node", "text"), NODES, ids=[text for _, text in NODES])
def test_nodes(node: Node, text: str) -> None:
    call = call_of(node)
    assert call is not None
    assert call.text == text
    assert call.function_of_names().__code__.co_varnames == call.names


def test_arguments_that_share_memory() -> None:
    x = np.arange(9.0)
    call = call_of(Node(9, "numpy.add", (Ref(0), Ref(1)), {"out": Ref(0)}))
    assert call is not None
    text = call.source([x[4:6], x[3:5]])
    *lead, last = text.split("; ")
    space: dict[str, Any] = {"np": np}
    exec("; ".join(lead), space)
    assert np.shares_memory(space["a"], space["b"])
    assert space["memory"].tolist() == [3, 4, 5]
    assert eval(last, space).tolist() == [7, 12] or space["a"].size == 2


def test_distances() -> None:
    one = np.array([1.0])
    assert distance(one, np.nextafter(one, 0)) == 1
    assert distance(np.array([-0.0]), np.array([0.0])) == 0
    tiny = np.nextafter(np.float32(0), np.float32(1))
    assert distance(np.array([tiny]), np.array([-tiny])) == 2
    assert distance(np.array([np.inf]), np.array([np.finfo(float).max])) == 1
    assert distance(np.array([-1.0]), np.array([1.0])) == 2 * 0x3FF0000000000000
    assert distance(np.array([np.nan]), one) is None
    assert distance(np.array([1 + 1j]), np.array([1 + 1j])) == 0
    assert distance(np.array([1]), np.array([2])) is None
