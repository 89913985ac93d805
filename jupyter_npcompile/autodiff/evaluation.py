"""A tape as a function of tensors: the lowering, executed instead of written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.autodiff import decompositions, smooth
from jupyter_npcompile.autodiff.barrier import guarded
from jupyter_npcompile.autodiff.determinants import det
from jupyter_npcompile.autodiff.errors import CONCRETE, GradientError, Place
from jupyter_npcompile.autodiff.gathered_views import gathered_view
from jupyter_npcompile.autodiff.memory_copies import copy_as_it_lies
from jupyter_npcompile.autodiff.sites import on_host, sent, where
from jupyter_npcompile.autodiff.taints import Step
from jupyter_npcompile.autodiff.tape import GATHERED, Tape
from jupyter_npcompile.graph.nodes import Graph, Node
from jupyter_npcompile.tracer.lowering.dtypes import TORCH, load
from jupyter_npcompile.tracer.lowering.errors import LoweringError, UnsupportedError
from jupyter_npcompile.tracer.lowering.interpreter import Interpreter
from jupyter_npcompile.tracer.lowering.lookup import Lowering
from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.values import Owner, Value


class UncheckedTrace(smooth.SmoothTrace):
    """A lowering whose checks nobody looks at: NumPy has run already."""

    def check(self, condition: Tensor) -> None:
        """Nothing is replayed."""

    def placed(self, constant: Tensor) -> Tensor:
        """A constant where derivatives are computed."""
        return sent(constant)

    def note_constant(self, tensor: Tensor) -> None:
        """Nothing is handed out."""

    def close_sums(self) -> None:
        """Nothing is replayed."""

    def guard(self, tensor: Tensor, reason: str) -> Tensor:
        """Something arbitrary, through which no gradient may flow."""
        place = Place(self.node.position)
        return guarded(tensor, self.anchors, Step(self.node.op, place, reason=reason))

    anchors: Sequence[Tensor] = ()

    def origin(self, op: str, args: object, kwargs: dict[str, Any]) -> int:
        """Equal operations are not looked for."""
        return 0


class Forward:
    """The function that a run computed, from tensors for the leaves to tensors.

    Parameters
    ----------
    tape : Tape
        Of the run.
    outputs : sequence of int
        Nodes that are wanted.
    mark : int, optional
        How many nodes there were at the moment that counts; then leaves are
        only those that the outputs depend on.

    Attributes
    ----------
    leaves : list of int
        Input nodes, in the order of the arguments.
    """

    def __init__(self, tape: Tape, outputs: Sequence[int], mark: int | None = None) -> None:
        self.outputs = list(outputs)
        self._steps: Mapping[int, Step] = tape.steps
        self._barriers: Mapping[int, Step] = tape.barriers
        nodes = needed(tape.recorder.nodes[:mark], outputs)
        self.used = {id for node in nodes for id in node.references()} | set(outputs)
        if any(node.id in tape.barriers or _refuses(tape, node) for node in nodes):
            self.used |= set(tape.leaves)  # nobody knows on which of them it depends
        inputs = [node for node in tape.recorder.inputs if mark is None or node.id in self.used]
        self.graph = Graph("numpy", tuple(inputs), tuple(nodes))
        kept = {node.id for node in inputs}
        self.leaves = [id for id in tape.leaves if id in kept]
        self._values = {id: tape.values[id] for id in kept}
        made = {node.id for node in nodes}
        self._results = {id: result for id, result in tape.results.items() if id in made}
        self._sent: tuple[Any, dict[int, Tensor]] = (None, {})

    def value(self, id: int) -> Any:
        """What an input was."""
        return self._values[id]

    def keep(self) -> None:
        """Let nobody write what is needed any more: arrays become copies."""
        self._values = {
            id: copy_as_it_lies(value) if isinstance(value, np.ndarray) else value
            for id, value in self._values.items()
        }

    def __call__(self, *leaves: Tensor) -> list[Tensor]:
        """Compute the outputs; leaves are tensors of the dtypes of the arguments."""
        return self.watched(*leaves)[0]

    def watched(self, *leaves: Tensor) -> tuple[list[Tensor], list[tuple[Node, Tensor]]]:
        """Compute the outputs, and keep what each operation gave."""
        seen: list[tuple[Node, Tensor]] = []
        trace = UncheckedTrace()
        interpreter = _Executor(self.graph, trace, self._steps, self._barriers, self._results)
        interpreter.anchors = trace.anchors = leaves
        given = dict(zip(self.leaves, leaves, strict=True))
        for node in self.graph.inputs:
            if node.id in given or node.id in self.used:
                trace.values[node.id] = self._input(node, given.get(node.id))
        for node in self.graph.nodes:
            interpreter.run(node)
            made = trace.values[node.id]
            if isinstance(made, Value):
                seen.append((node, made.read()))
        return [trace.values[id].read() for id in self.outputs], seen

    def _input(self, node: Node, leaf: Tensor | None) -> Value:
        dtype = np.dtype(node.type.dtype)
        kind, strides = node.type.kind, node.type.strides
        if leaf is not None:
            return Owner(load(leaf, dtype), dtype, kind, strides)
        value = self._values[node.id]
        known = np.asarray(value) if dtype.kind in "biu" else None
        return Owner(load(self._constant(node.id, value), dtype), dtype, kind, strides, known)

    def _constant(self, id: int, value: Any) -> Tensor:
        """An input that is no leaf; on a device it stays between two evaluations."""
        device = where()
        if device is None:
            return tensor_of(value)
        if self._sent[0] is not device:
            self._sent = device, {}
        held = self._sent[1]
        if id not in held:
            held[id] = sent(tensor_of(value))
        return held[id]


def _refuses(tape: Tape, node: Node) -> bool:
    """Whether something stands there through which no gradient may flow."""
    step = tape.steps.get(node.id)
    return step is not None and bool(step.reason)


def tensor_of(value: Any) -> Tensor:
    """A tensor with the elements of an array or number; it may share their memory."""
    array = np.asarray(value)
    if any(stride < 0 for stride in array.strides) or not array.flags.writeable:
        array = array.copy()
    if array.dtype.itemsize and any(s % array.dtype.itemsize for s in array.strides):
        array = array.copy()
    if array.dtype.name not in TORCH:
        raise UnsupportedError(f"dtype {array.dtype} is not supported")
    return torch.from_numpy(array)


def needed(nodes: Sequence[Node], outputs: Sequence[int]) -> list[Node]:
    """The nodes on which outputs depend, writes included."""
    roots: dict[int, int] = {}
    for node in nodes:
        viewed = node.view_of
        roots[node.id] = node.id if viewed is None else roots.get(viewed, viewed)
    wanted = {roots.get(id, id) for id in outputs} | set(outputs)
    kept = []
    for node in reversed(nodes):
        written = {roots.get(id, id) for id in node.writes}
        if node.id in wanted or roots[node.id] in wanted or written & wanted:
            kept.append(node)
            wanted.add(node.id)
            for id in node.references():
                wanted |= {id, roots.get(id, id)}
    return kept[::-1]


class _Executor(Interpreter):
    """Runs nodes on tensors."""

    anchors: Sequence[Tensor] = ()

    def __init__(
        self,
        graph: Graph,
        trace: Trace,
        steps: Mapping[int, Step],
        barriers: Mapping[int, Step],
        results: Mapping[int, Any],
    ) -> None:
        self._graph = graph
        self._trace = trace
        roots = graph.roots()
        self._roots = roots
        self._written = {roots[id] for node in graph.nodes for id in node.writes}
        self._marked = None
        self._free = False
        self._steps = steps
        self._barriers = barriers
        self._results = results

    def run(self, node: Node) -> None:
        """Compute a node."""
        self._trace.node = node
        try:
            self._trace.values[node.id] = self._computed(node)
        except (LoweringError, UnsupportedError) as error:
            raise refusal(node, error) from None

    def _computed(self, node: Node) -> Any:
        step = self._steps.get(node.id)
        if step is not None:
            return self._stepped(node, step)
        if node.op == GATHERED:
            (parent,), (places,) = node.references(), self._results[node.id]
            return gathered_view(self._trace.values[parent], places, np.dtype(node.type.dtype))
        args = [self._decode(argument) for argument in node.args]
        kwargs = {name: self._decode(argument) for name, argument in node.kwargs.items()}
        own = decompositions.OWN.get(node.op)
        if own is not None and node.id in self._results:
            result = own(self._trace, self._results[node.id], *args, **kwargs)
            made = self._bind(result, node)
        elif node.op == "numpy.linalg.det":
            made = self._bind(det(self._trace, *args), node)
        else:
            made = self._bind(self._call(node, args, kwargs), node)
        barrier = self._barriers.get(node.id)
        if barrier is not None:
            made = self._blocked(node, made, barrier)
        return made

    def _run(self, node: Node, lowering: Lowering, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """A call by a kernel that is smooth where the exact one has a corner."""
        return super()._run(node, smooth.smoothed(node.op, lowering), args, kwargs)

    def _blocked(self, node: Node, made: Any, barrier: Step) -> Any:
        for target in (self._trace.values[id] for id in node.writes):
            target.write(guarded(target.read(), self.anchors, barrier))
        if isinstance(made, Value) and not node.writes:
            tensor = guarded(made.read(), self.anchors, barrier)
            return Owner(tensor, made.dtype, made.kind, made.strides)
        return made

    def _stepped(self, node: Node, step: Step) -> Value:
        kind = node.type
        dtype = np.dtype(kind.dtype)
        if step.function is not None:
            operands = [self._trace.values[id].read() for id in node.references()]
            function = getattr(step.function, "func", step.function)
            if getattr(function, "needs_host", False):
                tensor = on_host(step.function, *operands)
            else:
                tensor = step.function(*operands)
        else:
            tensor = load(sent(tensor_of(step.value)), dtype).clone()
            if step.reason:
                tensor = guarded(tensor, self.anchors, step)
        return Owner(tensor.reshape(kind.shape), dtype, kind.kind, kind.strides)


def refusal(node: Node, error: Exception) -> GradientError:
    """The error for an operation that has no form on tensors."""
    name = node.op.replace("numpy.", "np.", 1).replace("ndarray.", ".", 1)
    reason = getattr(error, "reason", str(error))
    place = Place(node.position)
    return GradientError(f"no gradient flows through `{name}`: {reason}", CONCRETE, place)
