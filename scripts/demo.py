"""Runs the teaching notebooks headlessly: `make demo`.

Each notebook is executed in a fresh kernel of this interpreter, cell by cell. For every
compiled cell its summary line is printed, as it is saved in the notebook. The executed
notebook and a page of it go to build/demo.

usage: python scripts/demo.py [NOTEBOOK ...] [--output FOLDER]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbconvert import HTMLExporter
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
FIRST = ROOT / "notebooks" / "01_first_cell.ipynb"
REPORT = "application/vnd.jupyter-npcompile.v1+json"
WIDGET = "application/vnd.jupyter.widget-view+json"
ANSI = re.compile(r"\x1b\[[0-9;]*m")
CELL_SECONDS = 1200
"""A cell that takes longer is a failure, however busy the machine is."""

QUIET_SECONDS = 5.0
"""After which a cell that still runs is told of, and told of again."""


class DemoError(Exception):
    """A notebook that did not run to its end; the message is for the person at the terminal."""


def main(arguments: list[str] | None = None) -> int:
    """Execute the notebooks and say what came of them; the exit status."""
    parser = argparse.ArgumentParser(description="Execute the teaching notebooks.")
    parser.add_argument("notebooks", nargs="*", type=Path, metavar="NOTEBOOK", default=[FIRST])
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "demo", metavar="FOLDER")
    options = parser.parse_args(arguments)
    for path in options.notebooks:
        try:
            demonstrate(path, options.output)
        except DemoError as error:
            print(f"==> FAILED: {error}", file=sys.stderr)
            return 1
    return 0


def demonstrate(path: Path, output: Path) -> None:
    """Execute one notebook and write what came of it.

    Raises
    ------
    DemoError
        When a cell raises, takes too long, or loses its kernel. What ran is written first.
    """
    began = perf_counter()
    notebook = nbformat.read(path, as_version=4)
    number = sum(cell.cell_type == "code" for cell in notebook.cells)
    say(f"executing {path.name}: {number} cells{recorded(path)}")
    output.mkdir(parents=True, exist_ok=True)
    executed = output / path.name
    try:
        execute(notebook, path)
    finally:
        keep_static_views(notebook)
        nbformat.write(notebook, executed)
    say("writing the page")
    page = executed.with_suffix(".html")
    page.write_text(render(notebook, path.stem), encoding="utf-8")
    say(f"done in {perf_counter() - began:.0f} s; open {shown(page)} in a browser")
    say(f"the executed notebook is {shown(executed)}")


def recorded(path: Path) -> str:
    """How long a notebook takes, by the row of notebooks/README.md, which has what was recorded."""
    page = ROOT / "notebooks" / "README.md"
    row = rf"\]\({re.escape(path.name)}\).*\| (\d+ s) \|$"
    found = re.search(row, page.read_text(encoding="utf-8"), re.MULTILINE)
    return f", about {found[1]}; two to three times that on a busy machine" if found else ""


def execute(notebook: NotebookNode, path: Path, *, times: bool = False) -> None:
    """Run every code cell in a fresh kernel; print a line for each compiled cell.

    Parameters
    ----------
    notebook : NotebookNode
        Gets the outputs.
    path : Path
        Its file; the kernel starts in the folder.
    times : bool
        Whether what cells with the tag `times` claim of their times must hold: on a machine
        that is slow or busy it may not, and that is said.

    Raises
    ------
    DemoError
        When a cell fails, takes too long, or loses its kernel.
    """
    # Somebody waits for the compilers, which otherwise take what other processes leave.
    os.environ.setdefault("NPCOMPILE_NICENESS", "0")
    # No folders to look in: the only kernel is the one of this interpreter.
    kernel = AsyncKernelManager(kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))
    client = NotebookClient(
        notebook,
        km=kernel,
        timeout=CELL_SECONDS,
        coalesce_streams=True,  # otherwise a page breaks a line where the kernel flushed it
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(path.parent)}},
    )
    number = 0
    cells = sum(cell.cell_type == "code" for cell in notebook.cells)
    try:
        with client.setup_kernel():
            for index, cell in enumerate(notebook.cells):
                if cell.cell_type != "code":
                    continue
                number += 1
                began = perf_counter()
                try:
                    with told_of(f"cell [{number}] of {cells}", cell.source):
                        client.execute_cell(cell, index, execution_count=number)
                except CellExecutionError:
                    claim = "" if times else claim_of_times(cell)
                    if not claim:
                        raise
                    say(f"cell [{number}]: not so on this machine: {claim}")
                announce(number, cell, perf_counter() - began)
    except CellExecutionError as error:
        raise DemoError(f"{path.name}, cell [{number}]: {error.ename}: {error.evalue}") from error
    except CellTimeoutError as error:
        raise DemoError(f"{path.name}, cell [{number}] took over {CELL_SECONDS} s") from error
    except DeadKernelError as error:
        raise DemoError(f"{path.name}, cell [{number}]: the kernel died") from error


@contextlib.contextmanager
def told_of(name: str, source: str) -> Iterator[None]:
    """Tell every few seconds that a cell still runs; a terminal shows one line that changes."""
    over, began = threading.Event(), perf_counter()
    ends = "\r" if sys.stdout.isatty() else "\n"

    def tell() -> None:
        while not over.wait(QUIET_SECONDS):
            line = f"    {name} runs for {perf_counter() - began:.0f} s: {first_line(source)}"
            print(line, end=ends, flush=True)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()
        if ends == "\r" and perf_counter() - began > QUIET_SECONDS:
            print("\r\x1b[K", end="", flush=True)


def first_line(source: str) -> str:
    r"""What a person knows a cell by.

    Examples
    --------
    >>> first_line("%%npcompile --ahead\ncentres = start\n")
    '%%npcompile --ahead; centres = start'
    """
    lines = [line.strip() for line in source.split("\n") if line.strip()]
    return "; ".join(lines[: 2 if lines[0].startswith("%%") else 1])[:60] if lines else ""


def claim_of_times(cell: NotebookNode) -> str:
    """The comparison of times with which a cell ended, where it claims any; otherwise nothing."""
    errors = [output for output in cell.outputs if output.output_type == "error"]
    if "times" not in cell.metadata.get("tags", ()) or errors[-1].ename != "AssertionError":
        return ""
    text = ANSI.sub("", "\n".join(errors[-1].traceback))
    found = re.findall(r"^-+> *\d+ assert (.*[<>].*)$", text, re.MULTILINE)
    return found[0] if len(found) == 1 else ""


def announce(number: int, cell: NotebookNode, seconds: float) -> None:
    """Print the summary line of a compiled cell, from its saved output."""
    reports = [o.data[REPORT] for o in cell.outputs if REPORT in o.get("data", {})]
    for report in reports:
        print(f"    cell [{number}], {seconds:.1f} s: {report['summary']}", flush=True)
    options = cell.source.partition("\n")[0].split()
    shows_report = "%%npcompile" in options and not {"--check", "--grad"} & set(options)
    if shows_report and not reports:
        raise DemoError(f"cell [{number}] is compiled, but there is no report under it")


def keep_static_views(notebook: NotebookNode) -> None:
    """Take the live form of every widget away: without its kernel it shows an error.

    What it carries besides, as HTML and text, is shown in its place.
    """
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if len(data) > 1:
                data.pop(WIDGET, None)


def render(notebook: NotebookNode, title: str, **settings: Any) -> str:
    """The notebook as one page that needs nothing from the network."""
    exporter = HTMLExporter(**settings)
    for url in ("mathjax_url", "require_js_url", "jquery_url", "widget_renderer_url"):
        setattr(exporter, url, "")
    page, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": title}})
    return page


def shown(path: Path) -> Path:
    """The path as a person types it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def say(line: str) -> None:
    """Print the line for a step."""
    print(f"==> {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
