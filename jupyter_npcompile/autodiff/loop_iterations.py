"""An iteration of a loop as a functional graph, as it is compiled. Imports torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch._functorch.compile_utils import fx_graph_cse
from torch._subclasses.fake_tensor import FakeTensorMode
from torch._subclasses.functional_tensor import dispatch_functionalize
from torch.fx import GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx

from jupyter_npcompile.autodiff.complex_pairs import in_pairs
from jupyter_npcompile.autodiff.factored import FACTORED
from jupyter_npcompile.autodiff.placements import Forms, Placed, put_together
from jupyter_npcompile.dataclass import dataclass

SMALL = 64
"""Multiplications in a product of matrices that is computed with what is around it."""


@dataclass
class Iteration:
    """What is compiled of an iteration.

    Parameters
    ----------
    module : GraphModule
        A functional graph.
    places : list of int or None
        For each result, which one of the module's it is: equal ones are computed once. None for
        what is placed.
    placed : dict of int to Placed
        Results that are put together from others of the module's.
    copies : list of int
        The arguments of which there must be copies: results have boxes of them.
    shapes : list of tuple
        Of the module's results, and of the copies.
    sizes : list of int
        Their bytes.
    """

    module: GraphModule
    places: list[int | None]
    placed: dict[int, Placed]
    copies: list[int]
    shapes: list[tuple[int, ...]]
    sizes: list[int]


def _mm(x: Tensor, y: Tensor) -> Any:
    work = x.numel() * y.shape[-1]
    return NotImplemented if work > SMALL else (x.unsqueeze(-1) * y.unsqueeze(-3)).sum(-2)


def _mv(x: Tensor, y: Tensor) -> Any:
    return NotImplemented if x.numel() > SMALL else (x * y).sum(-1)


_PRODUCTS = {
    torch.ops.aten.mm.default: _mm,
    torch.ops.aten.bmm.default: _mm,
    torch.ops.aten.mv.default: _mv,
    torch.ops.aten.dot.default: _mv,
}
"""Products of very few elements share a loop with their neighbours."""


def traced(
    function: Any,
    places: list[Tensor],
    stays: Mapping[int, int | None],
    *,
    is_stored: bool = False,
) -> Iteration:
    """A functional graph; its results share no memory, and lie in C order.

    Parameters
    ----------
    function : callable
        What is written down.
    places : list of Tensor
        Stand for its arguments.
    stays : mapping of int to (int or None)
        Results that may be put together from boxes, and the argument, if there is one, that is
        there before.
    is_stored : bool
        Whether boxes replace what is there; otherwise they are added to it.
    """

    def dense(*tensors: Tensor) -> list[Tensor]:
        return [t.detach().clone(memory_format=torch.contiguous_format) for t in function(*tensors)]

    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        inputs = [mode.from_tensor(p) if not hasattr(p, "fake_mode") else p for p in places]
        module = make_fx(dense)(*inputs)
        table = {**_PRODUCTS, **FACTORED}
        module = make_fx(dispatch_functionalize(module), decomposition_table=table)(*inputs)
        module = in_pairs(module, inputs)
    module.graph = fx_graph_cse(module.graph)
    module.graph.eliminate_dead_code()
    (end,) = (node for node in module.graph.nodes if node.op == "output")
    ends = list(end.args[0])
    forms = Forms(module)
    arguments = [node for node in module.graph.nodes if node.op == "placeholder"]
    results: dict[Any, Node] = {}
    where: list[int | None] = []
    placed: dict[int, Placed] = {}
    copies: dict[int, int] = {}
    for k, node in enumerate(ends):
        if k in stays:
            base = stays[k]
            kept = None if base is None else arguments[base]
            found = put_together(forms, node, kept, arguments, is_stored=is_stored)
        else:
            found = None
        if found is None:
            where.append(_numbered(results, forms.source(node), node))
            continue
        where.append(None)
        holes, pieces = found
        parts = []
        for piece in pieces:
            if piece.node in arguments:
                number = arguments.index(piece.node)
                copies.setdefault(number, -1 - len(copies))
                parts.append((copies[number], piece))
            else:
                value = results.get(piece.node) or _dense(piece.node, end)
                parts.append((_numbered(results, piece.node, value), piece))
        placed[k] = Placed(tuple(holes), tuple(parts))
    end.args = (tuple(results.values()),)
    module.graph.eliminate_dead_code()
    module.recompile()
    nodes = [*results.values(), *(arguments[k] for k in reversed(copies))]
    return Iteration(
        module,
        where,
        placed,
        list(reversed(copies)),
        [_shape(n) for n in nodes],
        [_nbytes(n) for n in nodes],
    )


def _numbered(results: dict[Any, Node], key: Any, node: Node) -> int:
    """Which result a node is; equal ones are one."""
    results.setdefault(key, node)
    return list(results).index(key)


def _dense(node: Node, end: Node) -> Node:
    """A copy in C order."""
    order: Any = {"memory_format": torch.contiguous_format}
    with end.graph.inserting_before(end):
        made = end.graph.call_function(torch.ops.aten.clone.default, (node,), order)
    made.meta["val"] = node.meta["val"].contiguous()
    return made


def _shape(node: Node) -> tuple[int, ...]:
    return tuple(map(int, node.meta["val"].shape))


def _nbytes(node: Node) -> int:
    return int(node.meta["val"].numel() * node.meta["val"].element_size())
