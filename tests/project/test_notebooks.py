"""The teaching notebooks: every cell runs, every claim holds, every exercise can be solved."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import jupytext
import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode

from jupyter_npcompile.tracer.breaks import BreakKind
from tests.support.paths import CHECKOUT
from tests.support.session.processes import PATIENCE

FOLDER = CHECKOUT / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("[0-9]*.py"))
README = (FOLDER / "README.md").read_text(encoding="utf-8")

PARTS = (
    "Question",
    "Predict",
    "Run",
    "Look",
    "Break it",
    "Fix it",
    "Measure",
    "Exercises",
    "What you can do now",
)
TERMS = (
    "tracer",
    "captured graph",
    "region",
    "segment",
    "signature",
    "tier",
    "break point",
    "memory-bandwidth bound",
    "numpy level",
    "aten level",
    "kernel",
    "fusion",
    "functionalisation",
    "host step",
    "on-stack replacement",
    "native loop",
    "tape",
    "stand-in",
    "residency",
)
WORDS_A_MINUTE = 130
"""Slow reading, with a look at the code."""


def saved(name: str) -> NotebookNode:
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def markdown(notebook: NotebookNode) -> str:
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def tagged(notebook: NotebookNode, tag: str) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if tag in cell.metadata.get("tags", ())]


def printed(cell: NotebookNode) -> str:
    return "".join(output.text for output in cell.outputs if output.output_type == "stream")


def test_there_are_eight() -> None:
    assert [name[:2] for name in NAMES] == [f"{number:02}" for number in range(1, 9)]
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_saved_notebook_is_made_from_its_source(name: str) -> None:
    notebook = saved(name)
    nbformat.validate(notebook)
    source = jupytext.read(FOLDER / f"{name}.py", fmt="py:percent")
    message = f"run `make notebooks NAMES={name[:2]}` and commit both files"
    assert [(cell.cell_type, cell.source) for cell in notebook.cells] == [
        (cell.cell_type, cell.source) for cell in source.cells
    ], message
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1)), message


@pytest.mark.parametrize("name", NAMES)
def test_the_saved_notebook_shows_the_point_without_being_run(name: str) -> None:
    outputs = [output for cell in saved(name).cells for output in cell.get("outputs", ())]
    kinds = [kind for output in outputs for kind in output.get("data", {})]
    assert "image/png" in kinds
    assert not [output for output in outputs if output.output_type == "error"]
    assert (FOLDER / f"{name}.ipynb").stat().st_size < 1_500_000


@pytest.mark.parametrize("name", NAMES)
def test_it_looks_with_a_widget_and_saves_a_static_view_of_it(name: str) -> None:
    opened = [
        cell
        for cell in saved(name).cells
        if cell.cell_type == "code"
        and re.search(r"^(%npcompile (graph|grad)|GraphWidget\(.*\))$", cell.source, re.MULTILINE)
    ]
    assert opened
    for cell in opened:
        data = [output.data for output in cell.outputs if "data" in output]
        assert [sorted(one) for one in data] == [["text/html", "text/plain"]], cell.source
        assert "<svg" in data[0]["text/html"]


def test_the_first_shows_compiled_code_that_won() -> None:
    """Which on a busy machine it may not, so that the notebook does not insist on it."""
    text = "\n".join(printed(cell) for cell in saved(NAMES[0]).cells if cell.cell_type == "code")
    found = re.search(r"one step, timed in turns +([\d.]+) times", text)
    assert found is not None
    assert float(found.group(1)) > 1.2
    assert "NumPy won" not in text


def test_the_fix_of_the_third_is_found() -> None:
    (cell,) = (cell for cell in saved(NAMES[2]).cells if cell.source == "%npcompile fix")
    assert cell.outputs[0].data["text/plain"].startswith("1 fix for 1 break point")


def test_the_third_takes_and_untakes_a_hint_for_every_kind_of_break_point() -> None:
    (cell,) = (cell for cell in saved(NAMES[2]).cells if "# un-applied" in cell.source)
    kinds = set(re.findall(r"^\w+ +(\w+) +→ ", printed(cell), re.MULTILINE))
    no_break_points = {"inner", "late"}  # a note, and a line that waits for the next run
    assert kinds >= set(get_args(BreakKind)) - no_break_points


@pytest.mark.parametrize("name", NAMES)
def test_every_notebook_has_the_same_shape(name: str) -> None:
    headings = re.findall(r"^## (.+)$", markdown(saved(name)), re.MULTILINE)
    assert tuple(headings) == PARTS


@pytest.mark.parametrize("name", NAMES)
def test_reading_takes_no_more_than_a_quarter_of_an_hour(name: str) -> None:
    notebook = saved(name)
    words = len(re.findall(r"\w+", markdown(notebook)))
    lines = sum(cell.source.count("\n") + 1 for cell in notebook.cells if cell.cell_type == "code")
    assert words / WORDS_A_MINUTE + lines / 60 <= 15


def test_every_term_is_introduced_once_where_it_is_first_used() -> None:
    """In bold, and only once; a Jupyter kernel is another thing than a kernel."""
    lines = "\n".join(markdown(saved(name)) for name in NAMES).lower().splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#"))
    for term in TERMS:
        assert text.count(f"**{term}") == 1, f"{term!r} is not introduced once"
        used = re.search(rf"(?<![-\w]){term}", text)
        assert used is not None
        assert text[used.start() - 2 : used.start()] == "**", f"{term!r} is used before"


def test_the_readme_has_a_line_a_picture_and_a_time_for_each() -> None:
    for name in NAMES:
        row = next(line for line in README.splitlines() if f"({name}.ipynb)" in line)
        picture = re.search(r'src="([^"]+)"', row)
        assert picture is not None
        assert (FOLDER / picture.group(1)).is_file()
        assert re.search(r"\d+ min", row)
        assert re.search(r"\d+ s", row)


def test_the_start_without_a_checkout_is_a_cell_that_parses_and_takes_the_same_torch() -> None:
    found = re.search(r"```\n(SOURCE = .*?)```", README, re.DOTALL)
    assert found is not None
    ast.parse(TransformerManager().transform_cell(found.group(1)))
    whole = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    for torch in re.findall(r"torch==[\d.]+", found.group(1)):
        assert f"pip install {torch}\n" in whole


# -- executed


def executed(name: str, folder: Path) -> NotebookNode:
    """The notebook from a clean kernel, with its solutions at the end."""
    command = [
        sys.executable,
        CHECKOUT / "scripts/notebooks.py",
        name,
        "--solve",
        "--output",
        folder,
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=CHECKOUT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(CHECKOUT), *sys.path])},
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return nbformat.read(folder / f"{name}.ipynb", as_version=4)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_it_runs_and_its_exercises_fail_unsolved_and_pass_solved(name: str, tmp_path: Path) -> None:
    notebook = executed(name, tmp_path)
    checks, solved = tagged(notebook, "check"), tagged(notebook, "solved")
    assert len(checks) == len(solved) == 3
    for cell in checks:
        assert "✗ not yet" in printed(cell), cell.source
        assert "✓" not in printed(cell), cell.source
    for cell in solved:
        assert "✓ solved" in printed(cell), printed(cell)
        assert "✗" not in printed(cell), printed(cell)
