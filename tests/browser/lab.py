"""What a person does and sees in a notebook, in a browser page."""

from __future__ import annotations

import json
import re
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import nbformat
from playwright.sync_api import Error, expect

from tests.browser.chromium import SECONDS
from tests.browser.server import CHECKOUT, Server
from tests.support.session.processes import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Locator, Page, Request

App = Literal["lab", "notebook"]

MIME_TYPE = "application/vnd.jupyter-npcompile.v1+json"
# What Notebook 7.6 reports on its own pages with no extension of ours installed.
UPSTREAM_FAULTS = {
    "exception: Cannot read properties of undefined (reading 'schema')",
    "exception: Command 'filebrowser:open-path' not registered.",
}
# What JupyterLab's debugger says when a kernel is restarted while it asks it something.
UPSTREAM_WORDS = "Could not restore the debugger state"
AXE = CHECKOUT / "labextension" / "node_modules" / "axe-core" / "axe.min.js"
WINDOWING = "@jupyterlab/notebook-extension:tracker"
"""The plugin that says which cells of a notebook are in the page."""

NOT_RUN = "[ ]:"
HEARD = 10
"""Seconds in which a notebook shows that it has been told to run a cell."""

LAID_OUT = PATIENCE
"""Seconds in which an editor has measured its lines: until then their symbols stand elsewhere."""

RUN_SECONDS = PATIENCE
"""How long a cell may take, with the start of its kernel."""
SCREENSHOTS = CHECKOUT / "build" / "screenshots"


@dataclass(frozen=True)
class Mark:
    """One symbol in the gutter: its kind and what it says."""

    kind: str
    label: str


