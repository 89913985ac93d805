"""Cuts a graph of ATen operations into pieces to compile and calls of libraries. Imports torch.

Pieces and calls alternate in stages: a piece holds everything that needs no
later call. Views are made where they are used, since they cost nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, GraphModule, Node

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.compile_errors import UnbuildableError

LIBRARY = frozenset(
    str.split(
        "mm bmm addmm baddbmm mv addmv dot vdot convolution convolution_backward cumsum cumprod "
        "cummax cummin sort topk logcumsumexp kthvalue median searchsorted histc bincount "
        "_fft_c2c _fft_r2c _fft_c2r _linalg_det _linalg_slogdet linalg_inv_ex _linalg_solve_ex "
        "linalg_lu_factor_ex linalg_qr _linalg_svd _linalg_eigh linalg_cholesky_ex linalg_lstsq "
        "lu_unpack linalg_solve_triangular linalg_lu_solve triangular_solve linalg_pinv "
        "cholesky_solve"
    )
)
"""Operations for which a compiler calls a library."""

SLOW = frozenset(
    str.split(
        "exp exp2 expm1 log log2 log10 log1p pow sin cos tan asin acos atan atan2 sinh cosh tanh "
        "asinh acosh atanh erf erfc hypot sigmoid rsqrt"
    )
)
"""Operations on elements that take much longer than to read what they gave."""

NAMED = (torch.dtype, torch.memory_format, torch.layout)
"""Types whose values are attributes of torch."""

PLAIN = (Node, bool, int, float, complex, str, type(None), *NAMED)
"""What can be written down."""

LOOPS = ("loop", "loop_vjp")
"""Loops, and their derivatives: see `loop_operations`."""

VIEWS = frozenset(
    str.split(
        "view t transpose permute expand unsqueeze squeeze select slice alias detach _unsafe_view "
        "as_strided diagonal view_as_real view_as_complex real imag _conj unfold split "
        "split_with_sizes"
    )
)


@dataclass
class Stage:
    """A piece, and the calls that follow it.

    Parameters
    ----------
    piece : list of Node
        What is compiled together.
    calls : list of Node
        Calls of libraries, and views for them, in order.
    """

    piece: list[Node] = field(default_factory=list)
    calls: list[Node] = field(default_factory=list)


def name_of(node: Node) -> str:
    """The name of an ATen operation without its overload."""
    packet = getattr(node.target, "overloadpacket", node.target)
    return str(getattr(packet, "__name__", packet))


def is_view(node: Node) -> bool:
    """Whether an operation only looks at memory."""
    return node.op == "call_function" and name_of(node) in VIEWS


def is_library(node: Node, more: Collection[str] = ()) -> bool:
    """Whether a library does an operation best, or a compiler cannot."""
    from torch._inductor.lowering import fallbacks

    values = [node.meta.get("val"), *(n.meta.get("val") for n in node.all_input_nodes)]
    if any(isinstance(v, Tensor) and v.is_complex() for v in values):
        return True
    if name_of(node) == "getitem":  # one of several results belongs where they are made
        several = node.all_input_nodes[0]
        return is_view(several) or is_library(several, more)
    if name_of(node) in LOOPS:
        return True
    return name_of(node) in LIBRARY or name_of(node) in more or node.target in fallbacks


def stages_of(
    module: GraphModule, more: Collection[str] = (), nodes: Collection[Node] | None = None
) -> list[Stage]:
    """The stages of a graph.

    Parameters
    ----------
    module : GraphModule
        The graph.
    more : collection of str
        Names of further calls of libraries.
    nodes : collection of Node, optional
        Operations to take; what they take from others is there already. By default all.
    """
    level: dict[Node, int] = {}
    found: list[Stage] = []

    def stage(number: int) -> Stage:
        while len(found) <= number:
            found.append(Stage())
        return found[number]

    for node in module.graph.nodes:
        if node.op in ("placeholder", "get_attr") or not (nodes is None or node in nodes):
            level[node] = 0
        elif node.op == "call_function":
            level[node] = max((level[n] for n in node.all_input_nodes), default=0)
            if is_view(node) and not is_library(node):
                continue
            if name_of(node) == "getitem" and is_library(node.all_input_nodes[0], more):
                stage(level[node] - 1).calls.append(node)  # right behind what it is a part of
                continue
            if is_library(node, more):
                stage(level[node]).calls.append(node)
                level[node] += 1  # what is compiled and needs it comes later
            else:
                stage(level[node]).piece.append(node)
    return found


def settled(module: GraphModule, same: Collection[Node]) -> set[Node]:
    """What is the same in all iterations of a loop and takes its time: it is done once.

    Parameters
    ----------
    module : GraphModule
        An iteration.
    same : collection of Node
        Arguments that are the same in all.
    """
    known = set(same)
    for node in module.graph.nodes:
        inputs = node.all_input_nodes
        if node.op == "get_attr" or (node.op == "call_function" and known.issuperset(inputs)):
            known.add(node)
    wanted = {
        node
        for node in known
        if node.op == "call_function" and (is_library(node) or name_of(node) in SLOW)
    }
    found: set[Node] = set()
    while wanted:
        node = wanted.pop()
        if node.op == "call_function" and node not in found:
            found.add(node)
            wanted |= set(node.all_input_nodes)
    return found


def bases(node: Node) -> tuple[Node, list[Node]]:
    """What a view looks at in the end, and the views between, in order."""
    chain: list[Node] = []
    while is_view(node) and not is_library(node):
        chain.append(node)
        node = node.all_input_nodes[0]
    return node, chain[::-1]


def piece_module(
    module: GraphModule, nodes: list[Node], outputs: list[Node]
) -> tuple[GraphModule, list[Node]]:
    """A piece as a graph of its own, and the nodes that are its inputs."""
    inside = set(nodes)
    graph = Graph()
    copies: dict[Node, Node] = {}
    inputs: list[Node] = []
    order: list[Node] = []
    for node in [*nodes, *outputs]:
        for used in [*node.all_input_nodes, node] if node in outputs else node.all_input_nodes:
            base, _ = bases(used)
            if base not in inside and base.op != "get_attr" and base not in inputs:
                inputs.append(base)
    for node in inputs:
        copies[node] = graph.placeholder(node.name)
        copies[node].meta = dict(node.meta)

    def copied(node: Node) -> Node:
        if node in copies:
            return copies[node]
        if node.op == "get_attr":
            made = graph.get_attr(str(node.target))
        else:
            args = torch.fx.node.map_arg(node.args, copied)
            kwargs = torch.fx.node.map_arg(node.kwargs, copied)
            made = graph.call_function(node.target, args, kwargs)  # type: ignore[arg-type]
        made.meta = dict(node.meta)
        copies[node] = made
        return made

    order = [copied(node) for node in nodes]
    del order

    def finished(node: Node) -> Node:
        found = copied(node)
        if "dense" not in node.meta:
            return found
        order: Any = {"memory_format": torch.contiguous_format}
        dense = graph.call_function(torch.ops.aten.clone.default, (found,), order)
        dense.meta = {**found.meta, "val": found.meta["val"].contiguous()}
        return dense

    graph.output(tuple(finished(node) for node in outputs))
    made = GraphModule(module, graph)
    made.graph.eliminate_dead_code()
    made.recompile()
    return made, inputs


def made_dense(outputs: list[Node]) -> bool:
    """Have results of a piece in C order, which Inductor may not give in the order of its operands.

    Whoever uses them looks at elements; only ``as_strided`` looks at memory.
    Returns whether anything was changed.
    """
    changed = False
    for node in outputs:
        value = node.meta["val"]
        if not value.is_contiguous() and not any(name_of(n) == "as_strided" for n in node.users):
            node.meta["dense"] = changed = True
    return changed


def demand_plain(value: Any) -> None:
    """Make sure that an argument of a call can be written down.

    Raises
    ------
    UnbuildableError
        When it cannot.
    """
    if isinstance(value, list | tuple):
        for item in value:
            demand_plain(item)
    elif not isinstance(value, PLAIN):
        raise UnbuildableError(f"a {type(value).__name__} is an argument of a call")
