"""A session of several processes ends, also where tests take processes with them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.paths import CHECKOUT
from tests.support.session import progress
from tests.support.session.processes import PATIENCE
from tests.support.session.selection import FILE, STALE, is_chosen, unknown

SESSION = """
from tests.support.session.distribution import Units

def pytest_xdist_make_scheduler(config, log):
    return Units(config, log)
"""

FINE = "def test_{0}(): open('{0}', 'x').close()\n"
ENDS = "def test_{0}(): open('{0}', 'x').close(); import os; os._exit(1)\n"
"""A test that runs twice fails, for there is its file."""


def session(folder: Path, processes: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(processes), "--dist", "loadfile"]
    return subprocess.run(
        [*command, "-p", "no:cacheprovider", "-p", "no:benchmark", f"--rootdir={folder}"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


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
    ran = session(tmp_path, processes)
    ends = "".join(units).count("e")
    fine = "".join(units).count("f")
    said = f"{ends} failed, {fine} passed" if fine else f"{ends} failed in"
    assert said in ran.stdout, ran.stdout + ran.stderr
    assert len(list(tmp_path.glob("u*t*"))) == ends + fine


LIMITED = """
import time

from tests.support.session.distribution import Units

def pytest_xdist_make_scheduler(config, log):
    return Units(config, log, minutes=1e-6)
"""


@pytest.mark.slow
def test_after_its_time_nothing_is_begun(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(LIMITED)
    for number in range(9):
        (tmp_path / f"test_u{number}.py").write_text(FINE.format(f"u{number}t"))
    ran = session(tmp_path, 1)
    assert ran.returncode in (0, 5), ran.stdout + ran.stderr
    assert "failed" not in ran.stdout
    assert len(list(tmp_path.glob("u*t"))) < 9


def test_parts_of_the_suite_are_all_of_it() -> None:
    chosen = {"a.py": {"test_b": ["x"], "test_slow": []}}
    names = ["a.py::test_b[x]", "a.py::test_b[y]", "a.py::test_slow", "a.py::test_new", "c.py::d"]
    assert [name for name in names if is_chosen(name, chosen)] == [names[0], *names[3:]]
    assert unknown(names, chosen) == []
    assert unknown(names[2:], chosen) == ["a.py::test_b[x]"]
    assert unknown(names[:2], chosen) == ["a.py::test_slow[]"]


def test_what_is_chosen_exists(pytestconfig: pytest.Config) -> None:
    if np.lib.NumpyVersion(np.__version__) < "2.4.0":
        pytest.skip("it was chosen with a NumPy that has more functions")
    stale = pytestconfig.stash.get(STALE, [])
    assert stale == [], f"{FILE.name} names what does not exist"


def test_what_has_passed_is_left_out_until_the_sources_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "fingerprint", lambda: "one")
    path = tmp_path / "build" / "passed.txt"
    progress.begin(path)
    writer = progress.Progress(path)
    for nodeid, outcome in (("a", "passed"), ("b", "failed"), ("c", "skipped")):
        for when in ("setup", "call", "teardown"):
            result = outcome if when == "call" else "passed"
            writer.pytest_runtest_logreport(
                pytest.TestReport(nodeid, ("", 0, ""), {}, result, None, when)  # type: ignore[arg-type]
            )
    assert progress.passed_before(path) == frozenset()
    progress.begin(path)
    assert progress.passed_before(path) == {"a", "c"}
    monkeypatch.setattr(progress, "fingerprint", lambda: "another")
    progress.begin(path)
    assert progress.passed_before(path) == frozenset()


def test_sources_have_a_fingerprint() -> None:
    assert progress.fingerprint() == progress.fingerprint()
