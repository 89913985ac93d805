"""What holds for every test."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator

import hypothesis
import pytest

# Before NumPy and torch are imported: the machines that run this are small and
# busy, and threads that wait for each other cost more than they bring.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Tests neither use nor fill the cache of the person who runs them.
if "NPCOMPILE_CACHE_DIR" not in os.environ:
    os.environ["NPCOMPILE_CACHE_DIR"] = tempfile.mkdtemp(prefix="npcompile-tests-")
    atexit.register(shutil.rmtree, os.environ["NPCOMPILE_CACHE_DIR"], ignore_errors=True)

import numpy as np

from tests import summary
from tests.processes import processes

__all__ = ["processes"]

# Time says nothing on a busy machine.
hypothesis.settings.register_profile("project", deadline=None)
hypothesis.settings.register_profile("hunt", deadline=None, max_examples=4000)
# The same examples each time: what a landing has to do with luck, it does elsewhere.
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "project")


@pytest.fixture(autouse=True)
def _error_state() -> Iterator[None]:
    """What a test says about floating-point errors ends with it."""
    before = np.geterr()
    yield
    np.seterr(**before)


def pytest_configure(config: pytest.Config) -> None:
    summary.begin()
    # Who starts something in the background has it ignore interrupts, which some tests send.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have written down."""
    for text in summary.told():
        terminalreporter.write_line(text)
