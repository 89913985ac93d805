"""Segments cut into pieces give what the whole gives, wherever they are cut."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from jupyter_npcompile.graph.nodes import Graph, Node, Output, Ref, ValueType
from jupyter_npcompile.runtime.native.manifest import PieceManifest
from jupyter_npcompile.runtime.native.pieces import LibraryCall, Piece, cut
from jupyter_npcompile.runtime.native.program import Piece as Loaded
from jupyter_npcompile.runtime.native.program import Program
from jupyter_npcompile.tracer.interpret import run_node
from tests.support.lowering.programs import Program as Recorded
from tests.support.lowering.programs import copied
from tests.tracer.lowering.test_programs import PROGRAMS, build


def executed_by_numpy(piece: Piece) -> Loaded:
    """A piece that NumPy executes, in place of a compiled one."""
    graph = piece.graph
    allocations = graph.allocations()

    def call(*values: Any) -> tuple[Any, ...]:
        known = {n.id: copied(v) for n, v in zip(graph.inputs, values, strict=True)}
        for node in graph.nodes:
            run_node(node, known)
        return tuple(known[id] for id in (*allocations, *graph.writes))

    none = ValueType("array", "float64")
    manifest = PieceManifest(
        "numpy",
        tuple((node.id, node.type) for node in graph.inputs),
        (),
        tuple((id, none) for id in allocations),
        tuple((id, none) for id in graph.writes),
        (),
        0,
        0,
    )
    return Loaded(manifest, call)


def whole(graph: Graph, given_values: list[Any]) -> dict[int, Any]:
    known = {n.id: copied(v) for n, v in zip(graph.inputs, given_values, strict=True)}
    for node in graph.nodes:
        run_node(node, known)
    return {id: known[id] for id in (*graph.allocations(), *graph.writes)}


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore")
def test_cut_anywhere(make: Callable[[Recorded], None]) -> None:
    program = build(make)
    graph = program.graph()
    if any(not getattr(v, "flags", np.empty(0).flags).contiguous for v in program.given):
        pytest.skip("inputs that are written must be dense")
    expected = whole(graph, program.given)
    for seed in range(8):
        rng = random.Random(seed)
        library = {n.id for n in graph.nodes if rng.random() < rng.choice((0.1, 0.3, 0.6))}
        library -= {n.id for n in graph.nodes if n.op == "item"}
        steps = [
            step.node if isinstance(step, LibraryCall) else executed_by_numpy(step)
            for step in cut(graph, library)
        ]
        fresh, written = Program(graph, steps).run([copied(v) for v in program.given])
        for id, value in expected.items():
            np.testing.assert_array_equal({**fresh, **written}[id], value, err_msg=str(library))


@given(st.sets(st.integers(1, 3)))
def test_every_operation_happens_once(library: set[int]) -> None:
    kind = (ValueType("array", "float64", (3,), (8,)),)
    x = Node(0, "input", types=kind, name="x")
    nodes = (
        Node(1, "numpy.exp", (Ref(0),), types=kind),
        Node(2, "numpy.sin", (Ref(1),), types=kind),
        Node(3, "numpy.add", (Ref(2), Ref(1)), types=kind),
    )
    found: list[int] = []
    for step in cut(Graph("numpy", (x,), nodes, (Output("y", Ref(3)),)), library):
        if isinstance(step, LibraryCall):
            found.append(step.node)
        else:
            found += [node.id for node in step.graph.nodes]
    assert found == [1, 2, 3]
