"""From a NumPy-level graph to a functional ATen graph.

The nodes are interpreted one by one over fake tensors while ``make_fx`` writes
down every ATen operation. NumPy's views and writes are resolved by ``values``;
torch's functionalisation around it makes sure that no lowering leaves a write
in the graph either. Each operation is marked with the node it came from, so the
ATen level knows lines and columns too.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensorMode
from torch._subclasses.functional_tensor import dispatch_functionalize
from torch.fx.experimental.proxy_tensor import make_fx

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.families import symbols_of
from jupyter_npcompile.graph.nodes import (
    Graph,
    Node,
    Size,
)
from jupyter_npcompile.tracer.lowering.aten import aten_graph
from jupyter_npcompile.tracer.lowering.dtypes import TORCH
from jupyter_npcompile.tracer.lowering.errors import LoweringError
from jupyter_npcompile.tracer.lowering.interpreter import Interpreter, Selected
from jupyter_npcompile.tracer.lowering.symbols import Symbols
from jupyter_npcompile.tracer.lowering.trace import Trace

INDUCTOR = {"emulate_precision_casts": True}
"""Settings under which Inductor keeps NumPy's results: without this one, half
precision is not rounded between the operations of a kernel."""


@dataclass(frozen=True)
class Lowered:
    """A graph lowered to ATen.

    Parameters
    ----------
    module : torch.fx.GraphModule
        Functional. One placeholder per input of the graph, in order (arrays
        as strided tensors, scalars and Python numbers as 0-d tensors); it
        returns a flat tuple: `allocations`, `writes`, masks, then `checks`.
    allocations : tuple of int
        Nodes whose memory the first outputs are.
    writes : tuple of int
        Inputs whose final contents come next.
    selections : tuple of Selected
        Allocations of which only what a mask selects counts; the masks come
        next.
    checks : int
        How many 0-d booleans come last: none or one. Where it is False the
        run must be thrown away, and NumPy run instead: it raises, warns, or
        gives a value that the graph cannot.
    aten : Graph
        The same as plain data, at level ``"aten"``.
    symbols : Symbols
        Its symbolic sizes. The module takes one integer for each, before its
        other arguments.
    mode : FakeTensorMode
        That of the values in the module.
    lengths : dict of int to list
        For each node, the shapes of its results, as texts.
    """

    module: torch.fx.GraphModule
    allocations: tuple[int, ...]
    writes: tuple[int, ...]
    selections: tuple[Selected, ...]
    checks: int
    aten: Graph
    symbols: Symbols
    mode: FakeTensorMode
    lengths: dict[int, list[list[str]]]


def lower(graph: Graph, sizes: Sequence[Size] | None = None) -> Lowered:
    """Lower a NumPy-level graph to a functional ATen graph.

    Parameters
    ----------
    graph : Graph
        NumPy level; a general one gives a module that serves all its sizes.
    sizes : sequence of Size, optional
        The symbols, where the graph is part of another one.

    Raises
    ------
    LoweringError
        If an operation has no faithful form in ATen.
    """
    symbols = Symbols(symbols_of(graph) if sizes is None else sizes)
    symbols.free = any(node.args for node in graph.inputs)
    graph = symbols.resolved(graph)
    allocations, writes = graph.allocations(), graph.writes
    trace = Trace()
    selections: list[Selected] = []
    mode = FakeTensorMode(allow_non_fake_inputs=True, shape_env=symbols.environment)
    with mode, _dispatcher(symbols):
        inputs = [placeholder(node) for node in graph.inputs]
        count = len(symbols.integers)

        def run(*given: Any) -> list[Tensor]:
            tensors = given[count:]
            interpreter = Interpreter(graph, trace)
            interpreter.bind_inputs(tensors)
            for node in graph.nodes:
                interpreter.run(node)
            trace.node = Node(-1, "output")
            results = interpreter.results((*allocations, *writes), tensors)
            interpreter.mark()
            selections[:] = interpreter.selected(allocations)
            return results

        module = make_fx(dispatch_functionalize(run))(*symbols.integers, *inputs)
    _clean(module)
    return Lowered(
        module,
        allocations,
        writes,
        tuple(selections),
        len(trace.checks),
        aten_graph(module, graph, [s.id for s in selections], len(trace.checks), symbols),
        symbols,
        mode,
        {id: [list(map(symbols.text, one)) for one in n] for id, n in trace.lengths.items()},
    )


def _dispatcher(symbols: Symbols) -> AbstractContextManager[object]:
    """Torch decomposes operations on symbolic sizes in Python."""
    return enable_python_dispatcher() if symbols.integers else nullcontext()


def placeholder(node: Node) -> Tensor:
    """A tensor of the type of an input, without elements."""
    kind, dtype = node.type, np.dtype(node.type.dtype)
    if dtype.name not in TORCH:
        raise LoweringError(node.position, node.op, f"dtype {dtype} is not supported")
    if kind.kind != "array":
        return torch.empty((), dtype=TORCH[dtype.name])
    if any(s < 0 or s % dtype.itemsize for s in kind.strides):
        raise LoweringError(node.position, node.op, "torch has no tensors with such strides")
    strides = tuple(s // dtype.itemsize for s in kind.strides)
    return torch.empty_strided(kind.shape, strides, dtype=TORCH[dtype.name])


def _clean(module: torch.fx.GraphModule) -> None:
    """Remove what no output depends on."""
    module.graph.eliminate_dead_code()
    module.recompile()
