"""Effects happen once and new objects are new, whatever was recorded."""

from __future__ import annotations

import pytest

from tests.native import assert_same
from tests.python_cells import Cell
from tests.trap_cells import CELLS


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_cell(cell: Cell) -> None:
    run = assert_same(
        cell.source.strip("\n"), setup=cell.setup, captured=cell.captured, fallbacks=cell.fallbacks
    )
    for line in run.reports[-1].lines:
        assert line.reason or line.status == "compiled", line
