"""A person's session, from the first run to a new kernel, in Lab and in Notebook 7."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.lab import App, Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TESTS = Path(__file__).parents[1]
# The compiler is one that waits as long as nobody cancels it.
SETUP = f"""import os
os.environ["PYTHONPATH"] += ":{TESTS}"
import numpy as np, jupyter_npcompile as npc
from jupyter_npcompile.runtime import artifacts
from jupyter_npcompile.runtime.compile_worker import CompileWorker
from jupyter_npcompile.runtime.compiled import Store
artifacts.store = Store(artifacts._load, CompileWorker("fake_build"))
%load_ext jupyter_npcompile
npc.settings.tier = "aten"
x = np.linspace(0, 1, 2_000)"""
CELL = """%%npcompile
for step in range(3):
    s = np.sin(x) ** 2
    x = 0.5 * (x + s)
    print("step", step)
total = x.sum()"""
OPEN = 'npc.settings.tier = "auto"\n%npcompile graph'
WAIT = "%%npcompile --ahead\nz = x * 1234.25"
WINDOWING = "@jupyterlab/notebook-extension:tracker"
KINDS = {2: "python", 3: "compiled", 4: "compiled", 5: "break", 6: "compiled"}


def kinds(lab: Lab) -> dict[int, str]:
    marks = lab.wait_for_marks(1, len(KINDS))
    return {line: mark.kind for line, mark in marks.items()}


@pytest.mark.parametrize("app", get_args(App))
def test_a_session(lab: Lab, app: App) -> None:
    name = f"session-{app}.ipynb"
    lab.set(WINDOWING, windowingMode="full")
    lab.write(name, *map(nbformat.v4.new_code_cell, [SETUP, CELL, OPEN, WAIT]))
    lab.open(name, app)
    for number in range(3):
        lab.run_cell(number)
    assert kinds(lab) == KINDS

    # The graph and the lines of the cell light each other up.
    widget = lab.cell(2).locator(".npcg")
    sine = widget.locator(".npcg-item", has_text="sin").first
    sine.hover()
    lit = lab.cell(1).locator(".jp-npcompile-lit")
    expect(lit).to_have_text("    s = np.sin(x) ** 2")
    lab.lines(1).nth(5).hover(position={"x": 30, "y": 8})
    expect(lit).to_have_count(0)
    expect(widget.locator(".npcg-item.npcg-lit")).not_to_have_count(0)

    # Somebody waits for the compiler, and stops waiting.
    lab.start_cell(3)
    status = lab.page.locator(".jp-npcompile-status")
    expect(lab.cell(3).locator("progress")).to_be_visible()
    if app == "lab":
        expect(status).to_contain_text("NumPy on cpu · compiling 1")
        lab.screenshot("session-compiling")
        status.get_by_role("button", name="Cancel").click()
    else:
        lab.menu("Kernel", "Interrupt Kernel")
    expect(lab.cell(3).locator(".jp-OutputArea")).to_contain_text("KeyboardInterrupt")
    if app == "lab":
        expect(status).not_to_contain_text("compiling")
        expect(status).to_contain_text("cache")

    # What was shown survives the page and the kernel.
    lab.save()
    lab.reload()
    assert kinds(lab) == KINDS
    expect(lab.cell(2).locator(".npcg-svg")).to_be_visible()
    if app == "lab":
        expect(status).to_contain_text("NumPy on cpu")
    lab.restart_kernel()
    expect(status).to_be_hidden()
    assert kinds(lab) == KINDS
    lab.run_cell(0)
    lab.run_cell(1)
    assert kinds(lab) == KINDS
    lab.screenshot(f"session-{app}")


def test_two_notebooks(lab: Lab) -> None:
    """Each has marks, a status and fixes of its own kernel."""
    for name in ("one", "two"):
        lab.write(f"{name}.ipynb", *map(nbformat.v4.new_code_cell, [SETUP, CELL]))
    lab.open("one.ipynb")
    lab.run_cell(0)
    lab.run_cell(1)
    assert kinds(lab) == KINDS
    lab.page.locator(".jp-DirListing-item", has_text="two.ipynb").dblclick()
    expect(lab.page.get_by_role("tab", name="two.ipynb")).to_be_visible()
    expect(lab.prompt_of(1)).to_have_text("[ ]:")
    status = lab.page.locator(".jp-npcompile-status")
    expect(status).to_be_hidden()
    lab.wait_for_marks(1, 0)
    lab.run_cell(0)
    expect(status).to_contain_text("NumPy on cpu")
    lab.run_cell(1)
    assert kinds(lab) == KINDS
    lab.page.get_by_role("tab", name="one.ipynb").click()
    expect(status).to_contain_text("NumPy on cpu")
    assert kinds(lab) == KINDS
