"""The teaching notebooks, the script behind `make demo`, and what README.md refers to."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from nbformat.v4 import new_code_cell, new_notebook

from tests.support import scripts
from tests.support.paths import CHECKOUT
from tests.support.session.processes import PATIENCE

NOTEBOOKS = sorted((CHECKOUT / "notebooks").glob("*.ipynb"))
PAGES = ("README.md", "CONTRIBUTING.md", "notebooks/README.md")
DOCS = tuple(sorted(str(path.relative_to(CHECKOUT)) for path in (CHECKOUT / "docs").rglob("*.md")))

COMPILED = "%%npcompile --ahead\ny = np.sqrt(x) + 1\nprint(y)\nz = y * 2"
LOADING = "import numpy as np\nx = np.arange(4.0)\n%load_ext jupyter_npcompile"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_valid_and_its_cells_parse(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            body = cell.source.removeprefix(cell.source.split("\n", 1)[0])
            text = body if cell.source.startswith("%%npcompile") else cell.source
            ast.parse(TransformerManager().transform_cell(text))


def demo(folder: Path, *sources: str) -> subprocess.CompletedProcess[str]:
    return run_demo(new_notebook(cells=[new_code_cell(source) for source in sources]), folder)


def run_demo(notebook: nbformat.NotebookNode, folder: Path) -> subprocess.CompletedProcess[str]:
    nbformat.write(notebook, folder / "tiny.ipynb")
    return subprocess.run(
        [
            sys.executable,
            CHECKOUT / "scripts/demo.py",
            folder / "tiny.ipynb",
            "--output",
            folder / "out",
        ],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=CHECKOUT,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
    )


@pytest.mark.slow
def test_demo_prints_the_summary_of_each_compiled_cell_and_writes_a_page(tmp_path: Path) -> None:
    done = demo(tmp_path, LOADING, COMPILED, "%npcompile graph")
    assert done.returncode == 0, done.stderr
    assert re.search(r"cell \[2\], \d+\.\d s: 2 of 2 lines \w+ · 1 break point", done.stdout)
    assert "executing tiny.ipynb" in done.stdout
    page = (tmp_path / "out/tiny.html").read_text(encoding="utf-8")
    assert "npcompile-report" in page
    assert not re.search(r"""(src|href)=["']https?://""", page), "the page needs the network"
    executed = nbformat.read(tmp_path / "out/tiny.ipynb", as_version=4)
    nbformat.validate(executed)
    assert executed.cells[1].execution_count == 2
    # What is saved of a widget needs no kernel.
    (opened,) = executed.cells[2].outputs
    assert sorted(opened.data) == ["text/html", "text/plain"]
    assert page.count('class="npcompile-report') == 2


@pytest.fixture(scope="module")
def script() -> Any:
    return scripts.script("demo")


def test_a_cell_that_runs_long_is_told_of(
    script: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(script, "QUIET_SECONDS", 0.01)
    shown = ""
    with script.told_of("cell [2] of 3", "\n%%npcompile\n\ny = x + 1\nz = 2"):
        while shown.count("\n") < 2:
            shown += capsys.readouterr().out
    first, second = shown.splitlines()[:2]
    assert first.startswith("    cell [2] of 3 runs for 0 s: %%npcompile; y = x + 1")
    assert second.startswith("    cell [2] of 3 runs for ")


def test_the_time_that_was_recorded_is_said(script: Any) -> None:
    for path in NOTEBOOKS:
        assert re.fullmatch(r", about \d+ s; .*", script.recorded(path))
    assert script.recorded(CHECKOUT / "mine.ipynb") == ""


@pytest.mark.slow
def test_demo_fails_with_the_cell_and_the_error(tmp_path: Path) -> None:
    done = demo(tmp_path, LOADING, "1 / 0", COMPILED)
    assert done.returncode == 1
    assert "FAILED: tiny.ipynb, cell [2]: ZeroDivisionError: division by zero" in done.stderr
    assert "Traceback" not in done.stderr
    executed = nbformat.read(tmp_path / "out/tiny.ipynb", as_version=4)
    assert executed.cells[1].outputs[0].ename == "ZeroDivisionError"


@pytest.mark.slow
def test_a_race_that_this_machine_loses_is_told_and_nothing_else_is_forgiven(
    tmp_path: Path,
) -> None:
    notebook = new_notebook(
        cells=[
            new_code_cell("fast, slow = 2, 1\nassert fast < slow", metadata={"tags": ["times"]}),
            new_code_cell("assert fast == slow, 'differ'", metadata={"tags": ["times"]}),
        ]
    )
    done = run_demo(notebook, tmp_path)
    assert "cell [1]: not so on this machine: fast < slow" in done.stdout
    assert done.returncode == 1
    assert "cell [2]: AssertionError: differ" in done.stderr
    done = run_demo(new_notebook(cells=[new_code_cell("assert 2 < 1")]), tmp_path)
    assert done.returncode == 1


@pytest.mark.slow
def test_demo_fails_when_a_compiled_cell_has_no_report(tmp_path: Path) -> None:
    done = demo(tmp_path, LOADING, "%%npcompile --quiet\ny = x + 1")
    assert done.returncode == 1
    assert "there is no report under it" in done.stderr


@pytest.mark.parametrize("name", [*PAGES, *DOCS])
def test_what_a_page_links_to_exists(name: str) -> None:
    text = (CHECKOUT / name).read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)#]+)\)", text) + re.findall(r'(?:src|href)="([^"#]+)"', text)
    folder = (CHECKOUT / name).parent
    missing = [link for link in links if "://" not in link and not (folder / link).exists()]
    assert missing == []


@pytest.mark.parametrize("name", PAGES)
def test_the_recipes_a_page_names_exist(name: str) -> None:
    text = (CHECKOUT / name).read_text(encoding="utf-8")
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    recipes = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE))
    assert named
    assert named <= recipes


def test_the_readme_begins_with_the_two_commands() -> None:
    first_screen = (CHECKOUT / "README.md").read_text(encoding="utf-8").split("\n## ", 1)[0]
    assert "make demo" in first_screen
    assert "make test" in first_screen
