"""A captured graph as JSON, and back, exactly.

What JSON cannot say plainly is tagged by an object with a single key:

====================  ==================================================
``{"float": "0.5"}``  a float, as ``repr`` writes it (``inf``, ``nan``, ``-0.0``)
``{"int": "9…"}``     an integer beyond 2**53, which JavaScript would round
``{"complex": […]}``  real and imaginary part, as floats are written
``{"ref": 3}``        the value of node 3
``{"dtype": "…"}``    a dtype
``{"slice": […]}``    start, stop and step
``{"tuple": […]}``    a tuple; a JSON array is a list
``{"ellipsis": 1}``   ``...``
``{"constant": {}}``  an array or scalar: ``type`` and ``data`` in base64
``{"size": […]}``     an integer that differs: what it is, and its values
====================  ==================================================
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from types import EllipsisType
from typing import Any, get_args

from jupyter_npcompile.graph.nodes import (
    Argument,
    Constant,
    DType,
    Graph,
    Kind,
    Level,
    Node,
    Output,
    Position,
    Ref,
    Size,
    Slice,
    ValueType,
)

_EXACT = 2**53


def to_json(graph: Graph) -> dict[str, Any]:
    """Turn a graph into plain data that ``json.dumps(..., allow_nan=False)`` takes.

    Parameters
    ----------
    graph : Graph
        A graph of either level.

    Returns
    -------
    dict
        With the keys ``level``, ``inputs``, ``nodes``, ``outputs``, ``writes``.

    Examples
    --------
    >>> data = to_json(Graph("numpy", (Node(0, "input", name="x"),)))
    >>> data["level"], data["inputs"][0]["name"]
    ('numpy', 'x')
    >>> from_json(data).inputs[0].name
    'x'
    """
    return {
        "level": graph.level,
        "inputs": [_node_to_json(node) for node in graph.inputs],
        "nodes": [_node_to_json(node) for node in graph.nodes],
        "outputs": [
            {"name": output.name, "value": argument_to_json(output.value)}
            for output in graph.outputs
        ],
        "writes": list(graph.writes),
    }


def from_json(data: Mapping[str, Any]) -> Graph:
    """Rebuild the graph that `to_json` wrote.

    Parameters
    ----------
    data : mapping
        What `to_json` returned, possibly through ``json``.

    Raises
    ------
    ValueError
        If the data does not describe a graph; the message names the part.
    """
    try:
        level = data["level"]
        if level not in get_args(Level):
            raise ValueError(f"unknown level {level!r}")
        return Graph(
            level=level,
            inputs=tuple(_node_from_json(node) for node in data["inputs"]),
            nodes=tuple(_node_from_json(node) for node in data["nodes"]),
            outputs=tuple(
                Output(output["name"], argument_from_json(output["value"]))
                for output in data["outputs"]
            ),
            writes=tuple(data["writes"]),
        )
    except KeyError as error:
        raise ValueError(f"not a captured graph: {error} is missing") from error
    except TypeError as error:
        raise ValueError(f"not a captured graph: {error}") from error


def argument_to_json(value: Argument) -> object:
    """Turn one argument into plain data."""
    match value:
        case None | bool() | str():
            return value
        case int():
            exact = -_EXACT <= value <= _EXACT
            return int(value) if exact else {"int": int.__repr__(value)}
        case float():
            return {"float": float.__repr__(value)}
        case complex():
            return {"complex": [float.__repr__(value.real), float.__repr__(value.imag)]}
        case Ref(id):
            return {"ref": id}
        case DType(name):
            return {"dtype": name}
        case Size(text, values):
            return {"size": [text, *values]}
        case Slice(start, stop, step):
            return {"slice": [argument_to_json(part) for part in (start, stop, step)]}
        case Constant():
            content = base64.b64encode(value.data).decode("ascii")
            return {"constant": {"type": _type_to_json(value.type), "data": content}}
        case EllipsisType():
            return {"ellipsis": 1}
        case tuple():
            return {"tuple": [argument_to_json(part) for part in value]}
        case list():
            return [argument_to_json(part) for part in value]
    raise TypeError(f"{type(value).__name__} is not an argument of a captured graph")


def argument_from_json(data: object) -> Argument:
    """Rebuild the argument that `argument_to_json` wrote."""
    if isinstance(data, list):
        return [argument_from_json(part) for part in data]
    if not isinstance(data, Mapping):
        if data is None or isinstance(data, bool | int | str):
            return data
        raise ValueError(f"untagged {type(data).__name__} in a captured graph")
    if len(data) != 1:
        raise ValueError(f"a tagged value has one key, not {sorted(data)}")
    (tag, content), *_ = data.items()
    if tag not in _READERS:
        raise ValueError(f"unknown tag {tag!r} in a captured graph")
    return _READERS[tag](content)


def _constant(data: Mapping[str, Any]) -> Constant:
    try:
        content = base64.b64decode(data["data"], validate=True)
    except binascii.Error as error:
        raise ValueError(f"the data of a constant is not base64: {error}") from error
    return Constant(_type_from_json(data["type"]), content)


def _slice(data: Sequence[Any]) -> Slice:
    start, stop, step = data
    return Slice(argument_from_json(start), argument_from_json(stop), argument_from_json(step))


def _complex(data: Sequence[str]) -> complex:
    real, imag = data
    return complex(float(real), float(imag))


_READERS: dict[str, Callable[[Any], Argument]] = {
    "int": int,
    "float": float,
    "complex": _complex,
    "ref": Ref,
    "dtype": DType,
    "slice": _slice,
    "size": lambda data: Size(data[0], tuple(data[1:])),
    "constant": _constant,
    "tuple": lambda data: tuple(argument_from_json(part) for part in data),
    "ellipsis": lambda _: ...,
}


def _type_to_json(type: ValueType) -> dict[str, Any]:
    return {
        "kind": type.kind,
        "dtype": type.dtype,
        "shape": [argument_to_json(length) for length in type.shape],
        "strides": [argument_to_json(stride) for stride in type.strides],
    }


def _type_from_json(data: Mapping[str, Any]) -> ValueType:
    kind = data["kind"]
    if kind not in get_args(Kind):
        raise ValueError(f"unknown kind of value {kind!r}")
    shape: Any = tuple(map(argument_from_json, data["shape"]))
    strides: Any = tuple(map(argument_from_json, data["strides"]))
    return ValueType(kind, data["dtype"], shape, strides)


def _node_to_json(node: Node) -> dict[str, Any]:
    # Only kernels have these: the digests of other graphs stay what they are.
    kernel = {"fuses": list(node.fuses), "moves": node.moves} if node.moves or node.fuses else {}
    return kernel | {
        "id": node.id,
        "op": node.op,
        "name": node.name,
        "args": [argument_to_json(part) for part in node.args],
        "kwargs": {name: argument_to_json(part) for name, part in node.kwargs.items()},
        "types": [_type_to_json(type) for type in node.types],
        "line": node.position.line,
        "column": node.position.column,
        "view_of": node.view_of,
        "writes": list(node.writes),
        "scope": node.scope,
        "reports": list(node.reports),
        "finite": node.finite,
    }


def _node_from_json(data: Mapping[str, Any]) -> Node:
    return Node(
        id=data["id"],
        op=data["op"],
        args=tuple(argument_from_json(part) for part in data["args"]),
        kwargs={name: argument_from_json(part) for name, part in data["kwargs"].items()},
        types=tuple(_type_from_json(type) for type in data["types"]),
        position=Position(data["line"], data["column"]),
        view_of=data["view_of"],
        writes=tuple(data["writes"]),
        name=data["name"],
        scope=data["scope"],
        reports=tuple(data["reports"]),
        finite=data["finite"],
        fuses=tuple(data.get("fuses", ())),
        moves=data.get("moves", 0),
    )
