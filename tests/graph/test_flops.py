"""Floating-point operations: each rule against a count made by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.graph import Graph, Node, Ref, ValueType
from jupyter_npcompile.graph.flops import flops, fused_flops
from tests.support.graph_examples import timed

X = np.linspace(0.5, 1.5, 12).reshape(3, 4)
A = np.eye(5) + 1
Z = X + 1j


def recorded(function: object, *args: object) -> Graph:
    """What NumPy was asked for."""
    assert callable(function)
    (graph,) = npc.explain(function, *args).graph.numpy
    return graph


@pytest.fixture(autouse=True)
def _without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


CASES = {
    "elementwise": (lambda: X * 2 + X, 24),
    "of a function": (lambda: np.sin(X), 12),
    "in place": (lambda: np.add(X, 1, out=X.copy()), 12),
    "comparison": (lambda: X > 1, 12),
    "view and copy": (lambda: X[1:].T.copy(), 0),
    "integers": (lambda: np.arange(5) + np.arange(5), 0),
    "sum": (lambda: X.sum(), 11),
    "sum of rows": (lambda: X.sum(axis=1), 9),
    "ufunc.reduce": (lambda: np.maximum.reduce(X, axis=0), 8),
    "running sum": (lambda: np.cumsum(X, axis=1), 9),
    "mean": (lambda: np.mean(X, axis=0), 12),
    "variance": (lambda: X.var(), 48),
    "matrix product": (lambda: X @ X.T, 2 * 3 * 3 * 4),
    "matrix vector": (lambda: A @ A[0], 2 * 25),
    "inner product": (lambda: X[0] @ X[1], 8),
    "tensordot": (lambda: np.tensordot(X, X.T, 1), 2 * 3 * 3 * 4),
    "einsum": (lambda: np.einsum("ij,kj->ik", X, X), 2 * 3 * 3 * 4),
    "einsum without a sum": (lambda: np.einsum("ij,ij->ij", X, X), 12),
    "solve": (lambda: np.linalg.solve(A, A[0]), round(2 / 3 * 125) + 50),
    "inverse": (lambda: np.linalg.inv(A), round(8 / 3 * 125)),
    "factor": (lambda: np.linalg.cholesky(A), round(125 / 3)),
    "norm": (lambda: np.linalg.norm(X), 24),
    "transform": (lambda: np.fft.fft(X), (5 * 12 * 2)),
    "real transform": (lambda: np.fft.rfft(X), round(2.5 * 12 * 2)),
    "transform of a plane": (lambda: np.fft.fft2(X), round(5 * 12 * math.log2(12))),
    "complex product": (lambda: Z * Z, 6 * 12),
    "complex sum": (lambda: Z + Z, 2 * 12),
    "complex matrix product": (lambda: Z @ Z.T, 8 * 3 * 3 * 4),
    "sorting": (lambda: np.sort(X), None),
    "complex division": (lambda: Z / Z, None),
    "another norm": (lambda: np.linalg.norm(X, 1), None),
}


@pytest.mark.parametrize("name", CASES)
def test_counts(name: str) -> None:
    function, expected = CASES[name]
    graph = recorded(function)
    known = graph.by_id()
    counts = [flops(node, known) for node in graph.nodes]
    if expected is None:
        assert None in counts
        return
    assert None not in counts
    assert sum(one.count for one in counts if one is not None) == expected


def test_aten_counts_as_numpy_does_where_it_is_the_same() -> None:
    report = npc.explain(lambda x: np.sqrt(x * x + 1), X)
    (numpy,), (aten,) = report.graph.numpy, report.graph.aten
    own = {node.op: flops(node, aten.by_id()) for node in aten.nodes}
    assert own["aten.sqrt.default"] == flops(numpy.nodes[-1], numpy.by_id())
    assert own["aten.mul.Tensor"] is not None


def test_a_kernel_has_what_it_computes() -> None:
    report = timed()
    (source,), (kernels,) = report.graph.numpy, report.graph.kernels
    found = fused_flops(kernels.nodes[0], source.by_id())
    assert found is not None
    assert found.count == 2000
    unknown = Node(9, "kernel.sort", fuses=(1, 77))
    assert fused_flops(unknown, source.by_id()) is None
    assert fused_flops(Node(9, "kernel.checks"), source.by_id()) is None


def test_unknown_is_unknown() -> None:
    known = {0: Node(0, "input", types=(ValueType("array", "float64", (4,)),))}
    for op in ("numpy.nonsense", "ndarray.sort", "python.float", "numpy.__class__"):
        made = Node(1, op, (Ref(0),), types=known[0].types)
        assert flops(made, known) is None
    assert flops(Node(1, "numpy.matmul", (Ref(5), Ref(0)), types=known[0].types), known) is None
