"""Runs files of NumPy's own test suite as they are and compiled, in processes of their own.

The files are copied first: what stands in an installed package is a library to us, not
somebody's own code. A process that dies or hangs has told which test it was running; another
one goes on behind it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tests.support.paths import CHECKOUT
from tests.support.session.processes import PATIENCE
from tests.support.suite.suite_plugin import VARIABLE
from tests.support.suite.suite_sources import hoisted

NUMPY = Path(np.__file__).parent

CONFIGURATION = """[pytest]
filterwarnings =
    error
    ignore:the matrix subclass is not
    ignore:Importing from numpy.matlib is
    ignore:Passing a non-Collection iterable
addopts = --import-mode=importlib --assert=plain --tb=short -q -p no:cacheprovider
"""
"""What NumPy's own configuration says, which the wheel does not have."""

CRASHES = 5
"""Processes that may die in a run."""


@dataclass
class Verdict:
    """What became of one test.

    Parameters
    ----------
    name : str
        With its file.
    said : dict
        What the plugin wrote, see `suite_plugin.Plugin`; empty where the process died.
    """

    name: str
    said: dict[str, Any] = field(default_factory=dict)

    @property
    def is_compared(self) -> bool:
        """Whether it ran both ways."""
        return not self.said or bool(self.said["compiled"])

    @property
    def problems(self) -> list[str]:
        """In what the compiled runs differ from the plain one."""
        if not self.said:
            return ["the process died or hung"]
        found = [f"difference: {text}" for text in self.said.get("differences", ())]
        found += [f"fault: {text}" for text in self.said["faults"]]
        again = self.said.get("again", {}).get("outcome", self.said["plain"])
        if again != self.said["plain"]:
            return found  # it does not pass twice as it is
        for number, made in enumerate(self.said["compiled"], 1):
            if made["outcome"] != self.said["plain"]:
                found.append(f"run {number} {made['outcome']}: {made['text']}")
            elif made["output"] != self.said["printed"]:
                found.append(f"run {number} printed {made['output'][-300:]!r}")
        return found


def copied(folder: Path, files: Collection[str] = ()) -> Path:
    """Copy NumPy's tests to a folder.

    Parameters
    ----------
    folder : Path
        Where they go: there ``of_lib/test_io.py`` is that of ``numpy.lib``.
    files : collection of str
        Those that get names for what their assertions look at; by default all.
    """
    shutil.copy(NUMPY / "conftest.py", folder / "conftest.py")
    (folder / "pytest.ini").write_text(CONFIGURATION)
    for tests in NUMPY.rglob("tests"):
        if tests.is_dir():
            name = "_".join(tests.relative_to(NUMPY).parts[:-1]) or "numpy"
            ignored = shutil.ignore_patterns("__init__.py", "__pycache__")
            shutil.copytree(tests, folder / f"of_{name}", ignore=ignored)
    for file in files or every_file(folder):
        path = folder / file
        path.write_text(hoisted(path.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


def run(
    folder: Path,
    files: Sequence[str],
    without: Collection[str] = (),
    limit: float = PATIENCE,
    **wishes: Any,
) -> Iterator[Verdict]:
    """Run the tests of some files.

    Parameters
    ----------
    folder : Path
        What `copied` has made.
    files : sequence of str
        Files in it, or single tests.
    without : collection of str
        Tests that are left out.
    limit : float
        How long a process may take.
    **wishes
        See `suite_plugin.Wish`.
    """
    results = Path(tempfile.mkstemp(suffix=".jsonl", dir=folder)[1])
    done = set(without)
    for _ in range(CRASHES):
        results.write_text("")
        wish = {"results": str(results), "without": sorted(done), **wishes}
        output, ended = _process(folder, files, wish, limit)
        begun = None
        for line in map(json.loads, results.read_text().splitlines()):
            if "begun" in line:
                begun = line["begun"]
                done.add(begun)
            else:
                begun = None
                done.add(line["name"])
                yield Verdict(line["name"], line)
        if begun is None and not ended:
            raise RuntimeError(f"{files}: {output[-2000:]}")
        if begun is None:
            return
        yield Verdict(begun)


def _process(
    folder: Path, files: Sequence[str], wish: dict[str, Any], seconds: float
) -> tuple[str, bool]:
    environment = {key: value for key, value in os.environ.items() if "PYTEST" not in key}
    environment |= {
        "PYTHONPATH": str(CHECKOUT),
        "OMP_NUM_THREADS": "1",
        "NPY_AVAILABLE_MEM": "1 GB",
        VARIABLE: json.dumps(wish),
    }
    command = [sys.executable, "-m", "pytest", "-c", str(folder / "pytest.ini"), "-m", "not slow"]
    command += ["--rootdir", str(folder), "-p", "tests.support.suite.suite_plugin", *files]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return str(error.stdout), False
    return done.stdout, done.returncode in (0, 1, 5)


def every_file(folder: Path) -> Sequence[str]:
    """The files that `copied` has made."""
    return sorted(str(path.relative_to(folder)) for path in folder.glob("of_*/test_*.py"))
