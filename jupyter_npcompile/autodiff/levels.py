"""The captured graph of a gradient, for the views: NumPy, ATen forward, ATen backward.

Nothing here runs anything: the recorded operations are differentiated on tensors
without elements. Imports torch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch._subclasses.functional_tensor import dispatch_functionalize
from torch.fx import Interpreter as Rerun
from torch.fx.experimental.proxy_tensor import get_proxy_mode, make_fx
from torch.fx.traceback import preserve_node_meta

from jupyter_npcompile.autodiff.evaluation import UncheckedTrace
from jupyter_npcompile.autodiff.joint import Differentiable, wanted
from jupyter_npcompile.autodiff.pullbacks import or_zeros
from jupyter_npcompile.graph.captured import CapturedGraph
from jupyter_npcompile.graph.nodes import Graph, Node, Output, Ref
from jupyter_npcompile.tracer.lowering.aten import ORIGIN, Writer
from jupyter_npcompile.tracer.lowering.program import placeholder
from jupyter_npcompile.tracer.lowering.symbols import Symbols

BACKWARD = "npcompile_backward"
"""Key in what a node carries along: whether it computes a gradient."""


def levels(graph: Graph, names: Sequence[str], output: str) -> CapturedGraph:
    """Lower and differentiate a recording.

    Parameters
    ----------
    graph : Graph
        NumPy level; its output says what is differentiated (see `joint.wanted`).
    names : sequence of str
        Of the variables, in the order of its output.
    output : str
        Of what the gradient is taken.

    Raises
    ------
    jupyter_npcompile.tracer.lowering.LoweringError
        When an operation has no faithful form in ATen.
    """
    target, leaves = wanted(graph)
    module = _module(graph, target, leaves)
    forward, backward = _split(module, graph, names, output)
    shown = replace(graph, outputs=(Output(output, Ref(target)),))
    return CapturedGraph((shown,), (forward,), (backward,))


def _module(graph: Graph, target: int, leaves: Sequence[int]) -> torch.fx.GraphModule:
    """Value and gradients, each operation with the node it came from."""
    places = {node.id: place for place, node in enumerate(graph.inputs)}

    def both(*given: Tensor) -> list[Tensor]:
        asked = [places[id] for id in leaves]
        tensors = [t.detach().requires_grad_() if k in asked else t for k, t in enumerate(given)]
        trace = UncheckedTrace()
        marks = _Marks()
        with torch.enable_grad():
            interpreter = Differentiable(graph, trace)
            interpreter.bind_inputs(tensors)
            for node in graph.nodes:
                interpreter.run(node)
                marks.forward(node)
                for made in _read(trace.values.get(node.id)):
                    marks.watch(made, node)
            value = trace.values[target].read()
            marks.turn()
            found = torch.autograd.grad(
                value, [tensors[k] for k in asked], torch.ones_like(value), allow_unused=True
            )
            marks.backward()
        gradients = [or_zeros(g, tensors[k]) for k, g in zip(asked, found, strict=True)]
        return [value.detach(), *gradients]

    with FakeTensorMode(allow_non_fake_inputs=True):
        inputs = [placeholder(node) for node in graph.inputs]
        traced = make_fx(both)(*inputs)
        again: Callable[..., Any] = Rerun(traced).run
        with preserve_node_meta():
            module = make_fx(dispatch_functionalize(again))(*inputs)
    for node in list(module.graph.nodes):
        if node.target is torch.ops.aten.detach.default:  # the same values
            node.replace_all_uses_with(node.args[0])
    module.graph.eliminate_dead_code()
    return module


def _read(value: Any) -> list[Tensor]:
    return [value.read()] if hasattr(value, "read") else []


class _Marks:
    """Notes on operations, as they are written down, where they came from."""

    def __init__(self) -> None:
        mode = get_proxy_mode()
        assert mode is not None
        self._nodes = mode.tracer.graph.nodes
        self._seen = 0
        self._watched: set[Any] = set()
        self._now = -1

    def _mark(self, origin: int, *, backward: bool) -> None:
        nodes = list(self._nodes)
        for node in nodes[self._seen :]:
            node.meta["custom"] = {ORIGIN: origin, BACKWARD: backward}
        self._seen = len(nodes)

    def forward(self, node: Node) -> None:
        """All since the last mark belongs to a node."""
        self._mark(node.id, backward=False)

    def watch(self, tensor: Tensor, node: Node) -> None:
        """What differentiates the operations of a node belongs to it, too."""
        waiting = [tensor.grad_fn]
        while waiting:
            function = waiting.pop()
            if function is None or function in self._watched:
                continue
            self._watched.add(function)
            function.register_prehook(lambda _, id=node.id: self._enter(id))
            waiting += [following for following, _ in function.next_functions]

    def turn(self) -> None:
        """From here on gradients are computed."""
        self._mark(-1, backward=False)

    def _enter(self, origin: int) -> None:
        self.backward()
        self._now = origin

    def backward(self) -> None:
        """All since the last mark belongs to the node whose derivative was taken."""
        self._mark(self._now, backward=True)


def _split(
    module: torch.fx.GraphModule, graph: Graph, names: Sequence[str], output: str
) -> tuple[Graph, Graph]:
    """The module as two graphs; what the second one takes of the first is its input."""
    writer = Writer(module, graph, Symbols(()))
    inputs: list[Node] = []
    halves: tuple[list[Node], list[Node]] = [], []
    made: dict[int, Node] = {}
    results: list[Any] = []
    for node in module.graph.nodes:
        if node.op == "get_attr":
            writer.constant(node)
            continue
        if node.op == "output":
            results = [writer.argument(result) for result in node.args[0]]
            continue
        known = node.meta.get("custom") or {}
        node.meta[ORIGIN] = known.get(ORIGIN, -1)
        writer.number(node)
        if node.op == "placeholder":
            inputs.append(writer.input(node, graph.inputs[len(inputs)]))
            made[inputs[-1].id] = inputs[-1]
        else:
            operation = writer.operation(node)
            halves[bool(known.get(BACKWARD))].append(operation)
            made[operation.id] = operation
    first, second = halves
    own = {node.id for node in second}
    taken = {id for node in second for id in node.references()} - own
    gradients = [
        Output(f"d {output} / d {name}", value)
        for name, value in zip(names, results[1:], strict=True)
    ]
    for gradient in gradients:
        if isinstance(gradient.value, Ref) and gradient.value.id not in own:
            taken.add(gradient.value.id)
    saved = [
        made[id]
        if made[id].op == "input"
        else Node(id, "input", types=made[id].types, name=f"saved {k}", position=made[id].position)
        for k, id in enumerate(sorted(taken))
    ]
    outputs = [Output(output, results[0])]
    outputs += [Output(node.name, Ref(node.id)) for node in saved if made[node.id].op != "input"]
    forward = Graph("aten", tuple(inputs), tuple(first), tuple(outputs))
    return forward, Graph("backward", tuple(saved), tuple(second), tuple(gradients))
