"""A person's session, from the first run to a new kernel, in Lab and in Notebook 7."""

from __future__ import annotations

from typing import get_args

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.lab import App, Lab
from tests.support.paths import CHECKOUT

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# The compiler is one that waits as long as nobody cancels it.
SETUP = f"""import os
os.environ["PYTHONPATH"] += ":{CHECKOUT}"
import numpy as np, jupyter_npcompile as npc
from jupyter_npcompile.runtime import artifacts
from jupyter_npcompile.runtime.compile_worker import CompileWorker
from jupyter_npcompile.runtime.compiled import Store
artifacts.store = Store(artifacts._load, CompileWorker("tests.support.compiling.fake_build"))
%load_ext jupyter_npcompile
npc.settings.tier = "aten"
x = np.linspace(0, 1, 2_000)"""
CELL = """%%npcompile
for step in range(3):
    s = np.sin(x) ** 2
    x = 0.5 * (x + s)
    print("step", step)
total = x.sum()"""
GRAD = """get_ipython().run_cell('''%%npcompile --grad loss --wrt w --quiet
w = 2.0
loss = np.mean(np.tanh(x * w))''')
%npcompile grad"""
OPEN = 'npc.settings.tier = "auto"\n%npcompile graph'
WAIT = "%%npcompile --ahead\nz = x * 1234.25"
KINDS = {2: "python", 3: "compiled", 4: "compiled", 5: "break", 6: "compiled"}
EDITED = {line: kind for line, kind in KINDS.items() if line != 6}


def kinds(lab: Lab, expected: dict[int, str] = KINDS) -> dict[int, str]:
    marks = lab.wait_for_marks(1, len(expected))
    return {line: mark.kind for line, mark in marks.items()}


def hover_line(lab: Lab, line: int) -> None:
    lab.lines(1).nth(line - 1).hover(position={"x": 60, "y": 8})


def look_at_lines(lab: Lab) -> None:
    """A line says what it is, and a key leads to the break point."""
    hover_line(lab, 3)
    tooltip = lab.page.locator(".jp-npcompile-tooltip")
    expect(tooltip).to_contain_text("s: float64[2000]")
    expect(tooltip).to_contain_text("aten")
    lab.lines(1).nth(0).click()
    lab.page.keyboard.press("F8")
    lab.page.wait_for_function(AT_PRINT)


def fix_and_undo(lab: Lab) -> None:
    """The break point offers a fix; it changes the cell, and undo takes it back."""
    hover_line(lab, 5)
    lab.page.get_by_role("button", name="Look for fixes").click()
    dialog = lab.page.get_by_role("dialog")
    dialog.get_by_role("button", name="print after the loop").click()
    expect(dialog).to_have_count(0)
    expect(lab.lines(1)).to_have_count(len(CELL.splitlines()) + 1)
    lab.editor(1).focus()
    lab.page.keyboard.press("Control+z")
    expect(lab.lines(1)).to_have_count(len(CELL.splitlines()))
    assert lab.text(1) == CELL
    assert kinds(lab) == KINDS


def look_around(lab: Lab, index: int) -> None:
    """Groups of the graph close and open; it and the lines of the cell light each other up."""
    widget = lab.cell(index).locator(".npcg")
    items = widget.locator(".npcg-item")
    sine = items.filter(has_text="sin").first
    expect(sine).to_be_visible()
    many = items.count()
    widget.get_by_role("button", name="Close all").click()
    expect(items).not_to_have_count(many)
    widget.get_by_role("treeitem", expanded=False).first.click()
    expect(widget.get_by_role("treeitem", expanded=True)).not_to_have_count(0)
    widget.get_by_role("button", name="Open all").click()
    expect(items).to_have_count(many)
    sine.hover()
    lit = lab.cell(1).locator(".jp-npcompile-lit")
    expect(lit).to_have_text("    s = np.sin(x) ** 2")
    hover_line(lab, 6)
    expect(lit).to_have_count(0)
    expect(widget.locator(".npcg-item.npcg-lit")).not_to_have_count(0)


