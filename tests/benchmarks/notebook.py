"""The first notebook: how long its cells take, with empty caches, full ones, again, and edited.

Its code cells run in a process of their own, in IPython as in a kernel, as they
are and with their magics switched off. What only shows reports of npcompile raises
without it, and is left out of both; so is what asks for a compile itself, and waits
for it in both.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.benchmarks.machine import ROOT, describe, today
from tests.benchmarks.markdown import number, table, time
from tests.benchmarks.tools import NUMPY, OURS

NOTEBOOK = ROOT / "notebooks" / "01_first_cell.ipynb"
HEADING = "## The first notebook: cold, warm, again, and with a constant edited"
EDIT = ("values, 0)", "values, 0.0)")
"""The constant that is edited, in a helper function."""

AHEAD = "%%npcompile --ahead"
ASKS = "npc.explain"
"""What waits for the compiler, whether the magics are on or off."""

WAIT = 300.0
"""Seconds in which everything must be compiled."""

CASES = ("cold", "again", "edited", "warm")
MEANING = {
    "cold": "cold: a new kernel, empty caches",
    "again": "again: the same kernel",
    "edited": "edited: the same kernel, one constant of a helper changed",
    "warm": "warm: a new kernel, the caches of the first",
}


@dataclass(frozen=True)
class Case:
    """One execution of the notebook.

    Parameters
    ----------
    seconds : float
        What its cells took, imports and reports apart.
    numpy : float
        What they take without npcompile, in a process of its own: the better of two runs.
    compiled : float
        Seconds from its begin until nothing was being compiled any more.
    imports : float
        What its first cell took; it imports everything and loads the extension.
    """

    seconds: float
    numpy: float
    compiled: float
    imports: float


def cells() -> list[str]:
    """The code of the notebook."""
    found = json.loads(NOTEBOOK.read_text())["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]


# -- in a process of its own


def execute(codes: list[str]) -> list[float | None]:
    """Run cells one after the other; the seconds of each, None where it raises."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    taken: list[float | None] = []
    for number_, code in enumerate(codes):
        began = perf_counter()
        result = shell.run_cell(code, cell_id=f"cell-{number_}", store_history=True)
        taken.append(perf_counter() - began if result.success else None)
    return taken


def child(mode: str, rounds: list[str]) -> None:
    """Execute the notebook for each round, and print what that took."""
    import jupyter_npcompile

    found = []
    for name in rounds:
        codes = cells()
        if mode == "background":
            codes = [code.replace(AHEAD, "%%npcompile") for code in codes]
        if name == "edited":
            codes = [code.replace(*EDIT) for code in codes]
            assert codes != cells()
        began = perf_counter()
        taken = execute(codes)
        assert taken[0] is not None, "what the notebook imports is not installed"
        assert jupyter_npcompile.wait(WAIT)
        found.append({"case": name, "taken": taken, "compiled": perf_counter() - began})
    print(f"\n{json.dumps(found)}")


# -- the measuring process


def _run(mode: str, rounds: tuple[str, ...], cache: Path) -> list[dict[str, Any]]:
    environment = {
        **os.environ,
        "NPCOMPILE_CACHE_DIR": str(cache),
        "NPCOMPILE_DISABLE": "1" if mode == "numpy" else "",
        "MPLBACKEND": "Agg",
        "IPYTHONDIR": str(cache.parent / "ipython"),
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "tests.benchmarks.notebook", mode, *rounds]
    done = subprocess.run(
        command, env=environment, cwd=ROOT, check=True, capture_output=True, text=True
    )
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure() -> dict[str, dict[str, Case]]:
    """Every case, with ``--ahead`` as in the notebook, and compiled in the background."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain = [run["taken"] for run in _run("numpy", ("cold", "again"), folder / "none")]
        runs = {
            mode: [*_run(mode, CASES[:3], folder / mode), *_run(mode, CASES[3:], folder / mode)]
            for mode in ("ahead", "background")
        }
        # An assert on times may fail on a busy machine: then its cell counts nowhere.
        every = [*plain, *(run["taken"] for found in runs.values() for run in found)]
        asks = {k for k, code in enumerate(cells()) if ASKS in code}
        kept = [
            k
            for k in range(1, len(plain[0]))
            if k not in asks and all(taken[k] is not None for taken in every)
        ]
        numpy = min(sum(taken[k] for k in kept) for taken in plain)
    return {
        mode: {
            run["case"]: Case(
                sum(run["taken"][k] for k in kept), numpy, run["compiled"], run["taken"][0]
            )
            for run in found
        }
        for mode, found in runs.items()
    }


def section(
    found: dict[str, dict[str, Case]], machine: dict[str, str], day: str, load: float
) -> str:
    """What was measured, for the report."""
    rows = [
        (
            MEANING[name],
            "waits (--ahead)" if mode == "ahead" else "in the background",
            number(case.seconds / case.numpy),
            time(case.seconds - case.numpy),
            time(case.compiled),
            time(case.imports),
        )
        for mode, cases in found.items()
        for name, case in cases.items()
    ]
    numpy = next(iter(found["ahead"].values())).numpy
    facts = f"measured: {day} · {machine['processor']} · commit: {machine['commit']}"
    head = ("case", "compiling", "time / NumPy's", "besides NumPy's", "all compiled", "imports")
    return "\n\n".join(
        part
        for part in (
            HEADING,
            f"{facts} · one thread. NumPy alone takes {time(numpy)} for the cells of "
            f"`notebooks/{NOTEBOOK.name}` that need no npcompile; imports are not counted. "
            "*All compiled* is when the last compile has ended, from the begin of the notebook, "
            f"imports included. Cells that ask for a compile themselves (`{ASKS}`) wait for it "
            "with the magics switched off, too: they are left out.",
            f"In the five minutes before, the machine's load was {number(load)}."
            if load >= 0.1
            else "",
            table(head, rows),
        )
        if part
    )


def save(path: Path) -> None:
    """Measure, and keep it in a file."""
    load = os.getloadavg()[1]  # of what ran before: what is measured here begins now
    machine = describe((NUMPY, OURS))  # others need not be installed for this
    found = measure()
    cases = {mode: {k: asdict(v) for k, v in cases.items()} for mode, cases in found.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {"machine": machine, "day": today(), "load": load, "cases": cases}
    path.write_text(json.dumps(data))


def read(path: Path) -> str:
    """The section of the report, from such a file."""
    data = json.loads(path.read_text())
    cases = {
        mode: {name: Case(**case) for name, case in known.items()}
        for mode, known in data["cases"].items()
    }
    return section(cases, data["machine"], data["day"], data["load"])


def insert(report: str, text: str) -> str:
    r"""A report with a section in the place of that with its heading, or at its end.

    Examples
    --------
    >>> print(insert("# All\n\n## One\n\n1\n", f"{HEADING}\n\n2"))
    # All
    <BLANKLINE>
    ## One
    <BLANKLINE>
    1
    <BLANKLINE>
    ## The first notebook: cold, warm, again, and with a constant edited
    <BLANKLINE>
    2
    <BLANKLINE>
    """
    title, _, _ = text.partition("\n")
    before, found, after = report.partition(f"{title}\n")
    _, heading, rest = after.partition("\n## ") if found else ("", "", "")
    parts = [before.rstrip("\n"), text] + ([f"## {rest}".rstrip("\n")] if heading else [])
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    child(sys.argv[1], sys.argv[2:])
