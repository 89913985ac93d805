"""The level of kernels: what became of each operation."""

from __future__ import annotations

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.graph import Graph, Node, Output, Position, Ref, from_json, to_json
from jupyter_npcompile.graph.kernels import CHECKS, fused_lines
from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.runtime.native.kernels import kernel_graph
from jupyter_npcompile.runtime.native.nests import Nest, Nests
from jupyter_npcompile.runtime.native.pieces import cut
from tests.support.graph_examples import vector

V, B = vector(10), vector(10, "bool")


def test_kernels_of_pieces_and_library_calls() -> None:
    nodes = (
        Node(1, "numpy.sin", (Ref(0),), types=(V,), position=Position(2, 4)),
        Node(2, "numpy.multiply", (Ref(1), Ref(0)), types=(V,), position=Position(3, 4)),
        Node(3, "numpy.sort", (Ref(2),), types=(V,), position=Position(4, 4)),
        Node(4, "numpy.add", (Ref(3), 1.0), types=(V,), position=Position(5, 4)),
    )
    graph = Graph("numpy", (Node(0, "input", name="x", types=(V,)),), nodes, (Output("y", Ref(4)),))
    steps = cut(graph, {3})
    first = Nests(
        (Nest((1, 2), ("arg0",), (("buf0", V),), 160), Nest((2,), ("buf0",), (("ok", B),), 80)),
        ("arg0",),
        ("buf0", "ok"),
    )
    last = Nests((Nest((4,), ("arg0",), (("buf0", V),), 160),), ("arg0",), ("buf0",))
    made, nests = kernel_graph(graph, steps, {0: (first, (2,)), 2: (last, (4,))})
    fused, sort, add, checks = made.nodes
    assert [node.op for node in made.nodes] == [
        "kernel.sin · multiply", "numpy.sort", "kernel.add", CHECKS
    ]  # fmt: skip
    assert (fused.args, sort.args, add.args) == ((Ref(0),), (Ref(fused.id),), (Ref(sort.id),))
    assert (fused.fuses, sort.fuses, add.fuses) == ((1, 2), (3,), (4,))
    assert (fused.moves, sort.moves, checks.moves) == (160, 160, 80)
    assert fused_lines(fused, graph) == [2, 3]
    assert nests == ((fused.id, checks.id), (add.id,))
    assert made.outputs == (Output("y", Ref(add.id)),)
    assert from_json(to_json(made)) == made


def step(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    a = np.sin(x) * y
    b = a.sum(axis=0) + 1
    m = x.T @ x
    x[1:-1] += 0.1 * x[2:]
    return b, np.sqrt(np.abs(m)) + b


@pytest.mark.slow
def test_kernels_of_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every operation that computes is in a kernel, and bytes are those of the arrays."""
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    report = npc.explain(step, np.random.rand(20, 30), np.random.rand(30))
    (graph,), (kernels,) = report.graph.numpy, report.graph.kernels
    computing = {node.id for node in graph.nodes if node.view_of is None and not node.writes}
    fused = {id for kernel in kernels.nodes for id in kernel.fuses}
    assert computing <= fused
    (matmul,) = (kernel for kernel in kernels.nodes if kernel.op == "numpy.matmul")
    (after,) = (kernel for kernel in kernels.nodes if "sqrt" in kernel.op)
    assert Ref(matmul.id) in after.args
    assert after.moves == 8 * (900 + 900 + 30)
    (written,) = (kernel for kernel in kernels.nodes if kernel.writes)
    x = next(node.id for node in kernels.inputs if node.name == "x")
    assert written.writes == (x,)
    text = report.graph.to_text("kernels")
    assert "absolute · sqrt" in text
    assert "moves 15 kB" in text
    assert ReportData.from_dict(report.to_dict()).graph == report.graph


@pytest.mark.slow
def test_a_native_loop_is_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "native-loop")

    def total(x: np.ndarray) -> float:
        s = 0.0
        for k in range(30000):
            s = s + x[k % 10] * 0.5
        return s

    report = npc.explain(total, np.ones(10))
    (loop,) = (node for graph in report.graph.kernels for node in graph.nodes)
    assert loop.op == "kernel.native loop"
    assert loop.position.line == report.regions[-1].lines[0]
