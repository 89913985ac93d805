"""Makes the pictures of README.md from the executed first notebook: `make pictures`.

They show the product as it is: `make demo` first, then this takes cells of
build/demo/01_first_cell.ipynb, renders them as Jupyter saves them, and photographs the
page in headless Chromium.

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
from playwright.sync_api import Page, sync_playwright

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
    return 0


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
