"""The time of single kernels: measured by a second form of their code, on copies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.graph.kernels import PREFIX
from jupyter_npcompile.graph.timing import Timing, time_rows
from jupyter_npcompile.runtime import history, kernel_times
from jupyter_npcompile.runtime.compile_errors import CompileFailedError
from jupyter_npcompile.runtime.native.limits import PARALLEL
from jupyter_npcompile.runtime.subjects import report_of
from jupyter_npcompile.runtime.timing import measure
from tests.magic.test_magic import Shell

CELL = """%%npcompile --quiet
y = np.sin(x) * 2
z = np.sort(y)
total = (z + y).sum(axis=0)
noise = rng.normal(size=3) + 1
x[1:] += 0.5 * y[1:]"""

pytestmark = pytest.mark.slow


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    monkeypatch.setattr("jupyter_npcompile.runtime.timing.bandwidth", lambda: 1e9)
    made = Shell()
    made.ip.run_cell("rng = np.random.default_rng(0)")
    yield made
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")


def run(shell: Shell, rows: int) -> Timing:
    """Run the cell on so many rows, and measure it."""
    shell.ip.user_ns["x"] = np.random.default_rng(rows).normal(size=(rows, 4))
    assert shell.run(CELL) is None
    return measure(history.last())


def kernels(timing: Timing) -> dict[tuple[int, int], float]:
    return {(one.segment, one.node): one.us for one in timing.nodes if one.level == "kernels"}


def made() -> dict[tuple[int, int], str]:
    """The loop nests of the report."""
    return {
        (place, node.id): node.op
        for place, graph in enumerate(report_of(history.last()).graph.kernels)
        for node in graph.nodes
        if node.op.startswith(PREFIX)
    }


def test_every_kernel_has_a_time_of_its_own(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(shell, 500)
    with monkeypatch.context() as patch:
        patch.setattr(kernel_times, "built", fails)
        patch.setattr(kernel_times.stamp, "entry_key", lambda *_: "0" * 64)
        timing = measure(history.last())
    assert "kernels from line 2 on were not timed: no compiler" in timing.note
    assert kernels(timing) == {}
    assert timing.lines

    timing = measure(history.last())
    found = kernels(timing)
    assert timing.note == ""
    assert len(found) > 2
    assert set(found) == set(made())
    assert all(us > 0 for us in found.values())

    report = report_of(history.last())
    report.timing = timing
    rows = [row for row in time_rows(report) if row.kind == "kernel"]
    (sort,) = (row for row in rows if "sort" in row.title)
    assert sort.compiled_us is None
    assert sort.numpy_us is not None
    nests = [row for row in rows if row is not sort]
    assert all(row.compiled_us and row.numpy_us is None for row in nests)
    large = [row for row in nests if row.moves > 1000]
    assert large
    assert all(row.share and "B/s" in row.rate for row in large)

    # Nothing that the cell reads has changed, nor have random numbers been drawn.
    x, state = shell.ip.user_ns["x"].copy(), shell.ip.user_ns["rng"].bit_generator.state
    monkeypatch.setattr(kernel_times, "built", never)  # it is compiled once
    shell.ip.run_line_magic("npcompile", "timing")
    assert "were not timed" not in capsys.readouterr().out
    assert np.array_equal(shell.ip.user_ns["x"], x)
    assert shell.ip.user_ns["rng"].bit_generator.state == state

    monkeypatch.setattr(kernel_times.caches, "cache", Empty)
    assert f"were not timed: {kernel_times.GONE}" in measure(history.last()).note


class Empty:
    """A cache that holds nothing any more."""

    def find(self, key: str) -> None: ...


def fails(*_: Any) -> Any:
    raise CompileFailedError("no compiler")


def never(*_: Any) -> Any:
    raise AssertionError("compiled again")


def test_code_that_serves_many_sizes(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    for rows in (70, 90):
        run(shell, rows)
    monkeypatch.setattr(kernel_times, "built", never)
    timing = run(shell, 110)
    assert set(kernels(timing)) == set(made()) != set()


def test_kernels_that_share_their_work(shell: Shell) -> None:
    shell.ip.user_ns["x"] = np.linspace(0, 3, PARALLEL + 5)
    assert shell.run("%%npcompile --quiet\ny = np.sin(x)\ns = y.sum()\nz = y / s") is None
    found = kernels(measure(history.last()))
    assert set(found) == set(made()) != set()
    assert all(us > 0 for us in found.values())


def test_an_interrupt(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    run(shell, 300)
    monkeypatch.setattr("jupyter_npcompile.magic.extension.measure", interrupted)
    shell.ip.run_line_magic("npcompile", "timing")
    assert "interrupted: nothing was measured" in capsys.readouterr().out
