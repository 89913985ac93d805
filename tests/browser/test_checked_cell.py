"""``%%npcompile --check`` in a real kernel: what a person sees."""

from __future__ import annotations

import nbformat
import pytest

from tests.browser.lab import Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# (The tier before the extension: so no compile worker is started, which nothing here needs.)
SETUP = """import numpy as np
import jupyter_npcompile as npc
npc.settings.tier = "aten"
%load_ext jupyter_npcompile
from tests.support.compiling.broken import broken_lowering, plus_one
x = np.linspace(0, 1, 1000)
view = x[1:]"""
GOOD = """%%npcompile --check
import asyncio
await asyncio.sleep(0)
view *= 2
for step in range(3):
    print("step", step, x.sum())
np.sin(x)[:3]"""
BROKEN = """%%npcompile --check
scaled = x * 3
running = np.cumsum(scaled)
total = running[-1] / 2
print("total", total > 0)"""


def test_a_check_shows_a_table(lab: Lab) -> None:
    cells = [SETUP, GOOD, f"broken = broken_lowering('numpy.cumsum', plus_one)\n{ENTER}", BROKEN]
    lab.write("checked.ipynb", *map(nbformat.v4.new_code_cell, cells))
    lab.open("checked.ipynb")
    lab.run_cell(0)
    lab.run_cell(1)
    outputs = lab.cell(1).locator(".jp-OutputArea-output")
    printed = outputs.first.inner_text().splitlines()
    assert [line.split()[:2] for line in printed] == [["step", str(k)] for k in range(3)]
    summary = lab.cell(1).locator(".npcompile-summary")
    assert "cell: the same as NumPy" in summary.inner_text()
    lab.run_cell(2)
    lab.run_cell(3)
    table = lab.cell(3).locator("table")
    rows = table.locator("tbody tr")
    assert rows.count() == 2
    shown = [cell.inner_text() for cell in rows.first.locator("td").all()]
    assert shown[0] == "3"
    assert shown[1] == "np.cumsum"
    assert shown[2] == "value"
    assert "np.cumsum(np.array([0.0]))" in shown[5]
    lab.wait_for_marks(3, 4)
    lab.cell(3).scroll_into_view_if_needed()
    lab.screenshot("checked-cell")


ENTER = "broken.__enter__()"
