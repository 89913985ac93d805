"""Computes once what a graph computes several times, or from no input: wavenumbers, masks.

Imports torch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from jupyter_npcompile.autodiff.stages import LOOPS, name_of

LARGEST = 1 << 20
"""Bytes of a value that becomes part of the code."""

UNIFORM = 64
"""Elements from which on an array of equal numbers is better made than read."""

_FILLING: dict[str, Callable[[tuple[Any, ...]], Any]] = {
    "zeros_like": lambda args: 0,
    "ones_like": lambda args: 1,
    "full_like": lambda args: args[1],
    "new_zeros": lambda args: 0,
    "new_ones": lambda args: 1,
    "new_full": lambda args: args[2],
}
"""Operations that take nothing but shape and dtype from their operand: what they fill with."""

_DRAWS = frozenset({"rand", "randn", "randint", "normal", "bernoulli", "empty", "empty_strided"})

_IDENTITIES = frozenset(str.split("detach alias expand view _unsafe_view"))


def without_identities(module: GraphModule) -> GraphModule:
    """Take out views that are the same as what they look at."""
    for node in list(module.graph.nodes):
        if node.op == "call_function" and name_of(node) in _IDENTITIES:
            (used,) = node.all_input_nodes
            value, before = node.meta.get("val"), used.meta.get("val")
            if not isinstance(value, Tensor) or not isinstance(before, Tensor):
                continue
            same = value.shape == before.shape and value.stride() == before.stride()
            if same and value.dtype == before.dtype:  # bits may be looked at as integers
                node.replace_all_uses_with(used)
                module.graph.erase_node(node)
    return module


def without_repeats(module: GraphModule) -> GraphModule:
    """Compute once what is computed several times, such as quotients for their derivatives.

    Copies stay: results of their own are made of them.
    """
    known: dict[tuple[Any, str, str], Node] = {}
    for node in list(module.graph.nodes):
        if node.op != "call_function" or name_of(node) in (*_DRAWS, "clone"):
            continue
        first = known.setdefault((node.target, repr(node.args), repr(node.kwargs)), node)
        if first is not node:
            node.replace_all_uses_with(first)
            module.graph.erase_node(node)
    return module


def folded(module: GraphModule, is_library: Callable[[Node], bool]) -> GraphModule:
    """Replace what depends on no input by constants.

    Parameters
    ----------
    module : GraphModule
        A functional graph; it is changed.
    is_library : callable
        Whether an operation is a call of a library, which needs its operands
        in memory.

    Returns
    -------
    GraphModule
        The same module.
    """
    without_repeats(without_identities(module))
    known: dict[Node, Any] = {}
    for node in module.graph.nodes:
        if node.op == "get_attr":
            known[node] = getattr(module, str(node.target))
        elif node.op == "call_function" and _is_known(node, known):
            known[node] = _computed(node, known)
    for node, value in list(known.items()):
        if node.op == "get_attr" or not isinstance(value, Tensor):
            continue
        if _is_better_made(node, value, is_library):
            continue
        if any(user not in known or _stays(user, known, is_library) for user in node.users):
            _replace(module, node, value)
    module.graph.eliminate_dead_code()
    module.recompile()
    return module


def _computed(node: Node, known: dict[Node, Any]) -> Any:
    target: Any = node.target
    if name_of(node) in _FILLING:
        value = node.meta["val"]
        return torch.full(value.shape, _FILLING[name_of(node)](node.args), dtype=value.dtype)
    args = map_arg(node.args, lambda used: known[used])
    kwargs = map_arg(node.kwargs, lambda used: known[used])
    with torch.no_grad():
        return target(*args, **kwargs)


def _is_known(node: Node, known: dict[Node, Any]) -> bool:
    name = name_of(node)
    if name in _FILLING:
        used = node.args[2:] if name == "new_full" else node.args[1:]
        return not any(isinstance(part, Node) for part in used) and _is_small(node)
    if name in (*_DRAWS, *LOOPS) or not all(used in known for used in node.all_input_nodes):
        return False
    return _is_small(node)


def _is_small(node: Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, tuple | list) or (
        isinstance(value, Tensor) and value.numel() * value.element_size() <= LARGEST
    )


def _is_better_made(node: Node, value: Tensor, is_library: Callable[[Node], bool]) -> bool:
    """Whether code that makes a value is better than memory that holds it."""
    if value.numel() < UNIFORM or is_library(node) or any(map(is_library, node.users)):
        return False
    return bool((value == value.flatten()[0]).all())


def _stays(node: Node, known: dict[Node, Any], is_library: Callable[[Node], bool]) -> bool:
    """Whether a known value goes on being computed."""
    value = known[node]
    return not isinstance(value, Tensor) or _is_better_made(node, value, is_library)


def _replace(module: GraphModule, node: Node, value: Tensor) -> None:
    name = f"_folded_{node.name}"
    plain = value.detach().resolve_conj().resolve_neg().clone()
    module.register_buffer(name, plain)
    with module.graph.inserting_before(node):
        made = module.graph.get_attr(name)
    held = node.meta["val"]
    # its elements lie as in the copy, not as in what it was a view of
    made.meta = {**node.meta, "val": held.new_empty_strided(plain.shape, plain.stride())}
    node.replace_all_uses_with(made)
