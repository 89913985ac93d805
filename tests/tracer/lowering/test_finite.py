"""Looks for NaN and infinity: what NumPy reports is seen, however they are added up."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import jupyter_npcompile as npc
from jupyter_npcompile.tracer.floating import KINDS
from jupyter_npcompile.tracer.lowering import lower
from tests.support.lowering.programs import Program

SHAPE = (5, 40)


def softmax(x: Any, y: Any) -> Any:
    raised = np.exp(x - x.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def products(x: Any, y: Any) -> Any:
    z = x * y
    return z.sum(axis=-1), (z - y) / x, z.mean()


def columns(x: Any, y: Any) -> Any:
    return (x / y).min(axis=0), np.sqrt(x).sum(axis=1), x @ y.T


def mixed(x: Any, y: Any) -> Any:
    spread = (x * x).mean(1) - x.mean(1) ** 2
    return np.maximum(x, 0) / np.sqrt(spread)[:, None] + np.log(np.abs(y))


PROGRAMS = [softmax, products, columns, mixed]
NUMBERS = st.sampled_from([0.0, -0.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 1e-308, 1.0])
PLACES = st.lists(
    st.tuples(
        st.integers(0, 1), st.integers(0, SHAPE[0] - 1), st.integers(0, SHAPE[1] - 1), NUMBERS
    ),
    max_size=4,
)


@pytest.fixture(autouse=True)
def _forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


def seen(function: Callable[..., Any], *args: Any) -> tuple[set[str], Any]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = function(*args)
    return {str(warning.message) for warning in caught}, found


@pytest.mark.parametrize("program", PROGRAMS)
@given(st.lists(PLACES, min_size=1, max_size=3))
def test_what_numpy_reports_is_reported(
    program: Callable[..., Any], calls: list[list[tuple[int, int, int, float]]]
) -> None:
    compiled = npc.compile(program)
    rng = np.random.default_rng(len(calls))
    for places in [[], *calls]:
        pair = rng.normal(size=(2, *SHAPE))
        for which, i, j, number in places:
            pair[which, i, j] = number
        reports, expected = seen(program, *pair)
        found_reports, found = seen(compiled, *pair)
        assert found_reports == reports
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def sums_of_rows(axis: int) -> int:
    """How often a graph adds up rows that takes the largest of each of them, and divides."""
    program = Program()
    x = program.input(np.linspace(1, 2, 200).reshape(SHAPE))
    program.output(y=x / program("numpy.max", x, axis=axis, keepdims=True))
    graph = program.graph()
    nodes = tuple(replace(node, reports=KINDS) for node in graph.nodes)
    lowered = lower(replace(graph, nodes=nodes))
    return sum(node.op == "aten.sum.dim_IntList" for node in lowered.aten.nodes)


def test_rows_are_added_up_where_something_is_known_by_rows() -> None:
    assert sums_of_rows(axis=1) == 1
    assert sums_of_rows(axis=0) == 0
