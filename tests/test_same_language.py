"""More cells of the Python language: under the magic they give what they give without it."""

from __future__ import annotations

import pytest

import jupyter_npcompile
from tests.native import MAGIC, Bench, assert_same
from tests.python_cells import CELLS, Cell


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_cell(cell: Cell) -> None:
    assert_same(
        cell.source.strip("\n"),
        setup=cell.setup,
        earlier=cell.earlier,
        captured=cell.captured,
        fallbacks=cell.fallbacks,
    )


def test_there_are_enough() -> None:
    assert len({cell.source for cell in CELLS}) == len(CELLS) >= 110


def test_indented_cell() -> None:
    """IPython takes common indentation off a cell, which the magic line must not prevent."""
    with Bench(compiled=True) as bench:
        bench.setup("x = np.arange(3.0)")
        seen = bench.cell("    y = x * 2\n\n    if True:\n        z = y + 1\n    z", head=MAGIC)
        assert seen.error is None
        assert bench.shell.user_ns["z"].tolist() == [1.0, 3.0, 5.0]
        assert {line.line for line in jupyter_npcompile.last_report().lines} == {2, 4, 5, 6}


def test_cell_in_a_compiled_cell() -> None:
    """A compiled cell runs another one: each has its own report."""
    inner = f"{MAGIC}\nz = y + 1\nw = z * 2"
    with Bench(compiled=True) as bench:
        bench.setup("x = np.arange(3.0)")
        seen = bench.cell(f"y = x * 2\nr = get_ipython().run_cell({inner!r})\nv = w + 1\nv")
        assert (seen.error, seen.leftovers) == (None, [])
        assert bench.shell.user_ns["v"].tolist() == [3.0, 7.0, 11.0]
        assert [line.line for line in jupyter_npcompile.last_report().lines] == [2, 3, 4, 5]


def test_silent_cell_in_a_compiled_cell() -> None:
    with Bench(compiled=True) as bench:
        bench.setup("x = np.arange(3.0)")
        inner = f"{MAGIC}\nz = x + 1"
        seen = bench.cell(f"y = x * 2\nget_ipython().run_cell({inner!r}, silent=True)\nv = z + y")
        assert (seen.error, seen.leftovers) == (None, [])
        assert bench.shell.user_ns["v"].tolist() == [1.0, 4.0, 7.0]
