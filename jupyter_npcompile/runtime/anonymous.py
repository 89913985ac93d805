"""A graph without the cell it came from: what two cells that compute the same have in common."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace

from jupyter_npcompile.graph import to_json
from jupyter_npcompile.graph.nodes import Graph, Node, Output, Position


def anonymous(graph: Graph) -> Graph:
    """Put numbers in the place of names and positions.

    The line of a node is its id plus one, its name ``#`` and its id; an output
    is named ``@`` and its index. `named` puts the names back into what was
    made of it.

    Examples
    --------
    >>> graph = Graph("numpy", (Node(0, "input", name="x", position=Position(3, 4)),))
    >>> anonymous(graph).inputs[0].name, anonymous(graph).inputs[0].position.line
    ('#0', 1)
    """

    def plain(node: Node) -> Node:
        return replace(node, position=Position(node.id + 1, 0), name=f"#{node.id}", scope="")

    return replace(
        graph,
        inputs=tuple(map(plain, graph.inputs)),
        nodes=tuple(map(plain, graph.nodes)),
        outputs=tuple(Output(f"@{k}", out.value) for k, out in enumerate(graph.outputs)),
    )


def key_of(graph: Graph) -> str:
    """A digest of a NumPy-level graph, without positions and names: that of `anonymous`.

    The user's code waits for it, and nodes take longer to copy than to write down.
    """
    data = to_json(graph)
    for node in (*data["inputs"], *data["nodes"]):
        node |= {"line": node["id"] + 1, "column": 0, "name": f"#{node['id']}", "scope": ""}
    for index, output in enumerate(data["outputs"]):
        output["name"] = f"@{index}"
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


_NUMBER = re.compile(r"([#@])(\d+)")


def named(made: Graph, graph: Graph) -> Graph:
    """Put names and positions into a graph that was made of an anonymous one.

    Parameters
    ----------
    made : Graph
        ATen level, with numbers.
    graph : Graph
        The NumPy-level graph that it now belongs to.
    """
    nodes = graph.by_id()

    def name(text: str) -> str:
        def told(match: re.Match[str]) -> str:
            number = int(match[2])
            return nodes[number].name if match[1] == "#" else graph.outputs[number].name

        return _NUMBER.sub(told, text)

    def place(node: Node) -> Node:
        origin = nodes.get(node.position.line - 1)
        if origin is None:
            return replace(node, name=name(node.name))
        scope = "" if node.op == "input" else origin.scope
        return replace(node, position=origin.position, name=name(node.name), scope=scope)

    return replace(
        made,
        inputs=tuple(map(place, made.inputs)),
        nodes=tuple(map(place, made.nodes)),
        outputs=tuple(Output(name(output.name), output.value) for output in made.outputs),
    )
