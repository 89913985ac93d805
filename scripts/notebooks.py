"""Makes the teaching notebooks from their sources: `make notebooks`.

Each notebook is a pair: `notebooks/NAME.py`, which is edited and whose diffs can be read, and
`notebooks/NAME.ipynb`, which is made from it: executed in a fresh kernel, with its outputs.

An exercise is a cell with the tag `exercise`, a cell with the tag `check`, and a Markdown cell
with the tag `solution` that holds code in a folded `<details>`. With `--solve` the solutions
and the checks run once more after the last cell, in the same kernel, and what cells with the
tag `times` claim of their times need not hold: that is for the machine that saves the notebook.

Without NPCOMPILE_CACHE_DIR in the environment they share a cache that is empty at first, so
that what they show about compiling is there to be seen.

usage: python scripts/notebooks.py [NAME ...] [--output FOLDER] [--solve] [--pages]
"""

from __future__ import annotations

import argparse
import base64
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import jupytext
import nbformat
from demo import ROOT, DemoError, execute, keep_static_views, render, say, shown
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

FOLDER = ROOT / "notebooks"
METADATA = {
    "jupytext": {"formats": "ipynb,py:percent"},
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CODE = re.compile(r"<details>.*?^```python\n(.*?)^```$.*?</details>", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Exercise:
    """Something to solve, what says whether it is solved, and a solution."""

    begun: str
    check: str
    solution: str


def sources() -> list[Path]:
    """The sources of all notebooks, in order."""
    return sorted(FOLDER.glob("[0-9]*.py"))


def read(source: Path) -> NotebookNode:
    """The notebook that a source describes, without outputs.

    Raises
    ------
    DemoError
        When two cells have the same name.
    """
    notebook = jupytext.read(source, fmt="py:percent")
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells):
        # A name outlives edits; without one, the place tells a cell.
        cell.id = cell.metadata.get("name", f"cell-{number:02}")
    if len({cell.id for cell in notebook.cells}) < len(notebook.cells):
        raise DemoError(f"{source.name}: two cells have the same name")
    return notebook


def exercises(notebook: NotebookNode) -> Iterator[Exercise]:
    """The exercises of a notebook, in order.

    Raises
    ------
    DemoError
        When one lacks its check or its solution.
    """
    kinds = ("exercise", "check", "solution")
    tagged = [
        (kind, cell)
        for cell in notebook.cells
        for kind in kinds
        if kind in cell.metadata.get("tags", ())
    ]
    for place in range(0, len(tagged), 3):
        three = tagged[place : place + 3]
        if tuple(kind for kind, _ in three) != kinds:
            raise DemoError(f"exercise {place // 3 + 1} is not {', '.join(kinds)} in this order")
        begun, check, solution = (cell.source for _, cell in three)
        found = CODE.search(solution)
        if found is None:
            raise DemoError(f"the solution of exercise {place // 3 + 1} holds no folded code")
        yield Exercise(begun, check, found.group(1).rstrip("\n"))


def solve(notebook: NotebookNode) -> None:
    """Add every solution and its check at the end."""
    for number, exercise in enumerate(list(exercises(notebook)), 1):
        for name, code in (("solution", exercise.solution), ("solved", exercise.check)):
            cell = new_code_cell(code, id=f"{name}-{number}")
            cell.metadata.tags = [name]
            notebook.cells.append(cell)


def tidy(notebook: NotebookNode) -> None:
    """Take away what differs between two executions without meaning anything."""
    notebook.metadata = nbformat.from_dict(METADATA)
    keep_static_views(notebook)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            output.get("metadata", {}).pop("needs_background", None)


def picture(notebook: NotebookNode) -> bytes:
    """The picture that stands for a notebook: that of the cell with the tag `picture`.

    Raises
    ------
    DemoError
        When there is none.
    """
    for cell in notebook.cells:
        if "picture" in cell.metadata.get("tags", ()):
            for output in cell.outputs:
                if "image/png" in output.get("data", {}):
                    return base64.b64decode(output.data["image/png"])
    raise DemoError("no cell with the tag `picture` shows one")


def make(source: Path, folder: Path, *, solved: bool = False, page: bool = False) -> None:
    """Execute one notebook from its source and write it, also when a cell fails.

    Raises
    ------
    DemoError
        When a cell fails, or the notebook is not what `exercises` takes.
    """
    began = perf_counter()
    say(f"executing {source.stem}")
    notebook = read(source)
    count = len(list(exercises(notebook)))
    if solved:
        solve(notebook)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{source.stem}.ipynb"
    try:
        execute(notebook, target, times=not solved)
    finally:
        tidy(notebook)
        nbformat.write(notebook, target)
        if page:
            for theme in ("light", "dark"):
                text = render(notebook, source.stem, theme=theme)
                (folder / f"{source.stem}.{theme}.html").write_text(text, encoding="utf-8")
    if folder == FOLDER:
        (FOLDER / "pictures").mkdir(exist_ok=True)
        (FOLDER / "pictures" / f"{source.stem}.png").write_bytes(picture(notebook))
    size = target.stat().st_size / 1000
    say(f"{shown(target)}: {perf_counter() - began:.0f} s, {size:.0f} kB, {count} exercises")


def main(arguments: list[str] | None = None) -> int:
    """Make the notebooks; the exit status."""
    parser = argparse.ArgumentParser(description="Make the teaching notebooks.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as 01; by default all")
    parser.add_argument("--output", type=Path, default=FOLDER, metavar="FOLDER")
    parser.add_argument("--solve", action="store_true", help="run the solutions at the end")
    parser.add_argument("--pages", action="store_true", help="write HTML in both themes")
    options = parser.parse_args(arguments)
    chosen = [
        source
        for source in sources()
        if not options.names or any(source.stem.startswith(name) for name in options.names)
    ]
    if not chosen:
        print("==> FAILED: no notebook has such a name", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="npcompile-notebooks-") as cache:
        os.environ.setdefault("NPCOMPILE_CACHE_DIR", cache)
        for source in chosen:
            try:
                make(source, options.output.resolve(), solved=options.solve, page=options.pages)
            except DemoError as error:
                print(f"==> FAILED: {error}", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
