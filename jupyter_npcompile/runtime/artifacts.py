"""Artifacts: a segment lowered to ATen and made callable on tensors, per tier.

The only module of the runtime that calls torch's compiler.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import math
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.graph import to_json
from jupyter_npcompile.graph.nodes import Graph, Node, Output, Position, ValueType
from jupyter_npcompile.runtime.arrays import allocate, number, to_tensor
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.tracer.memory import Array

if TYPE_CHECKING:
    import torch

    from jupyter_npcompile.tracer.lowering import Lowered


class CheckFailedError(Exception):
    """A check computed with the segment says that NumPy must run: it would raise."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A callable segment.

    Parameters
    ----------
    tier : str
        ``"aten"`` or ``"inductor"``.
    graph : Graph
        The NumPy level.
    aten : Graph
        The ATen level.
    outputs : tuple of (int, ValueType)
        Node id and type of every array or number that must exist afterwards.
    writes : tuple of (int, ValueType)
        Input id and type of every input that is written.
    masks : tuple of (int, ValueType)
        Node id of every output of which a mask selects the elements, and the
        type of the mask.
    checks : int
        How many booleans follow the outputs.
    call : callable
        ``call(inputs, outputs)`` on tensors; writes into ``outputs``.
    seconds : float
        Time it took to lower and compile.
    """

    tier: str
    graph: Graph
    aten: Graph
    outputs: tuple[tuple[int, ValueType], ...]
    writes: tuple[tuple[int, ValueType], ...]
    masks: tuple[tuple[int, ValueType], ...]
    checks: int
    call: Callable[[list[Any], list[Any]], None] = field(repr=False)
    seconds: float

    def run(self, values: Sequence[Any]) -> tuple[dict[int, Any], dict[int, Array]]:
        """Run on the inputs without changing any of them.

        Parameters
        ----------
        values : sequence
            One ndarray or number for each input of the graph.

        Returns
        -------
        outputs : dict of int to object
            Fresh arrays and numbers by node id.
        written : dict of int to numpy.ndarray
            What must be copied into the written inputs, by input id.

        Raises
        ------
        CheckFailedError
            When NumPy would raise.
        """
        nodes = self.graph.inputs
        try:
            tensors = [to_tensor(v, node.type) for v, node in zip(values, nodes, strict=True)]
        except OverflowError:
            raise CheckFailedError("a Python integer does not fit 64 bits") from None
        types = [type for _, type in (*self.outputs, *self.writes, *self.masks)]
        buffers = [allocate(type) for type in types]
        flags = [np.empty((), bool) for _ in range(self.checks)]
        import torch

        self.call(tensors, [torch.from_numpy(buffer) for buffer in (*buffers, *flags)])
        if not all(flags):
            raise CheckFailedError("NumPy would raise for these values")
        results: dict[int, Any] = {}
        for (id, type), buffer in zip(self.outputs, buffers, strict=False):
            results[id] = buffer if type.kind == "array" else number(buffer, type)
        late = buffers[len(self.outputs) :]
        written = {id: b for (id, _), b in zip(self.writes, late, strict=False)}
        for (id, _), mask in zip(self.masks, late[len(self.writes) :], strict=True):
            results[id] = results[id][mask]
        return results, written


_lock = threading.RLock()
_artifacts: dict[tuple[str, str], Artifact] = {}


def key_of(graph: Graph) -> str:
    """A digest of a NumPy-level graph, without positions and names."""
    text = json.dumps(to_json(_anonymous(graph)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _anonymous(graph: Graph) -> Graph:
    def plain(node: Node) -> Node:
        return replace(node, position=Position(0, 0), name="", scope="")

    return replace(
        graph,
        inputs=tuple(map(plain, graph.inputs)),
        nodes=tuple(map(plain, graph.nodes)),
        outputs=tuple(Output("", output.value) for output in graph.outputs),
    )


Made = dict[tuple[str, str], Artifact]
"""Artifacts by the key of their graph, and tier."""


def make(graph: Graph, tier: str, *, alone: bool = False, made: Made | None = None) -> Artifact:
    """Lower and compile a segment, or take it from those made before.

    Parameters
    ----------
    graph : Graph
        NumPy level.
    tier : str
        ``"aten"`` or ``"inductor"``.
    alone : bool
        Whether no user code runs meanwhile, in any thread.
    made : dict, optional
        Where to look for it and to keep it, instead of among all others.

    Raises
    ------
    jupyter_npcompile.tracer.lowering.LoweringError
        When a node cannot be lowered.
    Exception
        Whatever torch raises when it cannot compile.
    """
    key = (key_of(graph), tier)
    with _lock:
        known = _artifacts if made is None else made
        artifact = known.get(key)
        if artifact is None:
            artifact = known[key] = _make(graph, tier, alone)
            counters.artifacts += 1
    return replace(artifact, graph=graph)


def clear() -> int:
    """Forget every artifact; returns how many there were."""
    with _lock:
        count = len(_artifacts)
        _artifacts.clear()
    return count


def _make(graph: Graph, tier: str, alone: bool) -> Artifact:
    # Read when OpenMP is loaded with torch: threads that spin while they wait
    # for each other lose milliseconds on a machine that does anything else.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    began = perf_counter()
    module = "torch._inductor.compile_fx" if tier == "inductor" else "torch"
    with _quiet(module, alone):
        return _compiled(graph, tier, began)


@contextlib.contextmanager
def _quiet(module: str, alone: bool) -> Iterator[None]:
    """Keep torch's own warnings out of the user's cell.

    Filters are shared by all threads, so in the background only what a module
    says while it is imported is silenced.
    """
    with contextlib.ExitStack() as silence:
        if alone or module not in sys.modules:
            silence.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            importlib.import_module(module)
        if not alone:
            silence.close()
        yield


def _compiled(graph: Graph, tier: str, began: float) -> Artifact:
    from jupyter_npcompile.tracer.lowering import lower

    lowered = lower(graph)
    types = {node.id: node.types[0] for node in (*graph.inputs, *graph.nodes) if node.types}
    for one in lowered.selections:
        types[one.id] = plain_type(types[one.id].dtype, one.shape)
    call = _inductor(lowered, graph) if tier == "inductor" else _aten(lowered)
    return Artifact(
        tier=tier,
        graph=graph,
        aten=lowered.aten,
        outputs=tuple((id, types[id]) for id in lowered.allocations),
        writes=tuple((id, types[id]) for id in lowered.writes),
        masks=tuple((one.id, plain_type("bool", one.mask)) for one in lowered.selections),
        checks=lowered.checks,
        call=call,
        seconds=perf_counter() - began,
    )


def plain_type(dtype: str, shape: tuple[int, ...]) -> ValueType:
    """The type of an array in C order.

    Examples
    --------
    >>> plain_type("float64", (2, 3)).strides
    (24, 8)
    """
    size = np.dtype(dtype).itemsize
    strides = tuple(size * math.prod(shape[k + 1 :]) for k in range(len(shape)))
    return ValueType("array", dtype, shape, strides)


def _aten(lowered: Lowered) -> Callable[[list[Any], list[Any]], None]:
    """The lowered graph, one operation after the other."""
    import torch

    def call(inputs: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
        with torch.no_grad():
            for buffer, value in zip(outputs, lowered.module(*inputs), strict=True):
                buffer.copy_(value)

    return call


def _inductor(lowered: Lowered, graph: Graph) -> Callable[[list[Any], list[Any]], None]:
    """The lowered graph compiled; kernels write straight into the output buffers."""
    import torch
    from torch._inductor import config, standalone_compile

    from jupyter_npcompile.tracer.lowering import INDUCTOR

    module = _with_buffers(lowered.module)
    examples = [n.meta["val"] for n in module.graph.nodes if n.op == "placeholder"]
    if not any(n.op == "call_function" for n in module.graph.nodes):
        return lambda inputs, outputs: None
    # One compile at a time, in this process: a pool of processes would outlive the kernel's
    # patience for memory on small machines.
    options = {**INDUCTOR, "compile_threads": 1, "cpp.threads": 1 if _is_small(graph) else -1}
    with config.patch(options), torch.no_grad():
        compiled = standalone_compile(module, examples, dynamic_shapes="from_example_inputs")

    def call(inputs: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
        with torch.no_grad():
            compiled(*inputs, *outputs)

    return call


PARALLEL = 500_000
"""Kernels on fewer elements run in one thread: waking others costs more."""


def _is_small(graph: Graph) -> bool:
    """Whether no array of a graph is worth a second thread."""
    types = [type for node in (*graph.inputs, *graph.nodes) for type in node.types]
    return max((math.prod(type.shape) for type in types), default=0) < PARALLEL


def _with_buffers(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Give a functional graph one more input per output, into which it copies the output."""
    import copy

    import torch

    module = copy.deepcopy(module)
    graph = module.graph
    nodes = list(graph.nodes)
    (end,) = (node for node in nodes if node.op == "output")
    values = list(end.args[0])
    first = next(node for node in nodes if node.op != "placeholder")
    with graph.inserting_before(first):
        buffers = []
        for index, value in enumerate(values):
            buffer = graph.placeholder(f"buffer_{index}")
            buffer.meta["val"] = value.meta["val"]
            buffers.append(buffer)
    with graph.inserting_before(end):
        for buffer, value in zip(buffers, values, strict=True):
            graph.call_function(torch.ops.aten.copy_.default, (buffer, value))
    end.args = ((),)
    graph.lint()
    module.recompile()
    return module
