"""What `docs/linters.md` says of linters that read notebooks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tests.support.paths import CHECKOUT


def complaints(folder: Path, first: str) -> list[str]:
    """What ruff says of names, in a notebook whose first cells are given."""
    notebook = nbformat.v4.new_notebook()
    texts = [*first.split("\n\n"), "print(y.sum())"]
    notebook.cells = [nbformat.v4.new_code_cell(text) for text in texts]
    notebook.metadata["kernelspec"] = {
        "display_name": "Python 3", "language": "python", "name": "python3"
    }  # fmt: skip
    path = folder / "notebook.ipynb"
    nbformat.write(notebook, path)
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select=F", str(path)]
    done = subprocess.run(
        [*command, "--output-format=concise"], capture_output=True, text=True, check=False
    )
    return [line.split(": ", 1)[1] for line in done.stdout.splitlines() if ".ipynb:" in line]


def test_the_recipe_for_all_tools(tmp_path: Path) -> None:
    cells = "%load_ext jupyter_npcompile\n%npcompile on\n\nimport numpy as np\ny = np.ones(3)"
    assert complaints(tmp_path, cells) == []


@pytest.mark.parametrize("magic", ["%%npcompile", "%%npcompile --device cpu"])
def test_what_the_recipe_is_for(tmp_path: Path, magic: str) -> None:
    """Once ruff knows about other magics, or can be told, the page can be shorter."""
    (said,) = complaints(tmp_path, f"{magic}\nimport numpy as np\ny = np.ones(3)")
    assert "F821" in said
    assert "ruff 0.17" in (CHECKOUT / "docs/linters.md").read_text()