CHOOSE = """() => {
  for (const dialog of document.querySelectorAll('.jp-Dialog')) {
    if (dialog.textContent.includes('Select Kernel'))
      dialog.querySelector('button.jp-mod-accept')?.click();
  }
}"""
"""Takes the kernel that JupyterLab offers."""


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
        self._console: deque[str] = deque(maxlen=40)
        page.on("console", self._on_console)
        page.on("pageerror", self._on_exception)
        page.on("request", self._on_request)

    def write(self, name: str, *cells: nbformat.NotebookNode, **metadata: object) -> None:
        """Write a notebook of these cells for the server to open."""
        notebook = nbformat.v4.new_notebook(cells=list(cells))
        notebook.metadata["kernelspec"] = {
            "name": "python3",
            "display_name": "Python 3",
            "language": "python",
        }
        notebook.metadata.update(metadata)
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

    def text(self, index: int) -> str:
        """Return the text of a cell as its editor shows it."""
        return "\n".join(self.lines(index).all_text_contents())

    def lines(self, index: int) -> Locator:
        """Return the lines of a cell's editor."""
        return self.cell(index).locator(".cm-line")

    def _choose_kernel(self) -> None:
        """Answer what JupyterLab asks when a key comes before it has found the kernel itself."""
        # At once, for it goes away by itself when the kernel is found meanwhile.
        self.page.evaluate(CHOOSE)

    def run_cell(self, index: int, seconds: float = RUN_SECONDS) -> None:
        """Run a cell and wait until it has finished."""
        deadline = time.monotonic() + seconds

        def left() -> float:
            return max(deadline - time.monotonic(), 1.0) * SECONDS

        prompt = self.prompt_of(index)
        while time.monotonic() < deadline:
            self._choose_kernel()
            self.editor(index).click()
            # Emptied, because a new kernel may give the number that is there now.
            prompt.evaluate("prompt => { prompt.textContent = '' }")
            self.page.keyboard.press("Control+Enter")
            try:
                expect(prompt).not_to_be_empty(timeout=min(left(), HEARD * SECONDS))
            except AssertionError:
                continue  # a notebook that is just being set up hears no keys
            if self.prompt(index) != NOT_RUN:
                break
            self.page.wait_for_timeout(0.2 * SECONDS)  # the notebook has no kernel yet
        expect(prompt).to_have_text(re.compile(r"^\[\d+\]:$"), timeout=left())

    def start_cell(self, index: int) -> None:
        """Run a cell and do not wait for its end."""
        self.editor(index).click()
        self.page.keyboard.press("Control+Enter")
        expect(self.prompt_of(index)).to_have_text("[*]:")

    def menu(self, *names: str) -> None:
        """Choose an entry of the menu bar."""
        for name in names:
            self.page.get_by_role("menuitem", name=name, exact=False).first.click()

    def command(self, label: str) -> None:
        """Choose a command from the palette, which closes when something else takes the focus."""
        palette = self.page.locator(".lm-CommandPalette:visible")
        entry = palette.locator(".lm-CommandPalette-item").filter(has_text=label)
        for _ in range(4):
            self.page.keyboard.press("Control+Shift+c")
            try:
                palette.get_by_role("textbox").fill(label, timeout=15 * SECONDS)
                entry.first.click(timeout=15 * SECONDS)
            except Error:
                self.page.keyboard.press("Escape")
            else:
                return
        raise AssertionError(f"the palette does not stay open: {label}")

    def restart_kernel(self) -> None:
        """Have a new kernel in the place of the old one."""
        self.menu("Kernel", "Restart Kernel…")
        with self.page.expect_response(lambda answer: "/restart" in answer.url):
            self.page.get_by_role("dialog").get_by_role("button", name="Confirm").click()

    def prompt_of(self, index: int) -> Locator:
        """Return the prompt of a cell."""
        return self.cell(index).locator(".jp-InputPrompt")

    def prompt(self, index: int) -> str:
        """Return the prompt of a cell, ``[3]:`` when its third run is over."""
        return self.prompt_of(index).inner_text().strip()

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
        deadline = time.monotonic() + LAID_OUT
        while (found := self.cell(index).evaluate(_READ_MARKS)) is None:
            assert time.monotonic() < deadline, "marks stand beside no line"
            self.page.wait_for_timeout(0.05 * SECONDS)
        return {int(line): Mark(**mark) for line, mark in dict[Any, Any](found).items()}

    def wait_for_marks(self, index: int, count: int) -> dict[int, Mark]:
        """Wait until a cell has this many marks and return them."""
        symbols = self.cell(index).locator(".jp-npcompile-mark")
        expect(symbols).to_have_count(count, timeout=PATIENCE * SECONDS)
        return self.marks(index)

    def theme(self, name: str) -> None:
        """Have a theme, ``"JupyterLab Dark"`` for one, from the next page on."""
        self.set("@jupyterlab/apputils-extension:themes", theme=name)

    def set(self, plugin: str, **settings: object) -> None:
        """Have these settings of a plugin from the next page on."""
        address = f"{self.server.url}/lab/api/settings/{plugin}"
        answer = self.page.request.put(address, data={"raw": json.dumps(settings)})
        assert answer.ok

    def violations(self, selector: str) -> list[str]:
        """What axe-core finds wrong with a part of the page, if it matters."""
        found = self.page.evaluate(_RUN_AXE, [AXE.read_text(encoding="utf-8"), selector])
        return [f"{fault['id']}: {fault['nodes'][0]['html']}" for fault in found]

    def screenshot(self, name: str) -> None:
        """Keep a picture of the page in ``build/screenshots``."""
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")

    def account(self, name: str) -> str:
        """Tell what is to be seen now, for a test that failed, and keep a picture of it."""
        told = []
        try:
            path = SCREENSHOTS / f"failed-{re.sub(r'[^a-z0-9]+', '-', name)}.png"
            self.page.screenshot(path=path, timeout=10 * SECONDS)
            told.append(f"screenshot: {path}")
            cells = self.page.locator(".jp-Notebook:visible .jp-Cell")
            for number, text in enumerate(cells.all_inner_texts()):
                told.append(f"--- cell {number}\n{text.strip()[-1500:]}")
            told += [f"dialog: {text}" for text in self.page.locator("dialog").all_inner_texts()]
        except Error as error:
            told.append(f"the page does not answer: {error}")
        told += ["--- console", *self._console, "--- server", self.server.last_words()]
        return "\n".join(told)

    def _wait_for_cells(self) -> None:
        self.cell(0).locator(".cm-content").wait_for(timeout=PATIENCE * SECONDS)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type != "debug":  # JupyterLab's own, in masses
            self._console.append(f"{message.type}: {message.text[:500]}")
        if message.type == "error" and not message.text.startswith(UPSTREAM_WORDS):
            self.faults.append(f"console: {message.text} ({message.location.get('url')})")

    def _on_exception(self, error: Error) -> None:
        fault = f"exception: {error.message}"
        if "/notebooks/" not in self.page.url or fault not in UPSTREAM_FAULTS:
            self.faults.append(fault)

    def _on_request(self, request: Request) -> None:
        inside = (self.server.url, "data:", "blob:", self.server.url.replace("http", "ws", 1))
        if not request.url.startswith(inside):
            self.faults.append(f"request to {request.url}")


# Symbols stand beside their line, in an element of their own: pair by height. An editor places
# that element by guessed heights until it has measured its lines: null until then.
_READ_MARKS = """
cell => {
  const lines = [...cell.querySelectorAll('.cm-line')].map(line => line.getBoundingClientRect());
  const found = {};
  for (const mark of cell.querySelectorAll('.jp-npcompile-mark')) {
    const { top } = mark.parentElement.getBoundingClientRect();
    const at = lines.findIndex(line => Math.abs(line.top - top) < 2);
    if (at < 0) return null;
    const kind = [...mark.classList]
      .map(name => name.replace('jp-npcompile-', ''))
      .find(name => name !== 'mark');
    found[at + 1] = { kind, label: mark.getAttribute('aria-label') };
  }
  return found;
}
"""

_RUN_AXE = """
async ([source, selector]) => {
  if (!window.axe) window.eval(source);
  const { violations } = await window.axe.run(selector);
  return violations.filter(found => ['serious', 'critical'].includes(found.impact));
}
"""
