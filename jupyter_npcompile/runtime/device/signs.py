"""Signs of zeros in Triton, which negates by subtracting from zero and so loses them."""

from __future__ import annotations

import torch
from torch.fx import GraphModule


def with_signs(module: GraphModule) -> GraphModule:
    """A copy of a graph that multiplies by -1 wherever floating-point numbers are negated.

    Parameters
    ----------
    module : torch.fx.GraphModule
        Functional; its nodes know their tensors. It is not changed.

    Examples
    --------
    >>> from torch.fx.experimental.proxy_tensor import make_fx
    >>> made = with_signs(make_fx(lambda x: (-x,))(torch.zeros(1)))
    >>> [node.target for node in made.graph.nodes if node.op == "call_function"]
    [<OpOverload(op='aten.mul', overload='Scalar')>]
    >>> made(torch.zeros(1))
    (tensor([-0.]),)
    """
    aten = torch.ops.aten
    graph = torch.fx.Graph()
    graph.output(graph.graph_copy(module.graph, {}))
    for node in graph.find_nodes(op="call_function", target=aten.neg.default):
        if node.meta["val"].dtype.is_floating_point:
            node.target, node.args = aten.mul.Scalar, (*node.args, -1.0)
    return GraphModule(module, graph)
