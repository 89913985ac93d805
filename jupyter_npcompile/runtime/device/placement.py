"""A lowered graph, moved to a device."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node
from torch.fx.node import map_aggregate

from jupyter_npcompile.runtime.device.device import Device


def placed(module: GraphModule, device: Device) -> GraphModule:
    """A copy of a graph whose constants and fresh tensors lie on a device.

    Parameters
    ----------
    module : torch.fx.GraphModule
        Functional, lowered for the CPU. It is not changed.
    device : Device
        Where it is to run.
    """
    place = device.place

    def moved(argument: Any) -> Any:
        return place if isinstance(argument, torch.device) else argument

    graph, made = Graph(), dict[Node, Node]()
    constants: dict[str, Any] = {}
    for node in module.graph.nodes:
        copy = made[node] = graph.node_copy(node, made.__getitem__)
        copy.args = map_aggregate(copy.args, moved)
        copy.kwargs = map_aggregate(copy.kwargs, moved)
        if node.op == "get_attr":
            constants[node.target] = device.put(getattr(module, node.target))
    return GraphModule(constants, graph)


def working_bytes(module: GraphModule) -> int:
    """Bytes that a graph allocates at most at a time, run operation by operation.

    Its results are among them, its arguments and constants are not. Each tensor is
    let go of after its last use.
    """
    nodes = list(module.graph.nodes)
    last = {n: place for place, node in enumerate(nodes) for n in (node, *node.all_input_nodes)}
    memories: dict[int, tuple[int, int]] = {}  # until when, and how many bytes
    given: set[int] = set()
    for node in nodes:
        for tensor in _tensors(node.meta.get("val")):
            memory = tensor.untyped_storage()
            if node.op in ("placeholder", "get_attr"):
                given.add(memory._cdata)
            until, nbytes = memories.get(memory._cdata, (0, 0))
            memories[memory._cdata] = max(until, last[node]), max(nbytes, memory.nbytes())
    begins: dict[int, int] = {}
    for place, node in enumerate(nodes):
        for tensor in _tensors(node.meta.get("val")):
            begins.setdefault(tensor.untyped_storage()._cdata, place)
    changes = [0] * (len(nodes) + 1)
    for memory_id, (until, nbytes) in memories.items():
        if memory_id not in given:
            changes[begins[memory_id]] += nbytes
            changes[until + 1] -= nbytes
    most = now = 0
    for change in changes:
        now += change
        most = max(most, now)
    return most


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, list | tuple):
        return [part for part in value if isinstance(part, torch.Tensor)]
    return []
