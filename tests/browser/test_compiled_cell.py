"""A real cell in a real kernel: run, summary, report and marks."""

from __future__ import annotations

import nbformat
import pytest

from tests.browser.lab import App, Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# The tier is given: how it would be decided depends on the machine.
SETUP = """%load_ext jupyter_npcompile
import numpy as np, jupyter_npcompile as npc
npc.settings.tier = "inductor"
"""
SOURCE = """%%npcompile --ahead
x = np.linspace(0, 1, 200_000)
for step in range(3):
    x = 0.5 * (x + np.sin(x) ** 2)
    print("step", step)
x[::2] *= 2
x.sum()"""


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_a_cell_is_compiled_and_marked(lab: Lab, app: App) -> None:
    name = f"compiled-{app}.ipynb"
    lab.write(name, nbformat.v4.new_code_cell(SETUP), nbformat.v4.new_code_cell(SOURCE))
    lab.open(name, app)
    lab.run_cell(0)
    lab.run_cell(1)
    outputs = lab.cell(1).locator(".jp-OutputArea-output")
    texts = [output.inner_text().split() for output in outputs.all()]
    if texts[0][:2] == ["compiled", "in"]:  # the bar, where it had to wait
        del texts[0]
    assert texts[0] == ["step", "0", "step", "1", "step", "2"]
    summary = lab.cell(1).locator("summary").first
    assert summary.inner_text().strip().startswith("4 of 4 lines compiled · 1 break point")
    summary.click()
    lab.screenshot(f"compiled-cell-{app}")
    marks = lab.wait_for_marks(1, 6)
    assert {line: mark.kind for line, mark in marks.items()} == {
        2: "compiled",
        3: "python",
        4: "compiled",
        5: "break",
        6: "compiled",
        7: "compiled",
    }
    assert "print" in marks[5].label
