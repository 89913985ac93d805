"""Tensors as boxes of others: random stores and their derivatives, put together again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch._subclasses.functional_tensor import dispatch_functionalize
from torch.fx import GraphModule, Interpreter, Node
from torch.fx.experimental.proxy_tensor import make_fx

from jupyter_npcompile.autodiff.placements import (
    Forms,
    Piece,
    merged,
    put_together,
)
from jupyter_npcompile.autodiff.regions import are_apart, complement

SHAPE = (6, 7)


def traced(function: Any, count: int) -> GraphModule:
    with FakeTensorMode():
        places = [torch.empty(SHAPE, dtype=torch.float64) for _ in range(count)]
        module = make_fx(function)(*places)
        return make_fx(dispatch_functionalize(module))(*places)


class Values(Interpreter):
    """Runs a graph and keeps every value."""

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.known: dict[Node, Any] = {}

    def run_node(self, n: Node) -> Any:
        made = self.known[n] = super().run_node(n)
        return made


def put(pieces: Any, known: dict[Node, Any], there: Any) -> Any:
    for piece in pieces:
        taken = known[piece.node][box(piece.first, piece.spans)]
        there[box(*piece.region)] += taken
    return there


def box(start: Any, spans: Any) -> Any:
    return tuple(slice(a, a + n) for a, n in zip(start, spans, strict=True))


def stored_in(y: Any, to: Any, value: Any) -> Any:
    """As the lowering stores into a slice."""
    rows, columns = to
    inner = torch.slice_scatter(y[rows], value, 1, columns.start, columns.stop)
    return torch.slice_scatter(y, inner, 0, rows.start, rows.stop)


def random_box(rng: Any, spans: Any) -> Any:
    return box([rng.integers(0, n - s + 1) for n, s in zip(SHAPE, spans, strict=True)], spans)


def random_stores(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    steps = []
    for _ in range(rng.integers(1, 4)):
        spans = [rng.integers(2, n + 1) for n in SHAPE]
        steps.append(
            (rng.integers(0, 3), *(random_box(rng, spans) for _ in range(3)), rng.uniform(0.5, 2))
        )

    def stores(x: Any) -> Any:
        y = x
        for kind, to, one, other, number in steps:
            if kind == 0:
                y = stored_in(y, to, y[one] * number + y[other])
            elif kind == 1:
                y = stored_in(y, to, y[to] + number * (y[one] - y[other]))
            else:
                y = stored_in(y, to, y[one])
        return y

    return stores


@pytest.mark.parametrize("seed", range(24))
def test_what_is_looked_through_is_the_same(seed: int) -> None:
    """Stores, and their derivative; what computes takes elements from where they were."""
    function = random_stores(seed)

    def both(x: Any, cotangent: Any) -> Any:
        leaf = x.detach().requires_grad_()
        with torch.enable_grad():
            made = function(leaf)
            (found,) = torch.autograd.grad(made, leaf, cotangent)
        return made.detach().clone(), found.clone()

    rng = np.random.default_rng(seed)
    given = [torch.from_numpy(rng.normal(size=SHAPE)) for _ in range(2)]
    wanted = both(*given)
    module = traced(both, 2)
    before = sum("slice_scatter" in str(node.target) for node in module.graph.nodes)
    forms = Forms(module)
    module.graph.eliminate_dead_code()
    module.recompile()
    values = Values(module)
    for one, other in zip(values.run(*given), wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    (end,) = (node for node in module.graph.nodes if node.op == "output")
    made, found = end.args[0]
    x, cotangent = (node for node in module.graph.nodes if node.op == "placeholder")
    for node, other in zip((made, found), wanted, strict=True):
        built = put(forms.of(node), values.known, torch.zeros(SHAPE, dtype=torch.float64))
        np.testing.assert_allclose(built, other, rtol=1e-12, atol=1e-12)
    stored = put_together(forms, made, x, [x], is_stored=True)
    if stored is not None:
        there = given[0].clone()
        for piece in stored[1]:
            there[box(*piece.region)] = values.known[piece.node][box(piece.first, piece.spans)]
        np.testing.assert_allclose(there, wanted[0], rtol=1e-12)
    added = put_together(forms, found, cotangent, [cotangent], is_stored=False)
    if added is not None:
        values = Values(module)  # with what was added up
        values.run(*given)
        there = given[1].clone()
        for region in added[0]:
            there[box(*region)] = 0.0
        np.testing.assert_allclose(
            put(added[1], values.known, there), wanted[1], rtol=1e-12, atol=1e-12
        )
    assert before > 0


def test_a_stencil_computes_only_what_it_stores() -> None:
    def step(x: Any, cotangent: Any) -> Any:
        leaf = x.detach().requires_grad_()
        with torch.enable_grad():
            bend = leaf[2:, 1:-1] + leaf[:-2, 1:-1] - 2 * leaf[1:-1, 1:-1]
            y = stored_in(leaf, box((1, 1), (4, 5)), leaf[1:-1, 1:-1] + 0.1 * bend)
            (found,) = torch.autograd.grad(y, leaf, cotangent)
        return y.detach(), found

    module = traced(step, 2)
    forms = Forms(module)
    (end,) = (node for node in module.graph.nodes if node.op == "output")
    made, found = end.args[0]
    x, cotangent = (node for node in module.graph.nodes if node.op == "placeholder")
    stored = put_together(forms, made, x, [x], is_stored=True)
    assert stored is not None
    assert [piece.region for piece in stored[1]] == [((1, 1), (4, 5))]
    added = put_together(forms, found, cotangent, [cotangent], is_stored=False)
    assert added is not None
    assert added[0] == []
    assert {piece.spans for piece in added[1]} == {(4, 5)}


def test_boxes() -> None:
    holes = complement(SHAPE, [((1, 1), (4, 5)), ((0, 0), (1, 7))])
    assert are_apart([*holes, ((1, 1), (4, 5)), ((0, 0), (1, 7))], SHAPE)
    assert not are_apart([((0, 0), (2, 2)), ((1, 1), (2, 2))], SHAPE)
    node: Any = object()
    parts = [Piece(node, (0, k), (0, k), (3, n)) for k, n in ((4, 3), (0, 2), (2, 2))]
    assert merged(parts) == [Piece(node, (0, 0), (0, 0), (3, 7))]
    apart = [parts[0], Piece(node, (0, 1), (0, 2), (3, 2))]
    assert merged(apart) == apart
