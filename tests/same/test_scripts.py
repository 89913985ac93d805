"""Small scripts give under the magic what they give without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cells.native import assert_same
from tests.support.cells.python_cells import Cell
from tests.support.cells.scripts import CELLS


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_cell(cell: Cell, tmp_path: Path) -> None:
    run = assert_same(
        cell.source.strip("\n"),
        setup=cell.setup,
        folder=tmp_path,
        captured=cell.captured,
        fallbacks=cell.fallbacks,
    )
    for line in run.reports[-1].lines:
        assert line.reason or line.status == "compiled", line
