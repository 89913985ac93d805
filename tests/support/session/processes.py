"""Finds every process that a test has started, by a mark in its environment."""

from __future__ import annotations

import os
import signal
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jupyter_npcompile.graph import dot

VARIABLE = "NPCOMPILE_TEST_MARK"

PATIENCE = 1200.0
"""Seconds after which what has not happened will not, however busy the machine is.

pytest's `faulthandler_timeout` is longer: what hangs in another way is ended by that.
"""


def mark() -> str:
    """A mark that no other test has."""
    return uuid.uuid4().hex


def marked(value: str) -> dict[int, str]:
    """The processes that live, by number, with what they run."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            if f"{VARIABLE}={value}".encode() in environment and state != "Z":
                words = (folder / "cmdline").read_bytes().split(b"\0")
                found[int(folder.name)] = words[0].decode()
        except (OSError, ProcessLookupError):
            continue
    found.pop(os.getpid(), None)
    return found


def eventually(condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Whether a condition becomes true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def kill(pid: int) -> None:
    """Kill a process as a machine without memory would."""
    os.kill(pid, signal.SIGKILL)


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], dict[int, str]]]:
    """The processes that the test has started; none may be left."""
    value = mark()
    monkeypatch.setenv(VARIABLE, value)
    yield lambda: marked(value)
    dot.process.close()  # which lives as long as this process
    left = eventually(lambda: not marked(value))
    for pid in marked(value):
        kill(pid)
    assert left
