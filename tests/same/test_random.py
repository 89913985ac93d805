"""Random numbers and the state they leave are NumPy's, wherever in an expression they stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.runtime.worker import compiler
from tests.support.cells.native import assert_same
from tests.support.cells.random_numbers import CELLS, Cell


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_cell(cell: Cell) -> None:
    assert_same(
        cell.source,
        setup=cell.setup,
        captured=cell.captured if cell.captured else False,
        fallbacks=cell.fallbacks,
    )


def test_report_of_draws() -> None:
    """A draw splits nothing: its line is compiled but for the draw, or all of it is NumPy's."""
    run = assert_same(
        "a = rng.random(4)\ny = np.sin(rng.normal(size=4)) * 2\nz = a + y",
        setup="rng = np.random.default_rng(1)",
        captured={3, 4},
    )
    report = run.reports[-1]
    assert [line.status for line in report.lines] == ["host", "compiled", "compiled"]
    assert report.breaks == ()
    assert all("NumPy's own generator" in (line.reason or "") for line in report.lines[:2])
    assert [region.segments for region in report.regions] == [1]
    names = [node.name for graph in report.graph.numpy for node in graph.inputs]
    assert names == ["rng.random()", "rng.normal()"]


@pytest.mark.parametrize("check", ["replace", "off"])
@pytest.mark.parametrize("tier", ["auto", "aten", "numpy"])
def test_streams_in_every_mode(tier: str, check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recording, compiling later, checking and timing leave no trace in a stream."""
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", tier)
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", check)

    def step(v: Any, rng: Any) -> Any:
        w = v + 0.1 * rng.normal(size=v.shape)
        return np.exp(-np.abs(w)) * rng.random(v.shape) + np.random.rand()

    compiled = jupyter_npcompile.compile(step)
    found = []
    for function in (step, compiled):
        rng = np.random.default_rng(3)
        np.random.seed(4)
        v = np.linspace(0.0, 1.0, 5_000)
        for _ in range(6):
            v = function(v, rng)
            compiler.wait()
        found.append((v, rng.bit_generator.state, np.random.random(3)))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-12)
    assert found[0][1] == found[1][1]
    np.testing.assert_array_equal(found[0][2], found[1][2])


@pytest.mark.parametrize(
    "name",
    ["a draw in the middle of arithmetic", "a scalar that is drawn", "a draw that is written to"],
)
def test_kernels(name: str) -> None:
    (cell,) = [cell for cell in CELLS if cell.name == name]
    assert_same(cell.source, setup=cell.setup, tier="inductor", captured=cell.captured)
