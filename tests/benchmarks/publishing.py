"""Writes the report beside the results, and into the repository."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.benchmarks import notebook
from tests.benchmarks.picture import picture
from tests.benchmarks.plans import Plan, one_of_each
from tests.benchmarks.programs import load, names
from tests.benchmarks.report import Report
from tests.benchmarks.results import Results

HERE = Path(__file__).parent

GRADIENTS = "gradients.md"
"""The file with what `gradients` measured."""

NOTEBOOK = "notebook.json"
"""The file with what `notebook.measure` found."""


def write(folder: Path, plan: Plan, results: Results) -> str:
    """Write ``results.md`` and ``results.svg`` beside ``results.json``; returns what to say."""
    programs = [load(name) for name in names()]
    wanted = programs if plan.every else one_of_each(programs)
    earlier = Results.read(folder / "previous.json")
    report = Report(plan, results, tuple(p.name for p in wanted), earlier if earlier.rows else None)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.md").write_text(report.text())
    (folder / "results.svg").write_text(picture(results))
    return f"{report.overall()}\n\n{folder / 'results.md'}"


def publish(folder: Path) -> str:
    """Copy the report to ``tests/benchmarks/RESULTS.md``, to be committed.

    Raises
    ------
    FileNotFoundError
        When nothing was measured yet.
    """
    shutil.copy(folder / "results.md", HERE / "RESULTS.md")
    shutil.copy(folder / "results.svg", HERE / "results.svg")
    if (folder / NOTEBOOK).exists():
        publish_notebook(folder)
    if (folder / GRADIENTS).exists():
        report = HERE / "RESULTS.md"
        section = (folder / GRADIENTS).read_text().rstrip("\n")
        report.write_text(notebook.insert(report.read_text(), section))
    return f"wrote {HERE / 'RESULTS.md'}: commit it with results.svg"


def publish_notebook(folder: Path) -> str:
    """Put what was measured of the first notebook into ``RESULTS.md``."""
    report = HERE / "RESULTS.md"
    report.write_text(notebook.insert(report.read_text(), notebook.read(folder / NOTEBOOK)))
    return f"wrote {report}: commit it"
