"""The vocabulary of the NumPy level, run by NumPy itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.graph.nodes import (
    Constant,
    DType,
    Graph,
    Node,
    Output,
    Ref,
    Slice,
    ValueType,
)
from jupyter_npcompile.tracer.interpret import (
    EncodeError,
    argument,
    encode,
    function,
    run_graph,
    value_type,
)

X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    ("op", "args", "expected"),
    [
        ("numpy.add", (1, 2), 3),
        ("numpy.add.reduce", (X, 1), X.sum(1)),
        ("numpy.linalg.det", (np.eye(2),), 1.0),
        ("numpy.fft.rfft", (np.ones(2),), [2, 0]),
        ("ndarray.sum", (X,), 15.0),
        ("ndarray.T", (X,), X.T),
        ("getitem", (X, (1, slice(None, None, -1))), X[1, ::-1]),
        ("item", ((3, 4), 1), 4),
        ("python.float", (np.float32(0.5),), 0.5),
        ("python.sub", (5, 3), 2),
        ("python.and", (6, 3), 2),
        ("python.not", (0,), True),
        ("math.sqrt", (9.0,), 3.0),
    ],
)
def test_function(op: str, args: tuple[Any, ...], expected: Any) -> None:
    np.testing.assert_array_equal(function(op)(*args), expected)


@pytest.mark.parametrize(
    "op",
    [
        "numpy",
        "numpy.",
        "numpy.pi",
        "numpy.nothing",
        "numpy.linalg.nothing",
        "ndarray.nothing",
        "python.nothing",
        "python._abs",
        "math.nothing",
        "scipy.fft",
        "setitem.x",
        "",
    ],
)
def test_no_such_function(op: str) -> None:
    with pytest.raises(KeyError):
        function(op)


def test_setitem_writes() -> None:
    x = X.copy()
    assert function("setitem")(x, 0, 7.0) is None
    assert (x[0] == 7.0).all()


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        2.5,
        1j,
        "ij,jk",
        ...,
        (1, None, ...),
        [0, [1, 2]],
        slice(1, None, -2),
        (slice(None), 0),
        np.float32(1.5),
        np.uint64(2**63),
        np.bool_(True),
        np.array([[1, 2], [3, 4]], order="F"),
        np.array(2.5),
        np.zeros((0, 3), np.complex64),
        np.array([1.0, np.nan, -0.0]),
    ],
)
def test_constants_survive(value: Any) -> None:
    back = argument(encode(value), {})
    assert type(back) is type(value)
    if isinstance(value, np.ndarray | np.generic):
        assert back.dtype == value.dtype
        np.testing.assert_array_equal(back, value)
        np.testing.assert_array_equal(np.signbit(back.real), np.signbit(value.real))
        assert back.strides == value.strides
    else:
        assert back == value


def test_constants_are_not_shared() -> None:
    constant = encode(np.zeros(2))
    first: Any = argument(constant, {})
    first += 1
    np.testing.assert_array_equal(argument(constant, {}), [0.0, 0.0])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (float, "float64"),
        (int, "int64"),
        (bool, "bool"),
        (complex, "complex128"),
        (np.float32, "float32"),
        (np.dtype("uint16"), "uint16"),
    ],
)
def test_dtypes(value: Any, name: str) -> None:
    assert encode(value) == DType(name)
    assert argument(DType(name), {}) == np.dtype(name)


@pytest.mark.parametrize(
    "value",
    [
        {},
        object(),
        np.array(["a"]),
        np.array([None]),
        np.dtype(">f8"),
        np.arange(3, dtype=">i4"),
        np.ma.masked_array([1]),
        str,
        len,
        np.array(1, "M8[s]"),
    ],
)
def test_what_is_no_constant(value: Any) -> None:
    with pytest.raises(EncodeError):
        encode(value)


def test_value_types() -> None:
    assert value_type(X[:, ::2]) == ValueType("array", "float64", (2, 2), (24, 16))
    assert value_type(np.int8(1)) == ValueType("scalar", "int8")
    assert value_type(True) == ValueType("python", "bool")
    with pytest.raises(EncodeError):
        value_type("text")


def test_graph_with_writes() -> None:
    kind = value_type(np.zeros(4))
    part = value_type(np.zeros(4)[::2])
    x = Node(0, "input", types=(kind,), name="x")
    view = Node(1, "getitem", (Ref(0), Slice(None, None, 2)), types=(part,), view_of=0)
    twice = Node(
        2,
        "numpy.multiply",
        (Ref(1), encode(np.float64(2.0))),
        {"out": Ref(1)},
        types=(part,),
        view_of=1,
        writes=(1,),
    )
    both = Node(3, "numpy.modf", (Ref(0),), types=(kind, kind))
    whole = Node(4, "item", (Ref(3), 1), types=(kind,))
    graph = Graph(
        "numpy",
        (x,),
        (view, twice, both, whole),
        (Output("pair", (Ref(4), 7)), Output("view", [Ref(2)])),
        writes=(0,),
    )
    given = np.arange(4.0)
    found: Any = run_graph(graph, [given])
    np.testing.assert_array_equal(given, [0, 1, 4, 3])
    np.testing.assert_array_equal(found["pair"][0], given)
    assert found["pair"][1] == 7
    assert found["view"][0].base is given
    with pytest.raises(ValueError, match="1 inputs"):
        run_graph(graph, [])


def test_constant_keeps_memory_order() -> None:
    cube = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)
    constant = encode(cube)
    assert isinstance(constant, Constant)
    back: Any = argument(constant, {})
    assert back.strides == cube.strides
    np.testing.assert_array_equal(back, cube)
