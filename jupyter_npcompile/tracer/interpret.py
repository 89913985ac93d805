"""What each operation of the NumPy level means, by NumPy itself.

The vocabulary of a NumPy-level graph (``numpy.add``, ``ndarray.sum``,
``getitem``, ``python.float`` ...) is turned into callables here, and graphs are
executed with them, one node after the other: the reference against which every
lowering is held. Nothing here imports torch.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from jupyter_npcompile.graph.nodes import (
    Argument,
    Constant,
    DType,
    Graph,
    Node,
    Ref,
    Slice,
    ValueType,
)
from jupyter_npcompile.tracer.operations import ORIGINALS

_OPERATORS: dict[str, Callable[..., object]] = {
    "and": operator.and_,
    "or": operator.or_,
    "not": operator.not_,
}
_BUILTINS = frozenset(
    ("abs", "bool", "complex", "divmod", "float", "int", "max", "min", "pow", "round", "sum")
)
_WEAK_TYPES = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}


class EncodeError(TypeError):
    """An object that has no place in a graph."""


@cache
def function(op: str) -> Callable[..., object]:
    """Find the callable behind an operation.

    Parameters
    ----------
    op : str
        ``"numpy.linalg.solve"``, ``"numpy.add.reduce"``, ``"ndarray.sum"``
        (a method: the array comes first), ``"ndarray.T"`` (an attribute),
        ``"getitem"``, ``"setitem"``, ``"item"``, ``"python.float"``,
        ``"math.sqrt"``.

    Raises
    ------
    KeyError
        If there is no such operation.

    Examples
    --------
    >>> function("numpy.add.reduce")(np.arange(4))
    np.int64(6)
    >>> function("ndarray.clip")(np.arange(4), 1, 2)
    array([1, 1, 2, 2])
    >>> function("python.float")(np.float32(1.5))
    1.5
    """
    space, _, name = op.partition(".")
    if space in ("getitem", "setitem") and not name:
        return getattr(operator, space)  # type: ignore[no-any-return]
    if op == "item":
        return operator.getitem
    if space == "numpy" and name:
        return _original(op)
    if space == "ndarray" and name:
        return _member(name, op)
    if space == "python" and name:
        return _python(name, op)
    if space == "math" and name:
        return _resolve(math, name, op)
    raise KeyError(op)


def _original(op: str) -> Callable[..., object]:
    """A function of NumPy's, whatever its name means by now."""
    owner, _, method = op.rpartition(".")
    if op in ORIGINALS:
        return ORIGINALS[op]  # type: ignore[no-any-return]
    if owner in ORIGINALS:
        return _resolve(ORIGINALS[owner], method, op)
    return _resolve(np, op.removeprefix("numpy."), op)


def _resolve(module: object, path: str, op: str) -> Callable[..., object]:
    found: Any = module
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise KeyError(op) from None
    if not callable(found):
        raise KeyError(op)
    return found  # type: ignore[no-any-return]


def _member(name: str, op: str) -> Callable[..., object]:
    descriptor = getattr(np.ndarray, name, None)
    if descriptor is None:
        raise KeyError(op)
    if not callable(descriptor):
        return operator.attrgetter(name)

    def method(x: object, /, *args: object, **kwargs: object) -> object:
        return getattr(x, name)(*args, **kwargs)

    return method


def _assume(value: object, outcome: bool) -> None:
    """A branch that the recording took."""
    if bool(value) is not outcome:
        raise ValueError("the recording took another branch")


def _constants(value: object) -> object:
    """What NumPy made of constants while it was recorded."""
    return value


def _python(name: str, op: str) -> Callable[..., object]:
    if name == "assume":
        return _assume
    if name == "constant":
        return _constants
    if name in _BUILTINS:
        return getattr(builtins, name)  # type: ignore[no-any-return]
    if name in _OPERATORS:
        return _OPERATORS[name]
    found = getattr(operator, name, None)
    if found is None or name.startswith("_"):
        raise KeyError(op)
    return found  # type: ignore[no-any-return]


def constant_value(constant: Constant) -> np.ndarray | np.generic:
    """Rebuild the array or scalar that a constant holds.

    Arrays come back with the recorded memory order and writeable, so that
    running a graph twice never shows what the first run wrote.
    """
    dtype = np.dtype(constant.type.dtype)
    flat = np.frombuffer(constant.data, dtype=dtype)
    if constant.type.kind != "array":
        return flat[0]  # type: ignore[no-any-return]
    array = flat.reshape(constant.type.shape)
    order = np.argsort([-abs(stride) for stride in constant.type.strides], kind="stable")
    return np.transpose(array.transpose(order).copy(), np.argsort(order))


def argument(value: Argument, values: Mapping[int, object]) -> object:
    """Turn an argument of a node into the Python object that NumPy is given.

    Parameters
    ----------
    value : Argument
        The argument.
    values : mapping of int to object
        The value of each node, by id.

    Examples
    --------
    >>> argument((Slice(1, Ref(3)), None), {3: 5})
    (slice(1, 5, None), None)
    >>> argument(DType("float32"), {})
    dtype('float32')
    """
    if isinstance(value, Ref):
        return values[value.id]
    if isinstance(value, DType):
        return np.dtype(value.name)
    if isinstance(value, Constant):
        return constant_value(value)
    if isinstance(value, Slice):
        return slice(
            argument(value.start, values),
            argument(value.stop, values),
            argument(value.step, values),
        )
    if isinstance(value, tuple):
        return tuple(argument(part, values) for part in value)
    if isinstance(value, list):
        return [argument(part, values) for part in value]
    return value


