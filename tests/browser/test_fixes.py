"""Fixes of break points: a diff with a button, which applies it, and undo takes it back."""

from __future__ import annotations

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.lab import AXE, App, Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# (The tier before the extension: so no compile worker is started, which nothing here needs.)
SETUP = """import numpy as np
import jupyter_npcompile as npc
npc.settings.tier = "aten"
%load_ext jupyter_npcompile
x = np.linspace(0, 1, 2_000)"""
CELL = """%%npcompile
history = []   # of the norm
for step in range(5):
    x = 0.5 * (x + np.sin(x))
    history.append(float(np.sqrt(x @ x)))
    print(f"{step}: {x.mean():.4f}")
y = x + 1"""
AFTER = 'print(f"{step}: {x_means[step]:.4f}")'


@pytest.mark.parametrize(
    ("app", "theme"), [("notebook", "JupyterLab Light"), ("lab", "JupyterLab Dark")]
)
def test_a_fix_is_applied_and_undone(lab: Lab, app: App, theme: str) -> None:
    name = theme[-5:].strip()
    cells = map(nbformat.v4.new_code_cell, [SETUP, CELL, "%npcompile fix"])
    lab.write(f"fixes-{name}.ipynb", *cells)
    lab.theme(theme)
    try:
        lab.open(f"fixes-{name}.ipynb", app)
        for number in range(3):
            lab.run_cell(number)
        offered = lab.cell(2).locator(".jp-npcompile-fixes")
        expect(offered).to_contain_text("2 fixes for 2 break points")
        expect(offered.get_by_role("button")).to_have_count(2)
        offered.scroll_into_view_if_needed()
        lab.screenshot(f"fixes-{name}")
        if AXE.exists():
            assert lab.violations(".jp-npcompile-fixes") == []

        # One click changes the cell, and undo takes it back.
        offered.get_by_role("button", name="print after the loop").click()
        expect(offered.get_by_role("status").nth(1)).to_contain_text("Applied")
        expect(lab.editor(1)).to_contain_text(AFTER)
        lab.page.keyboard.press("Control+z")
        expect(lab.editor(1)).not_to_contain_text(AFTER)
        assert lab.text(1) == CELL

        # From the break point itself: the kernel is asked, and the cell runs anew.
        lab.lines(1).nth(4).hover(position={"x": 60, "y": 8})
        lab.page.get_by_role("button", name="Look for fixes").click()
        dialog = lab.page.get_by_role("dialog")
        apply = dialog.get_by_role("button", name="convert them once after the loop")
        expect(apply).to_be_visible()
        lab.screenshot(f"fixes-dialog-{name}")
        if AXE.exists():
            assert lab.violations(".jp-npcompile-fixes-dialog") == []
        apply.click()
        expect(dialog).to_have_count(0)
        expect(lab.editor(1)).to_contain_text("history[step] = np.sqrt(x @ x)")
        lab.run_cell(1)
        lab.wait_for_marks(1, 7)
        assert lab.marks(1)[5].kind == "compiled"

        # What was made for another text changes nothing.
        offered.get_by_role("button", name="print after the loop").click()
        expect(offered.get_by_role("status").nth(1)).to_contain_text("has changed")

        # A kernel that has not run the cell does not run it to look for fixes.
        lab.restart_kernel()
        lab.lines(1).nth(5).hover(position={"x": 60, "y": 8})
        expect(lab.page.get_by_role("tooltip")).to_contain_text("print")
        lab.page.wait_for_timeout(1000)
        assert lab.page.get_by_role("button", name="Look for fixes").count() == 0
    finally:
        lab.theme("JupyterLab Light")
