"""An ``fx`` graph of ATen operations as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.graph.nodes import (
    Argument,
    Constant,
    DType,
    Graph,
    Node,
    Output,
    Position,
    Ref,
    ValueType,
)
from jupyter_npcompile.tracer.lowering.symbols import Symbols, hint

SIZE = ValueType("python", "int64")
"""The type of a symbolic size."""

ORIGIN = "npcompile_node"
"""Key in the ``meta`` of an ``fx`` node: the id of the NumPy-level node."""


def aten_graph(
    module: torch.fx.GraphModule,
    source: Graph,
    selections: Sequence[int],
    checks: int,
    symbols: Symbols,
) -> Graph:
    """Describe a lowered module.

    Parameters
    ----------
    module : torch.fx.GraphModule
        Operations carry in ``meta[ORIGIN]`` the node they came from.
    source : Graph
        The NumPy-level graph it was lowered from.
    selections : sequence of int
        Nodes of the source for which a mask is among the outputs.
    checks : int
        How many of the outputs are checks.
    symbols : Symbols
        Sizes that it takes before everything else.
    """
    return Writer(module, source, symbols).graph(selections, checks)


class Writer:
    """Writes the nodes of a module as data, one by one.

    Parameters
    ----------
    module : torch.fx.GraphModule
        What is written.
    source : Graph
        The NumPy level it was lowered from.
    symbols : Symbols
        Sizes that it takes before everything else.
    """

    def __init__(self, module: torch.fx.GraphModule, source: Graph, symbols: Symbols) -> None:
        self._module = module
        self._inputs = [
            *(Node(-1, "input", types=(SIZE,), name=size.text) for size in symbols.sizes),
            *source.inputs,
        ]
        self._source = source
        self._origins = source.by_id()
        self._ids: dict[torch.fx.Node, int] = {}
        self._constants: dict[torch.fx.Node, Constant] = {}

    def graph(self, selections: Sequence[int], checks: int) -> Graph:
        """The whole module."""
        inputs: list[Node] = []
        nodes: list[Node] = []
        results: list[torch.fx.Node] = []
        for node in self._module.graph.nodes:
            if node.op == "get_attr":
                self.constant(node)
                continue
            if node.op == "output":
                results = list(node.args[0])
                continue
            self.number(node)
            if node.op == "placeholder":
                inputs.append(self.input(node, self._inputs[len(inputs)]))
            else:
                nodes.append(self.operation(node))
        return Graph(
            "aten", tuple(inputs), tuple(nodes), self._outputs(results, selections, checks)
        )

    def constant(self, node: torch.fx.Node) -> None:
        """Take note of a tensor that is part of the module."""
        self._constants[node] = _constant(getattr(self._module, str(node.target)))

    def number(self, node: torch.fx.Node) -> None:
        """Give a node its id: the next number."""
        self._ids[node] = len(self._ids)

    def input(self, node: torch.fx.Node, source: Node) -> Node:
        """An input of the type and name of one of the source's."""
        return Node(
            self._ids[node],
            "input",
            types=tuple(map(_recorded, source.types)),
            position=source.position,
            name=source.name,
        )

    def operation(self, node: torch.fx.Node) -> Node:
        """An operation, with the place of the node that it came from."""
        origin = self._origins.get(node.meta.get(ORIGIN, -1))
        return Node(
            self._ids[node],
            _name(node.target),
            tuple(self.argument(argument) for argument in node.args),
            {name: self.argument(argument) for name, argument in node.kwargs.items()},
            _types(node.meta.get("val")),
            Position(0, 0) if origin is None else origin.position,
            scope="" if origin is None else origin.scope,
        )

    def argument(self, argument: object) -> Argument:
        """An argument of an operation, or a result."""
        if isinstance(argument, torch.fx.Node):
            constant = self._constants.get(argument)
            return Ref(self._ids[argument]) if constant is None else constant
        if isinstance(argument, torch.dtype):
            return DType(str(argument).removeprefix("torch."))
        if isinstance(argument, torch.SymInt):
            return hint(argument)
        if isinstance(argument, list | tuple):
            return [self.argument(part) for part in argument]
        if argument is None or isinstance(argument, bool | int | float | complex | str):
            return argument
        return str(argument)

    def _outputs(
        self, results: list[torch.fx.Node], selections: Sequence[int], checks: int
    ) -> tuple[Output, ...]:
        allocated = self._source.allocations()
        names = dict(self._names())
        labels = [names.get(id, f"v{id}") for id in allocated]
        labels += [self._origins[id].name for id in self._source.writes]
        labels += [f"mask of {names.get(id, f'v{id}')}" for id in selections]
        labels += [f"check {k + 1}" for k in range(checks)]
        return tuple(
            Output(label, self.argument(result))
            for label, result in zip(labels, results, strict=True)
        )

    def _names(self) -> list[tuple[int, str]]:
        found = []
        roots = self._source.roots()
        for output in self._source.outputs:
            if isinstance(output.value, Ref):
                found.append((roots[output.value.id], output.name))
        return found[::-1]


def _name(target: object) -> str:
    if isinstance(target, torch._ops.OpOverload):
        return f"{target.namespace}.{target.__name__}"
    return f"python.{getattr(target, '__name__', str(target))}"


def _types(value: object) -> tuple[ValueType, ...]:
    if isinstance(value, Tensor):
        return (_type(value),)
    if isinstance(value, list | tuple):
        return tuple(_type(part) for part in value if isinstance(part, Tensor))
    return ()


def _type(tensor: Tensor) -> ValueType:
    size = tensor.element_size()
    strides = tuple(hint(stride) * size for stride in tensor.stride())
    shape = tuple(map(hint, tensor.shape))
    return ValueType("array", str(tensor.dtype).removeprefix("torch."), shape, strides)


def _recorded(kind: ValueType) -> ValueType:
    """A type with the sizes that were recorded."""
    return replace(kind, shape=tuple(map(hint, kind.shape)), strides=tuple(map(hint, kind.strides)))


def _constant(tensor: Tensor) -> Constant:
    array: np.ndarray = tensor.detach().numpy()
    kind = ValueType("array", array.dtype.name, array.shape, array.strides)
    return Constant(kind, array.tobytes())
