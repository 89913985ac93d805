"""What has passed for the present sources: a session that was stopped goes on from there."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.support.paths import CHECKOUT

FOLDERS = ("jupyter_npcompile", "notebooks", "scripts", "tests", "pyproject.toml")
"""What decides whether a test passes."""

Passed = frozenset[str]


def fingerprint() -> str:
    """A digest of the sources."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *FOLDERS],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    found = hashlib.sha256()
    for name in sorted(set(listed.stdout.split("\0")) - {""}):
        path = CHECKOUT / name
        if path.is_file():
            found.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def begin(path: Path) -> None:
    """Keep what has passed for these sources, for all processes of this session to read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    now = fingerprint()
    if not path.exists() or path.read_text(encoding="utf-8").partition("\n")[0] != now:
        path.write_text(now + "\n", encoding="utf-8")
    shutil.copy(path, at_the_start(path))


def at_the_start(path: Path) -> Path:
    """The file of what had passed when this session began.

    The other one grows, and a process that is started anew must collect what all have collected.
    """
    return path.with_suffix(".start")


def passed_before(path: Path) -> Passed:
    """What had passed when this session began."""
    return frozenset(at_the_start(path).read_text(encoding="utf-8").splitlines()[1:])


class Progress:
    """Writes down each test that passes, or is skipped.

    Parameters
    ----------
    path : Path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A phase of a test is over."""
        if report.failed:
            self._failed.add(report.nodeid)
        if report.when == "teardown" and report.nodeid not in self._failed:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(report.nodeid + "\n")


def left_out(items: Iterable[pytest.Item], path: Path) -> set[pytest.Item]:
    """Tests that have passed already."""
    passed = passed_before(path)
    return {item for item in items if item.nodeid in passed}
