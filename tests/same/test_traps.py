"""Effects happen once and new objects are new, whatever was recorded."""

from __future__ import annotations

import pytest

from tests.support.cells.native import assert_same
from tests.support.cells.python_cells import Cell
from tests.support.cells.traps import CELLS


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_cell(cell: Cell) -> None:
    run = assert_same(
        cell.source.strip("\n"), setup=cell.setup, captured=cell.captured, fallbacks=cell.fallbacks
    )
    for line in run.reports[-1].lines:
        assert line.reason or line.status == "compiled", line
