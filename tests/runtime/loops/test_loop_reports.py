"""What a report says about loops that ran natively, or are about to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.graph import ReportData
from jupyter_npcompile.runtime.reporting import MEASURED
from tests.support.cells.native import Bench

pytestmark = pytest.mark.usefixtures("_native")


@pytest.fixture
def _native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "native-loop")


def talk(x: Any, steps: int) -> Any:
    seen = {0: steps}  # so that native code does not take all of the function
    for step in range(steps):
        x = x * 0.5 + 1.0
        print("step", step)
    return x * seen[0]


def report_of(x: Any, steps: int, capsys: pytest.CaptureFixture[str]) -> ReportData:
    npc.compile(talk)(x, steps)
    assert capsys.readouterr().out.splitlines() == [f"step {step}" for step in range(steps)]
    found = npc.last_report()
    assert found is not None
    return found


def test_a_print_in_a_native_loop_breaks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    report = report_of(np.arange(20.0), 5, capsys)
    lines = {line.source.strip(): line for line in report.lines}
    assert lines["x = x * 0.5 + 1.0"].status == "compiled"
    assert lines['print("step", step)'].status == "python"
    assert not report.breaks
    assert any(region.tier == "native-loop" for region in report.regions)


def test_an_iteration_that_was_checked_did_run(capsys: pytest.CaptureFixture[str]) -> None:
    report = report_of(np.arange(20.0), 1, capsys)
    line = next(line for line in report.lines if "0.5" in line.source)
    assert (line.status, line.reason, line.hint) == ("host", *MEASURED)
    assert not report.breaks


CELL = """%%npcompile --ahead
for step in range(2000):
    x = x * 0.5 + 1.0
"""


@pytest.mark.slow
def test_a_cell_compiled_ahead_shows_its_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when native code is there from the start, and of a run all of which is native."""
    with Bench(compiled=True) as bench:
        monkeypatch.setattr(npc.settings, "tier", "auto")
        bench.shell.run_cell("x = np.arange(20.0)")
        for source in (CELL, CELL, CELL + "# edited"):
            assert bench.shell.run_cell(source).success
            report = npc.last_report()
            assert report is not None
            assert [region.tier for region in report.regions].count("native-loop")
            assert [len(graph.nodes) for graph in report.graph.numpy] == [2]
