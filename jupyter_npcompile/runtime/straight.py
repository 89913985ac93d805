"""A graph as straight-line Python: what NumPy does for it, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jupyter_npcompile.graph.nodes import Argument, Graph, Node, Ref, Slice, references
from jupyter_npcompile.tracer import interpret

_METHOD = "ndarray."


def straight_line(graph: Graph) -> Callable[..., list[Any]]:
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
        Takes a value for each input of the graph, some of which it may write to;
        gives the value of each output.

    Examples
    --------
    >>> from jupyter_npcompile.graph.nodes import Output, ValueType
    >>> x = Node(0, "input", types=(ValueType("array", "int64", (2,), (8,)),), name="x")
    >>> y = Node(1, "numpy.multiply", (Ref(0), 3), {"out": Ref(0)}, types=x.types, writes=(0,))
    >>> values = np.arange(2)
    >>> straight_line(Graph("numpy", (x,), (y,), (Output("y", Ref(1)),), (0,)))(values)
    [array([0, 3])]
    >>> values
    array([0, 3])
    """
    return _written(graph)


class Expressions:
    """Writes what nodes do as Python expressions.

    Parameters
    ----------
    name : callable
        Gives the variable that holds the value of a node.
    objects : dict of str to object
        Everything else that the expressions name is put here.
    """

    def __init__(self, name: Callable[[int], str], objects: dict[str, Any]) -> None:
        self._name = name
        self._objects = objects

    def object(self, value: Any) -> str:
        """A name for an object."""
        name = f"o{len(self._objects)}"
        self._objects[name] = value
        return name

    def of(self, node: Node) -> str:
        """What gives the value of a node."""
        args = [self.argument(value) for value in node.args]
        if node.op in ("getitem", "item"):
            return f"{args[0]}[{args[1]}]"
        given = [f"{name}={self.argument(value)}" for name, value in node.kwargs.items()]
        if node.op.startswith(_METHOD):
            name = node.op.removeprefix(_METHOD)
            member = f"{args[0]}.{name}"
            if callable(getattr(np.ndarray, name)):
                member += f"({', '.join((*args[1:], *given))})"
            return member
        return f"{self.object(interpret.function(node.op))}({', '.join((*args, *given))})"

    def assignment(self, node: Node) -> str:
        """The statement ``x[index] = value``."""
        target, index, value = (self.argument(part) for part in node.args)
        return f"{target}[{index}] = {value}"

    def argument(self, value: Argument) -> str:
        """What gives an argument of a node."""
        if isinstance(value, Ref):
            return self._name(value.id)
        if not any(True for _ in references(value)):
            return self.object(interpret.argument(value, {}))
        if isinstance(value, Slice):
            parts = (value.start, value.stop, value.step)
            return f"{self.object(slice)}({', '.join(map(self.argument, parts))})"
        assert isinstance(value, tuple | list)
        items = "".join(f"{self.argument(item)}, " for item in value)
        return f"({items})" if isinstance(value, tuple) else f"[{items}]"


def _written(graph: Graph) -> Callable[..., list[Any]]:
    objects: dict[str, Any] = {}
    expressions = Expressions("v{}".format, objects)
    kept = {node.id for node in graph.inputs}
    kept |= {id for output in graph.outputs for id in references(output.value)}
    last = {id: node.id for node in graph.nodes for id in (node.id, *node.references())}
    over: dict[int, list[str]] = {}
    for id, user in last.items():
        if id not in kept:
            over.setdefault(user, []).append(f"v{id}")
    lines = []
    for node in graph.nodes:
        if node.op == "setitem":
            lines += [expressions.assignment(node), f"v{node.id} = None"]
        else:
            lines.append(f"v{node.id} = {expressions.of(node)}")
        if node.id in over:
            lines.append(f"del {', '.join(over[node.id])}")
    results = ", ".join(expressions.argument(output.value) for output in graph.outputs)
    lines.append(f"return [{results}]")
    parameters = ", ".join(f"v{node.id}" for node in graph.inputs)
    body = "".join(f"        {line}\n" for line in lines)
    text = f"def make({', '.join(objects)}):\n    def run({parameters}):\n{body}    return run\n"
    space: dict[str, Any] = {}
    exec(compile(text, "<npcompile numpy>", "exec"), space)
    made: Callable[..., list[Any]] = space["make"](**objects)
    return made
