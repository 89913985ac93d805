"""A plugin for pytest: how long each test takes, and which statements of the package it reaches."""

from __future__ import annotations

import builtins
import os
import pickle
from collections.abc import Generator, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.support.choosing.statements import FOLDER, NAME, SIZE, attach

BETWEEN = ""
"""Stands for what is reached before, between and after tests."""


class Record(NamedTuple):
    """What is known of a test.

    Parameters
    ----------
    nodeid : str
        Which.
    seconds : float
        How long it took.
    reached : numpy.ndarray
        Numbers of statements.
    """

    nodeid: str
    seconds: float
    reached: np.ndarray[Any, Any]


class Recording:
    """Writes a record for each test that a process runs.

    Parameters
    ----------
    path : Path
        Where to.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        imported = bytes(getattr(builtins, NAME))
        attach()[:] = imported  # not the bytes of the process that started this one

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Record a test."""
        self._write(BETWEEN, 0.0)
        began = perf_counter()
        try:
            return (yield)
        finally:
            self._write(item.nodeid, perf_counter() - began)

    def pytest_sessionfinish(self) -> None:
        """Record the rest."""
        self._write(BETWEEN, 0.0)
        self._file.close()

    def _write(self, nodeid: str, seconds: float) -> None:
        marks = getattr(builtins, NAME)
        reached = np.flatnonzero(np.frombuffer(marks[:], np.uint8)).astype(np.uint32)
        marks[:] = bytes(SIZE)
        pickle.dump(tuple(Record(nodeid, seconds, reached)), self._file)
        self._file.flush()


def pytest_configure(config: pytest.Config) -> None:
    """Begin to record in every process that runs tests."""
    if hasattr(config, "workerinput"):
        path = Path(os.environ[FOLDER]) / f"tests-{os.getpid()}.pickle"
        config.pluginmanager.register(Recording(path))


def records(folder: Path) -> Iterator[Record]:
    """All that was recorded."""
    for path in sorted(folder.glob("tests-*.pickle")):
        with path.open("rb") as file:
            while True:
                try:
                    yield Record(*pickle.load(file))
                except EOFError:
                    break
