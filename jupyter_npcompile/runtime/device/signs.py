"""Signs of zeros in Triton.

It negates by subtracting from zero, calls no zero negative (``signbit`` of doubles), and
writes every zero that is a constant as 0.0. So -0.0 is said in other words here.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

INLINED = 8
"""Elements of constants that Inductor writes into its code, at most."""

KEPT = {"joint_graph_constant_folding": False}
"""Inductor's configuration: what is computed from constants would be a constant again."""

_BITS = {torch.float64: torch.int64, torch.float32: torch.int32}


def with_signs(module: GraphModule) -> GraphModule:
    """A copy of a graph in which Triton keeps the signs of zeros.

    Parameters
    ----------
    module : torch.fx.GraphModule
        Functional; its nodes know their tensors. It is not changed.

    Examples
    --------
    >>> from torch.fx.experimental.proxy_tensor import make_fx
    >>> made = with_signs(make_fx(lambda x: (-x, x.signbit()))(torch.zeros(1)))
    >>> [node.target.name() for node in made.graph.nodes if node.op == "call_function"]
    ['aten::mul.Scalar', 'aten::view.dtype', 'aten::lt.Scalar']
    >>> made(torch.zeros(1))
    (tensor([-0.]), tensor([False]))
    """
    graph = Graph()
    graph.output(graph.graph_copy(module.graph, {}))
    made = GraphModule(module, graph)
    aten = torch.ops.aten
    for node in list(graph.nodes):
        if node.op == "get_attr":
            _constant(made, node)
        elif node.target in (aten.neg.default, aten.signbit.default):
            if node.args[0].meta["val"].dtype in _BITS:
                _of_sign(graph, node)
        elif node.target == aten.full.default and _is_negative_zero(node.args[1]):
            dtype = node.meta["val"].dtype
            if dtype not in _BITS:
                continue
            whole = _BITS[dtype]
            kwargs = {**node.kwargs, "dtype": whole}
            smallest = torch.iinfo(whole).min  # its bits are those of -0.0
            with graph.inserting_before(node):
                bits = graph.call_function(aten.full.default, (node.args[0], smallest), kwargs)
            _becomes(node, aten.view.dtype, (bits, dtype))
    made.recompile()
    return made


def _of_sign(graph: Graph, node: Node) -> None:
    """Write minus, or the question whether a sign is minus, in other words."""
    aten = torch.ops.aten
    operand: Any = node.args[0]
    if node.target == aten.neg.default:
        _becomes(node, aten.mul.Scalar, (operand, -1.0))
        return
    with graph.inserting_before(node):
        bits = graph.call_function(aten.view.dtype, (operand, _BITS[operand.meta["val"].dtype]))
    _becomes(node, aten.lt.Scalar, (bits, 0))


def _constant(module: GraphModule, node: Node) -> None:
    """Have a small constant with a negative zero made from its bits."""
    name = str(node.target)
    tensor = getattr(module, name)
    if tensor.dtype not in _BITS or not 0 < tensor.numel() <= INLINED:
        return
    if not (tensor.signbit() & (tensor == 0)).any():
        return
    bits = f"{name}_bits"
    module.register_buffer(bits, tensor.contiguous().view(_BITS[tensor.dtype]))
    with module.graph.inserting_before(node):
        kept = module.graph.get_attr(bits)
    _becomes(node, torch.ops.aten.view.dtype, (kept, tensor.dtype))


def _becomes(node: Node, target: Any, args: tuple[Any, ...]) -> None:
    node.op, node.target, node.args, node.kwargs = "call_function", target, args, {}


def _is_negative_zero(value: Any) -> bool:
    return isinstance(value, float) and value == 0.0 and str(value).startswith("-")
