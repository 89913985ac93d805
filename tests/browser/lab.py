"""What a person does and sees in a notebook, in a browser page."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import nbformat
from playwright.sync_api import expect

from tests.browser.server import CHECKOUT, Server

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Error, Locator, Page, Request

App = Literal["lab", "notebook"]

MIME_TYPE = "application/vnd.jupyter-npcompile.v1+json"
# What Notebook 7.6 reports on its own pages with no extension of ours installed.
UPSTREAM_FAULTS = {
    "exception: Cannot read properties of undefined (reading 'schema')",
    "exception: Command 'filebrowser:open-path' not registered.",
}
NOT_RUN = "[ ]:"
SECONDS = 1000.0  # playwright counts in milliseconds


@dataclass(frozen=True)
class Mark:
    """One symbol in the gutter: its kind and what it says."""

    kind: str
    label: str


class Lab:
    """A page on JupyterLab or Notebook 7, and what went wrong on it.

    Parameters
    ----------
    page : Page
        An empty page.
    server : Server
        The server whose notebooks are opened.

    Attributes
    ----------
    faults : list of str
        Console errors, uncaught exceptions and requests to other machines.
    """

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.server = server
        self.faults: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", self._on_exception)
        page.on("request", self._on_request)

    def write(self, name: str, *cells: nbformat.NotebookNode) -> None:
        """Write a notebook of these cells for the server to open."""
        notebook = nbformat.v4.new_notebook(cells=list(cells))
        notebook.metadata["kernelspec"] = {
            "name": "python3",
            "display_name": "Python 3",
            "language": "python",
        }
        nbformat.write(notebook, self.server.root / name)

    def saved(self, name: str) -> nbformat.NotebookNode:
        """Return the notebook as it is on disk."""
        return nbformat.read(self.server.root / name, as_version=4)

    def open(self, name: str, app: App = "lab") -> None:
        """Open a notebook and wait until its cells are there."""
        path = f"/lab/tree/{name}?reset" if app == "lab" else f"/notebooks/{name}"
        self.page.goto(self.server.url + path)
        self._wait_for_cells()

    def reload(self) -> None:
        """Reload the page; the kernel stays."""
        self.page.reload()
        self._wait_for_cells()

    def cell(self, index: int) -> Locator:
        """Return one cell of the notebook in front, counted from 0."""
        cells = self.page.locator(".jp-Notebook:visible .jp-Cell")
        return cells.nth(index)

    def editor(self, index: int) -> Locator:
        """Return the editable text of a cell."""
        return self.cell(index).locator(".cm-content")

    def lines(self, index: int) -> Locator:
        """Return the lines of a cell's editor."""
        return self.cell(index).locator(".cm-line")

    def run_cell(self, index: int, seconds: float = 120.0) -> None:
        """Run a cell and wait until it has finished."""
        prompt = self.cell(index).locator(".jp-InputPrompt")
        self.editor(index).click()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            # Emptied, because a new kernel may give the number that is there now.
            prompt.evaluate("prompt => { prompt.textContent = '' }")
            self.page.keyboard.press("Control+Enter")
            expect(prompt).not_to_be_empty(timeout=seconds * SECONDS)
            if self.prompt(index) != NOT_RUN:
                break
            self.page.wait_for_timeout(0.2 * SECONDS)  # the notebook has no kernel yet
        expect(prompt).to_have_text(re.compile(r"^\[\d+\]:$"), timeout=seconds * SECONDS)

    def prompt(self, index: int) -> str:
        """Return the prompt of a cell, ``[3]:`` when its third run is over."""
        return self.cell(index).locator(".jp-InputPrompt").inner_text().strip()

    def type_at(self, index: int, line: int, text: str) -> None:
        """Type at the end of a line (1-based) of a cell."""
        self.lines(index).nth(line - 1).click()
        self.page.keyboard.press("End")
        self.page.keyboard.type(text)

    def save(self) -> None:
        """Save the notebook and wait until it is on disk."""
        with self.page.expect_response(
            lambda answer: answer.request.method == "PUT" and "/api/contents/" in answer.url
        ):
            self.page.keyboard.press("Control+s")

    def marks(self, index: int) -> dict[int, Mark]:
        """Return the marks beside a cell: line number (1-based) to mark."""
        found: dict[int, Mark] = self.cell(index).evaluate(_READ_MARKS)
        return {int(line): Mark(**mark) for line, mark in dict[Any, Any](found).items()}

    def wait_for_marks(self, index: int, count: int) -> dict[int, Mark]:
        """Wait until a cell has this many marks and return them."""
        symbols = self.cell(index).locator(".jp-npcompile-mark")
        expect(symbols).to_have_count(count, timeout=20 * SECONDS)
        return self.marks(index)

    def screenshot(self, name: str) -> None:
        """Keep a picture of the page in ``build/screenshots``."""
        self.page.screenshot(path=CHECKOUT / "build" / "screenshots" / f"{name}.png")

    def _wait_for_cells(self) -> None:
        self.cell(0).locator(".cm-content").wait_for(timeout=60 * SECONDS)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.faults.append(f"console: {message.text} ({message.location.get('url')})")

    def _on_exception(self, error: Error) -> None:
        fault = f"exception: {error.message}"
        if "/notebooks/" not in self.page.url or fault not in UPSTREAM_FAULTS:
            self.faults.append(fault)

    def _on_request(self, request: Request) -> None:
        inside = (self.server.url, "data:", "blob:", self.server.url.replace("http", "ws", 1))
        if not request.url.startswith(inside):
            self.faults.append(f"request to {request.url}")


# Symbols stand beside their line, in an element of their own: pair by height.
_READ_MARKS = """
cell => Object.fromEntries(
  [...cell.querySelectorAll('.jp-npcompile-mark')].map(mark => {
    const middle = mark.parentElement.getBoundingClientRect().top + 2;
    const lines = [...cell.querySelectorAll('.cm-line')];
    const at = lines.findIndex(line => {
      const box = line.getBoundingClientRect();
      return box.top <= middle && middle < box.bottom;
    });
    const kind = [...mark.classList]
      .map(name => name.replace('jp-npcompile-', ''))
      .find(name => name !== 'mark');
    return [at + 1, { kind, label: mark.getAttribute('aria-label') }];
  })
)
"""
