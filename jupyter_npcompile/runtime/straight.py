"""A graph as straight-line Python: what NumPy does for it, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jupyter_npcompile.graph.nodes import Argument, Graph, Node, Ref, Slice, references
from jupyter_npcompile.tracer.interpret import argument, function

_METHOD = "ndarray."


def straight_line(graph: Graph) -> Callable[..., None]:
    """Write a graph as a function that has NumPy run it.

    It is about as fast as the statements that were recorded: what is not
    needed any more is let go of at once, and methods are called as methods.

    Parameters
    ----------
    graph : Graph
        NumPy level.

    Returns
    -------
    callable
        Takes a value for each input of the graph, some of which it may write to.

    Examples
    --------
    >>> from jupyter_npcompile.graph.nodes import Output, ValueType
    >>> x = Node(0, "input", types=(ValueType("array", "int64", (2,), (8,)),), name="x")
    >>> y = Node(1, "numpy.multiply", (Ref(0), 3), {"out": Ref(0)}, types=x.types, writes=(0,))
    >>> values = np.arange(2)
    >>> straight_line(Graph("numpy", (x,), (y,), (), (0,)))(values)
    >>> values
    array([0, 3])
    """
    return _Writer(graph).function()


class _Writer:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._objects: dict[str, Any] = {}

    def function(self) -> Callable[..., None]:
        graph = self._graph
        kept = {node.id for node in graph.inputs}
        kept |= {id for output in graph.outputs for id in references(output.value)}
        last = {id: node.id for node in graph.nodes for id in (node.id, *node.references())}
        over: dict[int, list[str]] = {}
        for id, user in last.items():
            if id not in kept:
                over.setdefault(user, []).append(f"v{id}")
        lines = []
        for node in graph.nodes:
            lines.append(self._statement(node))
            if node.id in over:
                lines.append(f"del {', '.join(over[node.id])}")
        parameters = ", ".join(f"v{node.id}" for node in graph.inputs)
        body = "".join(f"        {line}\n" for line in lines or ["pass"])
        text = (
            f"def make({', '.join(self._objects)}):\n"
            f"    def run({parameters}):\n{body}"
            "    return run\n"
        )
        space: dict[str, Any] = {}
        exec(compile(text, "<npcompile numpy>", "exec"), space)
        made: Callable[..., None] = space["make"](**self._objects)
        return made

    def _statement(self, node: Node) -> str:
        args = [self._expression(value) for value in node.args]
        if node.op == "setitem":
            return f"{args[0]}[{args[1]}] = {args[2]}; v{node.id} = None"
        if node.op in ("getitem", "item"):
            return f"v{node.id} = {args[0]}[{args[1]}]"
        given = [f"{name}={self._expression(value)}" for name, value in node.kwargs.items()]
        if node.op.startswith(_METHOD):
            name = node.op.removeprefix(_METHOD)
            member = f"{args[0]}.{name}"
            if callable(getattr(np.ndarray, name)):
                member += f"({', '.join((*args[1:], *given))})"
            return f"v{node.id} = {member}"
        called = self._object(function(node.op))
        return f"v{node.id} = {called}({', '.join((*args, *given))})"

    def _expression(self, value: Argument) -> str:
        if isinstance(value, Ref):
            return f"v{value.id}"
        if not any(True for _ in references(value)):
            return self._object(argument(value, {}))
        if isinstance(value, Slice):
            parts = (value.start, value.stop, value.step)
            return f"{self._object(slice)}({', '.join(map(self._expression, parts))})"
        assert isinstance(value, tuple | list)
        items = "".join(f"{self._expression(item)}, " for item in value)
        return f"({items})" if isinstance(value, tuple) else f"[{items}]"

    def _object(self, value: Any) -> str:
        name = f"o{len(self._objects)}"
        self._objects[name] = value
        return name
