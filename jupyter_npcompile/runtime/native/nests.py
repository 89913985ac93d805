"""What Inductor fused: the loop nests it wrote, and which operations each computes.

Imports torch: it runs in the process that compiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import ValueType
from jupyter_npcompile.runtime.native.ticks import nest_remark

if TYPE_CHECKING:
    import torch

MARK = "npcompile"
"""Key in what the compiler carries along with each operation: where it came from."""


@dataclass(frozen=True, slots=True)
class Nest:
    """A loop nest of the generated code.

    Parameters
    ----------
    origins : tuple of int
        Nodes of the NumPy level of which it computes something.
    reads : tuple of str
        Buffers it reads.
    writes : tuple of (str, ValueType)
        Buffers it fills.
    moves : int
        Bytes that it must read and write.
    """

    origins: tuple[int, ...]
    reads: tuple[str, ...]
    writes: tuple[tuple[str, ValueType], ...]
    moves: int


@dataclass(frozen=True, slots=True)
class Nests:
    """The loop nests of a piece.

    Parameters
    ----------
    nests : tuple of Nest
        In order.
    inputs, outputs : tuple of str
        Buffers that the piece is given, and that it returns, in order.
    """

    nests: tuple[Nest, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


NO_NESTS = Nests()
"""Of a piece for which there is nothing to compute."""


def mark(module: torch.fx.GraphModule, origin: str) -> None:
    """Have the compiler carry along where each operation came from.

    Parameters
    ----------
    module : torch.fx.GraphModule
        What is compiled.
    origin : str
        The key in the ``meta`` of its nodes that says so.
    """
    for node in module.graph.nodes:
        node.meta["custom"] = {MARK: node.meta.get(origin, -1)}


@contextmanager
def collected() -> Iterator[list[Nests]]:
    """Collect the loop nests of what is compiled meanwhile, one entry for each module.

    In the code a remark before each tells its number: see `ticks`.
    """
    from torch._inductor.codegen.cpp import KernelGroup
    from torch._inductor.graph import GraphLowering
    from torch._inductor.virtualized import V

    found: list[Nests] = []
    groups: list[Sequence[Any]] = []
    finalize: Any = KernelGroup.finalize_kernel
    generate: Any = GraphLowering.codegen

    def finalized(self: Any, kernel: Any, nodes: Sequence[Any]) -> Any:
        self.loops_code.writeline(nest_remark(len(groups)))
        groups.append(list(nodes))
        return finalize(self, kernel, nodes)

    def generated(self: Any) -> Any:
        groups.clear()
        made = generate(self)
        with V.set_graph_handler(self):
            nests = tuple(_nest(self, nodes) for nodes in groups)
            names = tuple(self.graph_input_names), tuple(self.get_output_names())
        found.append(Nests(nests, *names))
        return made

    KernelGroup.finalize_kernel = finalized  # type: ignore[method-assign]
    GraphLowering.codegen = generated  # type: ignore[method-assign]
    try:
        yield found
    finally:
        KernelGroup.finalize_kernel = finalize  # type: ignore[method-assign]
        GraphLowering.codegen = generate  # type: ignore[method-assign]


def _nest(graph: Any, nodes: Sequence[Any]) -> Nest:
    from torch._inductor.dependencies import MemoryDep, StarDep

    gone = graph.removed_buffers
    origins: set[int] = set()
    written: dict[str, int] = {}
    read: dict[str, int] = {}
    for node in nodes:
        origins |= {o.meta.get("custom", {}).get(MARK, -1) for o in node.node.get_origins()}
        for dep in node.read_writes.writes:
            if dep.name not in gone:
                written[dep.name] = max(written.get(dep.name, 0), dep.numbytes_hint())
    inside = {dep.name for node in nodes for dep in node.read_writes.writes}
    deps = {dep for node in nodes for dep in node.read_writes.reads}
    for dep in deps:
        if isinstance(dep, MemoryDep | StarDep) and dep.name not in inside and dep.name not in gone:
            read[dep.name] = read.get(dep.name, 0) + dep.numbytes_hint()
    for name in read:  # several windows on one array share its memory
        read[name] = min(read[name], _nbytes(graph, name))
    return Nest(
        tuple(sorted(origins - {-1})),
        tuple(sorted(read)),
        tuple((name, _type(graph, name)) for name in sorted(written)),
        sum(read.values()) + sum(written.values()),
    )


def _hint(graph: Any, size: Any) -> int:
    return int(graph.sizevars.optimization_hint(size, fallback=0))


def _nbytes(graph: Any, name: str) -> int:
    return _hint(graph, graph.get_numel(name)) * int(graph.get_dtype(name).itemsize)


def _type(graph: Any, name: str) -> ValueType:
    dtype = graph.get_dtype(name)
    layout = graph.get_buffer(name).get_layout()
    shape = tuple(_hint(graph, n) for n in layout.size)
    strides = tuple(_hint(graph, n) * int(dtype.itemsize) for n in layout.stride)
    return ValueType("array", str(dtype).removeprefix("torch."), shape, strides)
