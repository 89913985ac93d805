"""A session of several processes ends, also where tests take processes with them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import CHECKOUT
from tests.support.session.processes import PATIENCE

SESSION = """
from tests.support.session.distribution import Units

def pytest_xdist_make_scheduler(config, log):
    return Units(config, log)
"""

FINE = "def test_{0}(): open('{0}', 'x').close()\n"
ENDS = "def test_{0}(): open('{0}', 'x').close(); import os; os._exit(1)\n"
"""A test that runs twice fails, for there is its file."""


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 3])
@pytest.mark.parametrize(
    "units",
    [["fe", "ff"], ["ffff", "fffe"], ["e", "e"], ["ff", "f", "fef", "ff", "eff", "f", "e"]],
    ids="-".join,
)
def test_each_test_runs_once(units: list[str], processes: int, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(SESSION)
    for k, tests in enumerate(units):
        lines = [
            (ENDS if kind == "e" else FINE).format(f"u{k}t{j}") for j, kind in enumerate(tests)
        ]
        (tmp_path / f"test_u{k}.py").write_text("".join(lines))
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(processes), "--dist", "loadfile"]
    ran = subprocess.run(
        [*command, "-p", "no:cacheprovider", "-p", "no:benchmark", f"--rootdir={tmp_path}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    ends = "".join(units).count("e")
    fine = "".join(units).count("f")
    said = f"{ends} failed, {fine} passed" if fine else f"{ends} failed in"
    assert said in ran.stdout, ran.stdout + ran.stderr
    assert len(list(tmp_path.glob("u*t*"))) == ends + fine