@pytest.mark.parametrize("app", get_args(App))
def test_a_session(windowed: Lab, app: App) -> None:
    lab = windowed
    name = f"session-{app}.ipynb"
    lab.page.set_viewport_size({"width": 1280, "height": 2400})  # all cells are in the page
    lab.write(name, *map(nbformat.v4.new_code_cell, [SETUP, CELL, GRAD, OPEN, WAIT]))
    lab.open(name, app)
    lab.run_cell(0)
    lab.run_cell(1)
    assert kinds(lab) == KINDS
    look_at_lines(lab)
    fix_and_undo(lab)
    lab.run_cell(2)
    gradient = lab.cell(2).get_by_role("region", name="d loss / d w")
    expect(gradient).to_be_visible()
    lab.run_cell(1)  # the graph is that of what ran last
    lab.run_cell(3)
    look_around(lab, 3)

    # Somebody waits for the compiler, and stops waiting.
    lab.start_cell(4)
    status = lab.page.locator(".jp-npcompile-status")
    expect(lab.cell(4).locator("progress")).to_be_visible()
    if app == "lab":
        expect(status).to_contain_text("NumPy on cpu · compiling 1")
        lab.screenshot("session-compiling")
        status.get_by_role("button", name="Cancel").click()
    else:
        lab.menu("Kernel", "Interrupt Kernel")
    expect(lab.cell(4).locator(".jp-OutputArea")).to_contain_text("KeyboardInterrupt")
    if app == "lab":
        expect(status).not_to_contain_text("compiling")
        expect(status).to_contain_text("cache")

    # What was shown survives an edit, the page and the kernel.
    lab.type_at(1, 6, " * 2")
    assert kinds(lab, EDITED) == EDITED
    expect(lab.cell(1).locator(".jp-npcompile-stale")).to_have_count(1)
    lab.save()
    lab.reload()
    assert kinds(lab, EDITED) == EDITED
    assert lab.text(1) == f"{CELL} * 2"
    expect(gradient).to_be_visible()
    expect(lab.cell(3).locator(".npcg-svg")).to_be_visible()
    if app == "lab":
        expect(status).to_contain_text("NumPy on cpu")
    lab.restart_kernel()
    expect(status).to_be_hidden()
    assert kinds(lab, EDITED) == EDITED
    lab.run_cell(0)
    lab.run_cell(1)
    assert kinds(lab) == KINDS
    lab.screenshot(f"session-{app}")


def test_two_notebooks(lab: Lab) -> None:
    """Each has marks, a status and fixes of its own kernel."""
    for name in ("one", "two"):
        lab.write(f"{name}.ipynb", *map(nbformat.v4.new_code_cell, [SETUP, CELL, OPEN]))
    lab.open("one.ipynb")
    lab.run_cell(0)
    lab.run_cell(1)
    assert kinds(lab) == KINDS
    lab.page.locator(".jp-DirListing-item", has_text="two.ipynb").dblclick()
    expect(lab.page.get_by_role("tab", name="two.ipynb")).to_be_visible()
    expect(lab.prompt_of(1)).to_have_text("[ ]:")
    status = lab.page.locator(".jp-npcompile-status")
    expect(status).to_be_hidden()
    lab.page.keyboard.press("Control+b")  # the side bar goes: JupyterLab draws the status bar anew
    lab.page.wait_for_timeout(500)
    expect(status).to_be_hidden()
    lab.page.keyboard.press("Control+b")
    lab.wait_for_marks(1, 0)
    lab.run_cell(0)
    expect(status).to_contain_text("NumPy on cpu")
    lab.run_cell(1)
    assert kinds(lab) == KINDS
    look_at_lines(lab)
    fix_and_undo(lab)
    lab.page.get_by_role("tab", name="one.ipynb").click()
    expect(status).to_contain_text("NumPy on cpu")
    assert kinds(lab) == KINDS
    look_at_lines(lab)
    lab.run_cell(2)
    look_around(lab, 2)


AT_PRINT = """() => {
  const node = window.getSelection()?.anchorNode;
  const line = (node?.parentElement ?? node)?.closest?.('.cm-line') ?? node?.closest?.('.cm-line');
  return line?.textContent.includes('print("step", step)') && line.closest('.jp-Cell') !== null;
}"""
