"""Makes the pictures of README.md from the running product: `make pictures`.

They show the product as it is: `make demo` first, then this takes cells of
build/demo/01_first_cell.ipynb, renders them as Jupyter saves them, and photographs the
page in headless Chromium. The pictures of the editor and of the widgets are taken in a
JupyterLab that runs `CELLS`.

usage: python scripts/pictures.py
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import nbformat
from demo import FIRST, ROOT, render, say, shown
from nbformat import NotebookNode
from playwright.sync_api import Locator, Page, sync_playwright

sys.path.insert(0, str(ROOT))  # the tests know how to drive JupyterLab

from tests.browser.chromium import Chromium
from tests.browser.lab import Lab
from tests.browser.server import Server

EXECUTED = ROOT / "build" / "demo" / FIRST.name
FOLDER = ROOT / "docs"
WIDTH = 860
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

SETUP = """%load_ext jupyter_npcompile
import numpy as np
import jupyter_npcompile as npc
rng = np.random.default_rng(0)
x, scale = rng.normal(size=(2000, 300)), rng.normal(size=300)
points, target, w = rng.normal(size=(200, 12)), rng.normal(size=200), np.ones(12)"""
CELL = """%%npcompile --ahead
waves = np.sin(x) * scale
mean = waves.mean(axis=0)
for step in range(3):
    x[1:-1] += 0.1 * (x[2:] - 2 * x[1:-1] + x[:-2])
    print("step", step)
spread = np.sqrt(((waves - mean) ** 2).sum(axis=0))"""
GRADIENT = """%%npcompile --grad loss --wrt w --quiet
hidden = np.tanh(points @ w)
loss = np.mean((hidden - target) ** 2)"""
CELLS = (SETUP, CELL, "npc.wait(60)", CELL, "%npcompile timing", GRADIENT, "%npcompile grad")

OPEN = "sections => sections.forEach(section => section.open = {open})"
REPORT = ".npcompile-report > details"
SECTIONS = ".npcompile-report .npcompile-section"


def main() -> int:
    """Take every picture; the exit status."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("==> FAILED: chromium is missing: install it to take pictures", file=sys.stderr)
        return 1
    if not EXECUTED.exists():
        print(f"==> FAILED: {shown(EXECUTED)} is missing: run `make demo` first", file=sys.stderr)
        return 1
    notebook = nbformat.read(EXECUTED, as_version=4)
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": WIDTH, "height": 800}, device_scale_factor=2)
        photograph_cell(page, notebook, Path(folder))
        photograph_graph(page, notebook, Path(folder))
        browser.close()
    photograph_lab()
    return 0


def photograph_lab() -> None:
    """The marks in the editor, the kernels and the gradients, in JupyterLab."""
    chromium = Chromium.of_the_system()
    assert chromium is not None  # `main` has looked
    with tempfile.TemporaryDirectory() as folder, chromium:
        server = Server(Path(folder))
        try:
            page = chromium.page()
            page.set_viewport_size({"width": 1150, "height": 1400})
            lab = Lab(page, server)
            lab.write("pictures.ipynb", *map(nbformat.v4.new_code_cell, CELLS))
            lab.open("pictures.ipynb")
            for number in range(len(CELLS)):
                lab.run_cell(number)
            keep(lab.cell(3), "editor_marks.png")
            graph = lab.cell(4).locator(".npcg")
            keep(graph, "timing_view.png")
            graph.get_by_role("tab", name="Kernels").click()
            graph.locator(".npcg-item.npcg-operation").first.click()
            keep(graph, "graph_widget.png")
            keep(lab.cell(6).locator(".npcg"), "gradient_view.png")
        finally:
            server.stop()


def keep(part: Locator, name: str) -> None:
    """Photograph a part of JupyterLab into docs/."""
    part.scroll_into_view_if_needed()
    path = FOLDER / name
    part.screenshot(path=path)
    say(f"{shown(path)}, {path.stat().st_size / 1000:.0f} kB")


def photograph_cell(page: Page, notebook: NotebookNode, folder: Path) -> None:
    """The cell with a break point: source, marks, reason, hint, and the regions."""
    show(page, notebook, "broken", folder)
    page.eval_on_selector_all(REPORT, OPEN.format(open="true"))
    page.eval_on_selector_all(SECTIONS, OPEN.format(open="false"))
    regions = page.locator(SECTIONS, has=page.locator(".npcompile-regions"))
    regions.evaluate("section => section.open = true")
    save(page, ".jp-Cell", "first_cell.png")


def photograph_graph(page: Page, notebook: NotebookNode, folder: Path) -> None:
    """The captured graph of the loop body."""
    show(page, notebook, "compiled-again", folder)
    page.eval_on_selector_all(REPORT, OPEN.format(open="true"))
    page.add_style_tag(content=".npcompile-drawing { max-height: none !important; }")
    save(page, ".npcompile-report svg", "captured_graph.png")


def show(page: Page, notebook: NotebookNode, name: str, folder: Path) -> None:
    """Open a page that holds one cell of the notebook, as the light theme shows it."""
    cells = [cell for cell in notebook.cells if cell.id == name]
    if not cells:
        raise SystemExit(f"==> FAILED: {shown(EXECUTED)} has no cell {name!r}")
    single = nbformat.v4.new_notebook(metadata=notebook.metadata, cells=cells)
    path = folder / f"{name}.html"
    path.write_text(render(single, name, theme="light"), encoding="utf-8")
    page.goto(path.as_uri())


def save(page: Page, selector: str, name: str) -> None:
    """Photograph one element into docs/."""
    path = FOLDER / name
    page.locator(selector).first.screenshot(path=path)
    say(f"{shown(path)}, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    sys.exit(main())
