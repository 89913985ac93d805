"""A plugin of pytest that runs every test as it is, and then compiled, some times.

A test that passes as it is has to pass compiled: a test suite that knows nothing
of this package becomes one of its own. The functions of the test file that a test
reaches are compiled, too.

It takes part when it is named (``-p tests.support.suite.suite_plugin``) and the variable
``NPCOMPILE_SUITE`` holds what `Wish` has, as JSON. What has happened goes to a file,
a line for each test, and one before it, for a crash ends the process.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import os
import random
import re
import signal
import sys
import traceback
import types
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from _pytest.runner import runtestprotocol

import jupyter_npcompile
from jupyter_npcompile.runtime.check import DifferenceError
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.selector import thresholds
from tests.support.suite.compiled_places import Place, in_place, reached

VARIABLE = "NPCOMPILE_SUITE"

LONGEST = 2.0
"""Seconds as it is after which a test is not compiled: it shows nothing that others do not."""

AGAIN = 4
"""Tests of one function (its parameters) that share compiled code; then it is made anew."""

FAULTS = re.compile(r"internal error|tracing failed|running failed|compiling failed")
"""Notes that speak of our own mistakes."""

ADDRESS = re.compile(r"0x[0-9a-fA-F]+")

TEXT = 3000
"""Characters of a failure that are kept."""


@dataclasses.dataclass
class Wish:
    """What is asked of the plugin.

    Parameters
    ----------
    results : str
        The file for the results.
    tier : str
        How regions run.
    rounds : int
        How often each test runs compiled.
    seconds : float
        How long one run may take; what takes longer hangs.
    most : int
        Of how many parameters of one function at most, in equal steps.
    without : list of str
        Tests that are left out, with all their parameters or some.
    seed : int or None
        Draws the order in which tests run; by default that of their files.
    count : int
        How many tests run at most.
    """

    results: str
    tier: str = "aten"
    rounds: int = 3
    seconds: float = 600.0
    most: int = 10_000
    without: list[str] = dataclasses.field(default_factory=list)
    seed: int | None = None
    count: int = 1_000_000


class LateError(BaseException):
    """A test has taken too long."""


@dataclasses.dataclass
class Round:
    """One run of a test.

    Parameters
    ----------
    outcome : str
        ``passed``, ``failed``, ``skipped`` or ``xfailed``.
    text : str
        Why.
    output : str
        What it has printed.
    seconds : float
    """

    outcome: str
    text: str
    output: str
    seconds: float


def pytest_configure(config: pytest.Config) -> None:
    if VARIABLE in os.environ:
        plugin = Plugin(Wish(**json.loads(os.environ[VARIABLE])))
        config.pluginmanager.register(plugin, "npcompile-suite")


class Plugin:
    """Runs tests both ways and writes down what differs.

    Parameters
    ----------
    wish : Wish
    """

    def __init__(self, wish: Wish) -> None:
        self.wish = wish
        importlib.import_module("torch")  # takes seconds, which no test shall have to wait for
        self._known: dict[str, tuple[int, list[Place]]] = {}
        self._differences: list[str] = []
        _listen(self._differences)
        thresholds.AT_ONCE = 1e6
        signal.signal(signal.SIGALRM, _late)

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Leave out what is not asked for."""
        without = set(self.wish.without)
        families: dict[str, list[pytest.Item]] = {}
        for item in items:
            families.setdefault(name_of(item).partition("[")[0], []).append(item)
        kept = {
            item
            for family in families.values()
            for item in family[:: -(-len(family) // self.wish.most)]
            if without.isdisjoint((name_of(item), name_of(item).partition("[")[0]))
        }
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = [item for item in items if item in kept]
        if self.wish.seed is not None:
            random.Random(self.wish.seed).shuffle(items)
        del items[self.wish.count :]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run a test: as it is, and compiled."""
        self._write({"begun": name_of(item)})
        self._write(self._judged(item, nextitem))
        return True

    def pytest_report_teststatus(self) -> tuple[str, str, str]:
        """Say nothing."""
        return "", "", ""

    def _write(self, line: dict[str, Any]) -> None:
        with Path(self.wish.results).open("a") as file:
            file.write(json.dumps(line) + "\n")

    def _judged(self, item: pytest.Item, nextitem: pytest.Item | None) -> dict[str, Any]:
        plain = self._run(item, nextitem)
        said: dict[str, Any] = {
            "name": name_of(item),
            "plain": plain.outcome,
            "seconds": plain.seconds,
            "compiled": [],
            "faults": [],
        }
        if plain.outcome not in ("passed", "xfailed"):
            said["text"] = plain.text
            return said
        if plain.seconds > LONGEST:
            return said
        places = self._places(item)
        said["functions"] = sum(place.compiled is not None for place in places)
        before = jupyter_npcompile.stats()
        self._differences.clear()
        with in_place(places), self._forced():
            rounds = [self._run(item, nextitem) for _ in range(self.wish.rounds)]
        after = jupyter_npcompile.stats()
        said["counts"] = {name: after[name] - before[name] for name in after}
        said["compiled"] = [dataclasses.asdict(round) for round in rounds]
        said["faults"] = _faults(places)
        said["differences"] = self._differences[:5]
        if any(round.outcome != plain.outcome for round in rounds):
            # It may depend on what ran before it, or on luck.
            said["again"] = dataclasses.asdict(self._run(item, nextitem))
        said["printed"] = plain.output
        return said

    @contextlib.contextmanager
    def _forced(self) -> Iterator[None]:
        settings = jupyter_npcompile.settings
        settings.tier, settings.first_run_check = self.wish.tier, "raise"  # type: ignore[assignment]
        try:
            yield
        finally:
            settings.tier = "numpy"

    def _run(self, item: pytest.Item, nextitem: pytest.Item | None) -> Round:
        vars(item).pop("_instance", None)
        vars(item).pop("_obj", None)
        item._report_sections.clear()
        np.random.seed(1234)
        random.seed(1234)
        error_state = np.geterr()
        began = perf_counter()
        signal.setitimer(signal.ITIMER_REAL, self.wish.seconds)
        try:
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
        except LateError:
            return Round("failed", "it hangs\n" + traceback.format_exc()[-TEXT:], "", 0.0)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            np.seterr(**error_state)
        seconds = perf_counter() - began
        output = ADDRESS.sub("0x", "".join(report.capstdout for report in reports[-1:]))
        for report in reports:
            if report.outcome != "passed":
                outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
                return Round(outcome, report.longreprtext[-TEXT:], output, seconds)
        return Round("passed", "", output, seconds)

    def _places(self, item: pytest.Item) -> list[Place]:
        key = name_of(item).partition("[")[0]
        count, places = self._known.get(key, (0, []))
        if count % AGAIN == 0:
            function: Any = item
            module = sys.modules[function.obj.__module__]
            places = reached(module, function.originalname, function.cls)
        self._known[key] = count + 1, places
        return places


def name_of(item: pytest.Item) -> str:
    """A test's name, with its file."""
    return item.nodeid


def _late(number: int, frame: types.FrameType | None) -> None:
    raise LateError


def _listen(heard: list[str]) -> None:
    """Hear of every difference, also of those that a test takes for an error of its own."""
    plain = DifferenceError.__init__

    def hear(self: DifferenceError, *args: Any) -> None:
        heard.append(str(args[0]) if args else "")
        plain(self, *args)

    DifferenceError.__init__ = hear  # type: ignore[method-assign]


def _faults(places: list[Place]) -> list[str]:
    found = []
    for place in places:
        handle = handle_of(place.compiled)
        for state in getattr(handle, "states", ()):
            notes = [*state.closed.values(), *(plan.note for plan in state.every_plan())]
            found += [f"{place.name}: {note}" for note in notes if FAULTS.search(note)]
    return sorted(set(found))
