"""Graphs as straight-line Python give what they give node by node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.runtime.call_handle import CallCode
from jupyter_npcompile.runtime.namespace import ArgumentNamespace
from jupyter_npcompile.runtime.straight import straight_line
from jupyter_npcompile.tracer.interpret import run_graph
from jupyter_npcompile.tracer.recording import record
from tests.support.cells.native import Viewer


def in_place(x: Any) -> Any:
    x[1:-1] *= 2
    x[0] = x.sum()
    np.add(x, 1, out=x)
    return x, x[::2], x.T


def several(x: Any) -> Any:
    whole, part = np.divmod(x, 0.3)
    q, r = np.linalg.qr(np.outer(x, x) + np.eye(x.size))
    return whole, part, np.abs(q), np.abs(r), np.split(x, 2)


def arguments(x: Any) -> Any:
    table = np.array([3, 1, 2])
    y = x[table] + x[[0, 1, 2]] * np.float32(2)
    z = np.concatenate([x, y, x[np.newaxis, 2:].ravel()])
    return y.astype("f4"), z.reshape(-1, 1).shape, np.clip(z, None, x[1]), z[..., None]


def methods(x: Any) -> Any:
    return x.cumsum(), x.real, x.reshape(2, -1).mean(axis=1, keepdims=True), x.max(), x[0] ** 2


def scalars(x: Any) -> Any:
    n = x.argmax()
    return n * 2, x[2] + n, np.where(x > x[1] / 2, x, -n)


@pytest.mark.parametrize("function", [in_place, several, arguments, methods, scalars])
def test_as_node_by_node(function: Callable[..., Any]) -> None:
    code, parameters = CallCode(function).code(0)
    namespace = ArgumentNamespace({"args": (np.linspace(1, 3, 6),), "kwargs": {}})
    recording = record(code, parameters, namespace, 0, 1, lambda start, stop: ())
    graph = recording.graph
    assert graph.nodes
    inputs = [source.fetch(namespace) for source in recording.sources]
    copies = [np.copy(value) if isinstance(value, np.ndarray) else value for value in inputs]
    expected = list(run_graph(graph, copies).values())
    found = straight_line(graph)(*inputs)
    assert len(found) == len(expected)
    seen, right = Viewer(), Viewer()
    for number, (value, other) in enumerate(zip(found, expected, strict=True)):
        assert repr(seen.see(str(number), value)) == repr(right.see(str(number), other))
    for value, copy in zip(inputs, copies, strict=True):
        np.testing.assert_array_equal(value, copy)


def test_what_is_not_needed_any_more_is_let_go_of() -> None:
    """At most two temporary arrays live at once."""
    import tracemalloc

    def chain(x: Any) -> Any:
        y = x
        for _ in range(20):
            y = np.sin(y)
        return y

    code, parameters = CallCode(chain).code(0)
    x = np.zeros(100_000)
    namespace = ArgumentNamespace({"args": (x,), "kwargs": {}})
    run = straight_line(record(code, parameters, namespace, 0, 1, lambda a, b: ()).graph)
    tracemalloc.start()
    run(x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2.2 * x.nbytes
