"""Value and gradients as one functional graph: what is compiled. Imports torch.

The forward graph comes out of the lowering already pure; it is differentiated
while it is written down, and made functional once more afterwards, since doing
both at once fails on code that works in place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch._subclasses.functional_tensor import dispatch_functionalize
from torch.fx.experimental.proxy_tensor import make_fx

from jupyter_npcompile.autodiff import decompositions, loop_operations, smooth
from jupyter_npcompile.autodiff.complex_pairs import in_pairs
from jupyter_npcompile.autodiff.factored import FACTORED
from jupyter_npcompile.autodiff.graph_loops import Loop
from jupyter_npcompile.autodiff.pullbacks import or_zeros
from jupyter_npcompile.autodiff.rolling import LOOP, RESULT, outline
from jupyter_npcompile.graph.nodes import Graph, Node, Ref
from jupyter_npcompile.tracer.lowering.dtypes import load, store
from jupyter_npcompile.tracer.lowering.interpreter import Interpreter
from jupyter_npcompile.tracer.lowering.lookup import Lowering
from jupyter_npcompile.tracer.lowering.program import placeholder
from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.values import Owner

OUTPUT = "gradient"
"""Name of the output of a graph that says what is differentiated."""


def wanted(graph: Graph) -> tuple[int, list[int]]:
    """The node that is differentiated, and the inputs with respect to which.

    They stand in the graph's only output: a tuple of a reference and a list
    of references.
    """
    (output,) = graph.outputs
    assert isinstance(output.value, tuple)
    target, leaves = output.value
    assert isinstance(target, Ref)
    assert isinstance(leaves, list)
    return target.id, [leaf.id for leaf in leaves if isinstance(leaf, Ref)]


class Differentiable(Interpreter):
    """Takes kernels that are smooth where they can be, and marks nothing."""

    def _run(self, node: Node, lowering: Lowering, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return super()._run(node, smooth.smoothed(node.op, lowering), args, kwargs)

    def __init__(self, graph: Graph, trace: Trace, loops: Mapping[int, Loop] | None = None) -> None:
        super().__init__(graph, trace)
        self._loops = loops or {}

    def _lowered(self, node: Node) -> Any:
        if node.op == LOOP:
            return self._iterated(self._loops[node.id])
        if node.op == RESULT:
            return self._trace.values[node.id]
        return super()._lowered(node)

    def _iterated(self, loop: Loop) -> None:
        """All iterations of a loop, as one operation."""
        values = [self._trace.values[id] for id in loop.operands]
        operands = [store(value.read(), value.dtype).contiguous() for value in values]
        found, check = loop_operations.run(loop, operands, _of_body)
        self._trace.check(check)
        made = dict(zip(loop.results, found, strict=False))
        nodes = loop.body.by_id()
        for id, source in loop.finals.items():
            kind = nodes[source].type
            dtype = np.dtype(kind.dtype)
            tensor = load(made[source].clone(), dtype)
            self._trace.values[id] = Owner(tensor, dtype, kind.kind, kind.strides)
        for id, tensor in zip(loop.changed, found[len(loop.results) :], strict=True):
            value = self._trace.values[id]
            value.write(load(tensor, value.dtype))

    def _call(self, node: Node, args: list[Any], kwargs: dict[str, Any]) -> Any:
        own = decompositions.COMPILED.get(node.op)
        if own is not None and _gives_factors(node.op, kwargs):
            return own(self._trace, *args, **kwargs)
        if node.op in decompositions.OWN and own is None:
            self._trace.unsupported("its derivative follows NumPy's choice of factors")
        return super()._call(node, args, kwargs)

    def mark(self) -> None:
        """Nobody asks for places."""

    def checks(self) -> Tensor:
        """Whether NumPy would neither raise nor warn."""
        self._trace.close_sums()
        flags = [check.reshape(()) for check in self._trace.checks]
        return torch.stack(flags).all() if flags else torch.ones((), dtype=torch.bool)


def _gives_factors(op: str, kwargs: dict[str, Any]) -> bool:
    """Whether a singular value decomposition is asked for more than values."""
    return op != "numpy.linalg.svd" or kwargs.get("compute_uv", True) is True


def _of_body(graph: Graph) -> tuple[Trace, Differentiable]:
    trace = smooth.SmoothTrace()
    return trace, Differentiable(graph, trace)


def joint_module(graph: Graph, *, rolls: bool = False) -> torch.fx.GraphModule:
    """The graph of value, gradients and one check.

    Parameters
    ----------
    graph : Graph
        NumPy level; its output says what is differentiated: see `wanted`.
    rolls : bool
        Whether operations that repeat are to become loops (`rolling`).

    Raises
    ------
    jupyter_npcompile.tracer.lowering.LoweringError
        When an operation has no faithful form in ATen.
    """
    target, leaves = wanted(graph)
    loops: Mapping[int, Loop] = {}
    if rolls:
        graph, loops = outline(graph)
    places = [k for k, node in enumerate(graph.inputs) if node.id in leaves]

    def joint(*given: Tensor) -> list[Tensor]:
        tensors = [t.detach().requires_grad_() if k in places else t for k, t in enumerate(given)]
        trace = smooth.SmoothTrace()
        with torch.enable_grad():
            interpreter = Differentiable(graph, trace, loops)
            interpreter.bind_inputs(tensors)
            for node in graph.nodes:
                interpreter.run(node)
            value = trace.values[target].read()
            asked = [tensors[k] for k in places]
            found: Sequence[Tensor | None] = [None] * len(places)
            if value.requires_grad:  # what is stored as an integer has no derivative, for one
                found = torch.autograd.grad(value, asked, torch.ones_like(value), allow_unused=True)
        gradients = [or_zeros(g, tensor) for g, tensor in zip(found, asked, strict=True)]
        check = interpreter.checks()
        return [t.detach().clone().contiguous() for t in (value, *gradients, check)]

    with FakeTensorMode(allow_non_fake_inputs=True):
        inputs = [placeholder(node) for node in graph.inputs]
        module = make_fx(joint)(*inputs)
        functional = dispatch_functionalize(module)
        module = make_fx(functional, decomposition_table={**FACTORED})(*inputs)
        module = in_pairs(module, inputs)
    module.graph.eliminate_dead_code()
    module.recompile()
    return module
