"""A graph in single precision: what somebody asks for with ``--dtype float32``.

Names keep their dtypes; only what a segment computes on its device has fewer
digits. What is compared with NumPy, and told, is how many were lost.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Graph, GraphModule, Node
from torch.fx.node import map_aggregate
from torch.fx.passes.fake_tensor_prop import FakeTensorProp

LARGEST = float(np.finfo(np.float32).max)
SMALLEST = float(np.finfo(np.float32).tiny)

SINGLE = {torch.float64: torch.float32, torch.complex128: torch.complex64}
"""What double precision becomes."""

_BITS = frozenset({torch.ops.aten.view.dtype})
"""Operations that look at the bits of numbers."""


class PrecisionError(Exception):
    """A graph cannot be computed in single precision; the message says why."""


def single(module: GraphModule) -> GraphModule:
    """The same graph in single precision; itself where it computes with integers only.

    Parameters
    ----------
    module : torch.fx.GraphModule
        Functional, lowered for the CPU, in double precision. It is not changed.

    Raises
    ------
    PrecisionError
        When it depends on the digits, or the range, of double precision.
    """
    if not any(_is_double(node) for node in module.graph.nodes):
        return module

    def narrowed(argument: Any) -> Any:
        if isinstance(argument, torch.dtype):
            return SINGLE.get(argument, argument)
        if isinstance(argument, float):
            size = abs(argument)
            if math.isfinite(size) and not (size == 0 or SMALLEST <= size <= LARGEST):
                raise PrecisionError(f"{argument:.3g} is no number in single precision")
        return argument

    graph, made = Graph(), dict[Node, Node]()
    constants: dict[str, Any] = {}
    for node in module.graph.nodes:
        if node.target in _BITS:
            raise PrecisionError("something in it looks at the bits of numbers")
        copy = made[node] = graph.node_copy(node, made.__getitem__)
        copy.args = map_aggregate(copy.args, narrowed)
        copy.kwargs = map_aggregate(copy.kwargs, narrowed)
        if node.op == "get_attr":
            tensor = getattr(module, node.target)
            constants[node.target] = tensor.to(SINGLE.get(tensor.dtype, tensor.dtype))
    made_module = GraphModule(constants, graph)
    _propagate(made_module)
    for node in module.graph.nodes:
        before, after = _dtypes(node), _dtypes(made[node])
        if node.op == "call_function" and [SINGLE.get(d, d) for d in before] != after:
            raise PrecisionError(f"`{node.target}` has no form in single precision")
    return made_module


def narrowed(tensor: torch.Tensor) -> torch.Tensor | None:
    """A tensor in single precision; None where a number is too large for it."""
    made = tensor.to(SINGLE.get(tensor.dtype, tensor.dtype))
    if made.dtype != tensor.dtype and torch.isinf(made).any():
        return made if torch.equal(torch.isinf(made), torch.isinf(tensor)) else None
    return made


def _is_double(node: Node) -> bool:
    return any(dtype in SINGLE for dtype in _dtypes(node))


def _dtypes(node: Node) -> list[torch.dtype]:
    value = node.meta.get("val")
    parts = value if isinstance(value, tuple | list) else [value]
    return [part.dtype for part in parts if isinstance(part, torch.Tensor)]


def _propagate(module: GraphModule) -> None:
    """Write down anew what each node gives."""
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        given = []
        for node in module.graph.nodes:
            if node.op == "placeholder":
                known = node.meta["val"]
                if not isinstance(known, torch.Tensor):
                    raise PrecisionError("its sizes are not fixed")
                dtype = SINGLE.get(known.dtype, known.dtype)
                given.append(torch.empty_strided(known.shape, known.stride(), dtype=dtype))
        try:
            FakeTensorProp(module, mode).propagate_dont_convert_inputs(*given)
        except Exception as error:
            first = str(error).partition("\n")[0]
            raise PrecisionError(f"torch cannot compute it in single precision: {first}") from error