def run_node(node: Node, values: MutableMapping[int, object]) -> object:
    """Run one node with NumPy, keep its value in `values` and return it."""
    result = function(node.op)(
        *(argument(value, values) for value in node.args),
        **{name: argument(value, values) for name, value in node.kwargs.items()},
    )
    values[node.id] = result
    return result


def gives_target(node: Node, nodes: Mapping[int, Node]) -> bool:
    """Whether a node gives the very array that it writes: ``x += 1``, ``np.modf(x, out=...)[0]``.

    Parameters
    ----------
    node : Node
        The node.
    nodes : mapping of int to Node
        All nodes of the graph, by id.
    """
    if node.view_of is None:
        return False
    if node.op == "item" and isinstance(source := node.args[0], Ref):
        return bool(nodes[source.id].writes)
    return bool(node.writes)


def value_of(id: int, nodes: Mapping[int, Node], values: MutableMapping[int, object]) -> object:
    """The value of a node: known, or a view that NumPy takes again, which is then known.

    Parameters
    ----------
    id : int
        The node.
    nodes : mapping of int to Node
        All nodes of the graph, by id.
    values : mutable mapping of int to object
        What is known so far.
    """
    if id in values:
        return values[id]
    node = nodes[id]
    if node.view_of is not None and gives_target(node, nodes):
        values[id] = value_of(node.view_of, nodes, values)
        return values[id]
    assert not node.writes, "what is written twice is wrong"
    for needed in dict.fromkeys(node.references()):
        value_of(needed, nodes, values)
    return run_node(node, values)


def run_graph(graph: Graph, inputs: Sequence[object]) -> dict[str, object]:
    """Run a NumPy-level graph: the reference execution.

    Parameters
    ----------
    graph : Graph
        A graph at level ``"numpy"``.
    inputs : sequence of object
        One value per input of the graph. Arrays named in ``graph.writes``
        are written to.

    Returns
    -------
    dict of str to object
        What the graph binds.

    Examples
    --------
    >>> x = Node(0, "input", name="x", types=(ValueType("array", "int64", (2,), (8,)),))
    >>> y = Node(1, "numpy.multiply", (Ref(0), 3), types=x.types)
    >>> from jupyter_npcompile.graph.nodes import Output
    >>> run_graph(Graph("numpy", (x,), (y,), (Output("y", Ref(1)),)), [np.arange(2)])
    {'y': array([0, 3])}
    """
    if len(inputs) != len(graph.inputs):
        raise ValueError(f"the graph has {len(graph.inputs)} inputs, not {len(inputs)}")
    values: dict[int, object] = {
        node.id: value for node, value in zip(graph.inputs, inputs, strict=True)
    }
    for node in graph.nodes:
        run_node(node, values)
    return {output.name: argument(output.value, values) for output in graph.outputs}


def value_type(value: object) -> ValueType:
    """Describe an array, a NumPy scalar or a Python number.

    Raises
    ------
    EncodeError
        If it is something else, or of a dtype that has no plain name
        (byte-swapped, structured, object, string).

    Examples
    --------
    >>> value_type(np.zeros((2, 3), order="F")).strides
    (8, 16)
    >>> str(value_type(2.5))
    'python float'
    """
    if isinstance(value, np.ndarray):
        return ValueType("array", _dtype_name(value.dtype), value.shape, value.strides)
    if isinstance(value, np.generic):
        return ValueType("scalar", _dtype_name(value.dtype))
    name = _WEAK_TYPES.get(type(value))
    if name is None:
        raise EncodeError(f"{type(value).__name__} is neither an array nor a number")
    return ValueType("python", name)


_NAMES = {np.dtype(char).num: np.dtype(char).name for char in "?bBhHiIlLqQefdgFDG"}
"""Names of dtypes; NumPy takes long to make them."""


def _dtype_name(dtype: np.dtype) -> str:
    if dtype.kind not in "biufc" or not dtype.isnative:
        raise EncodeError(f"dtype {dtype}")
    return _NAMES.get(dtype.num) or dtype.name


def encode(value: object) -> Argument:
    """Write a constant as an argument of a node; the inverse of `argument`.

    Raises
    ------
    EncodeError
        If `value` cannot be a constant of a graph.

    Examples
    --------
    >>> encode((slice(None, -1), ...))
    (Slice(start=None, stop=-1, step=None), Ellipsis)
    >>> encode(float)
    DType(name='float64')
    """
    if value is None or value is ... or type(value) in (bool, int, float, complex, str):
        return value  # type: ignore[return-value]
    if isinstance(value, np.ndarray):
        if type(value) is not np.ndarray:
            raise EncodeError(f"{type(value).__name__} is a subclass of ndarray")
        return Constant(value_type(value), value.tobytes())
    if isinstance(value, np.generic):
        return Constant(value_type(value), value.tobytes())
    if isinstance(value, np.dtype):
        return DType(_dtype_name(value))
    if isinstance(value, type) and (value in _WEAK_TYPES or issubclass(value, np.generic)):
        return DType(_dtype_name(np.dtype(value)))
    if isinstance(value, slice):
        return Slice(encode(value.start), encode(value.stop), encode(value.step))
    if isinstance(value, tuple):
        return tuple(encode(part) for part in value)
    if isinstance(value, list):
        return [encode(part) for part in value]
    raise EncodeError(f"{type(value).__name__} cannot be a constant of a graph")
