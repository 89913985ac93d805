"""Writes the report beside the results, and into the repository."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.benchmarks import notebook
from tests.benchmarks.curves import draw
from tests.benchmarks.early import PICTURE, Early
from tests.benchmarks.picture import picture
from tests.benchmarks.plans import Plan, one_of_each
from tests.benchmarks.programs import load, names
from tests.benchmarks.report import Report
from tests.benchmarks.results import Results
from tests.benchmarks.rivals import Matches
from tests.benchmarks.waiting import Waits

HERE = Path(__file__).parent

GRADIENTS = "gradients.md"
"""The file with what `gradients` measured."""

DEVICES = "devices.md"
"""The section about a GPU, beside this module: such a machine is rarely at hand."""

WAITING = "waiting.json"
"""The file with first results that were measured in turns."""

RIVALS = "rivals.json"
"""The file with what was timed in turns with torch.compile."""

EARLY = "early.json"
"""The file with the first calls together."""

NOTEBOOK = "notebook.json"
"""The file with what `notebook.measure` found."""


def write(folder: Path, plan: Plan, results: Results) -> str:
    """Write ``results.md`` and ``results.svg`` beside ``results.json``; returns what to say."""
    programs = [load(name) for name in names()]
    wanted = programs if plan.every else one_of_each(programs)
    earlier = Results.read(folder / "previous.json")
    waits = Waits.read(folder / WAITING) if (folder / WAITING).exists() else None
    matches = Matches.read(folder / RIVALS) if (folder / RIVALS).exists() else None
    programs_named = tuple(p.name for p in wanted)
    report = Report(
        plan, results, programs_named, earlier if earlier.rows else None, waits, matches
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.md").write_text(report.text())
    (folder / "results.svg").write_text(picture(results))
    return f"{report.overall()}\n\n{folder / 'results.md'}"


def publish(folder: Path) -> str:
    """Copy the report to ``tests/benchmarks/RESULTS.md``, to be committed with its figures.

    Whoever copies ``results.json`` back to ``build/bench``, on the same kind of machine, goes on
    from there.

    Raises
    ------
    FileNotFoundError
        When nothing was measured yet.
    """
    shutil.copy(folder / "results.md", HERE / "RESULTS.md")
    shutil.copy(folder / "results.svg", HERE / "results.svg")
    (HERE / "results.json").write_text(short((folder / "results.json").read_text()))
    if (folder / NOTEBOOK).exists():
        publish_notebook(folder)
    if (folder / GRADIENTS).exists():
        _insert((folder / GRADIENTS).read_text())
    if (folder / EARLY).exists():
        publish_early(folder)
    if (HERE / DEVICES).exists():
        _insert((HERE / DEVICES).read_text())
    return f"wrote {HERE / 'RESULTS.md'}: commit it with results.svg and results.json"


def short(text: str) -> str:
    """The same JSON with four digits of each number, and a line for each row.

    Examples
    --------
    >>> print(short('{"schema": 1, "rows": [{"a": 0.123456}, {"a": 2}]}'))
    {"schema":1,"rows":[
    {"a":0.1235},
    {"a":2}
    ]}
    """

    def rounded(value: Any) -> Any:
        if isinstance(value, float):
            return float(f"{value:.4g}")
        if isinstance(value, dict):
            return {key: rounded(part) for key, part in value.items()}
        return [rounded(part) for part in value] if isinstance(value, list) else value

    found = rounded(json.loads(text))
    rows = [json.dumps(row, separators=(",", ":")) for row in found.pop("rows")]
    head = json.dumps({**found, "rows": 0}, separators=(",", ":")).removesuffix("0}")
    return "\n".join((f"{head}[", ",\n".join(rows), "]}"))


def publish_notebook(folder: Path) -> str:
    """Put what was measured of the first notebook into ``RESULTS.md``."""
    return f"wrote {_insert(notebook.read(folder / NOTEBOOK))}: commit it"


def publish_early(folder: Path) -> str:
    """Put the first calls together into ``RESULTS.md``, with their picture."""
    early = Early.read(folder / EARLY)
    draw(early, HERE / PICTURE)
    return f"wrote {_insert(early.section())}: commit it with {PICTURE}"


def _insert(section: str) -> Path:
    """Put a section into ``RESULTS.md``, in the place of that with its heading."""
    report = HERE / "RESULTS.md"
    report.write_text(notebook.insert(report.read_text(), section.rstrip("\n")))
    return report
