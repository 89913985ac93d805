"""Which tests the processes of a session run, and in which order."""

from __future__ import annotations

import contextlib
import math
import time
import zlib
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

BROWSER = "tests/browser/"

FIRST = (
    "tests/project/test_notebooks.py",
    "tests/same/test_corpus_inductor.py",
    "tests/autodiff/programs/test_calls.py",
    BROWSER,
    *(f"tests/tracer/lowering/test_{name}.py" for name in ("inductor", "random")),
    "tests/runtime/survival/test_leaks.py",
    "tests/runtime/compile/test_sizes.py",
    "tests/runtime/dispatch/test_whole_function.py",
    "tests/loops/language/test_semantics.py",
    "tests/loops/test_random.py",
    "tests/loops/fusion/test_fusing.py",
    "tests/same/test_corpus.py",
    "tests/tracer/test_floating.py",
    "tests/tracer/lowering/test_ufunc_methods.py",
    "tests/autodiff/test_rolling.py",
    "tests/project/test_demo.py",
)
"""What takes minutes, and so must not be left for the end."""

GOLDEN = 0.6180339887498949
"""Multiples of it, without their whole part, are spread evenly from the first few on."""


def unit(nodeid: str) -> str:
    """What one process runs as a whole: a file, or all tests of the browser.

    Tests of a file share what they have compiled, those of the browser a server and Chromium.

    Examples
    --------
    >>> unit("tests/test_api.py::test_names[1]")
    'tests/test_api.py'
    >>> unit("tests/browser/test_fixes.py::test_a_fix")
    'tests/browser/'
    """
    return BROWSER if nodeid.startswith(BROWSER) else nodeid.split("::", 1)[0]


def place(item: pytest.Item) -> int:
    """Where a test stands among the others: see `FIRST`."""
    name = unit(item.nodeid)
    return FIRST.index(name) if name in FIRST else len(FIRST)


def turned(name: str, turn: int) -> float:
    """Where a unit stands in a round of all of them that begins elsewhere in each turn.

    Who runs a part of the units each time has run all of them after a few turns.

    Examples
    --------
    >>> units = [f"tests/test_{k}.py" for k in range(100)]
    >>> halves = [set(sorted(units, key=lambda u: turned(u, k))[:50]) for k in (7, 8, 9)]
    >>> len(halves[0] | halves[1] | halves[2])
    100
    """
    return (zlib.crc32(name.encode()) / 2**32 - turn * GOLDEN) % 1.0


FEW = 2
"""A process with no more tests left than this is given another unit."""


class Units(LoadFileScheduling):
    """Gives each process one `unit` after the other, in the order of the tests.

    When a process ends in a test, that test has failed, and another process runs what is left.
    The scheduler of pytest-xdist 3.8 would run the test again, and would give what is done to
    processes that then wait for ever.

    Parameters
    ----------
    config : pytest.Config
        Of the session.
    log : Producer or None
        pytest-xdist's own.
    minutes : float or None
        After which no unit begins any more; of those of `FIRST` none does after half of it.
    """

    def __init__(
        self, config: pytest.Config, log: Any = None, minutes: float | None = None
    ) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False
        self._seconds = math.inf if minutes is None else 60 * minutes
        self._began = time.monotonic()

    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid)

    def remove_node(self, node: WorkerController) -> str | None:
        """Take a process off; return the test in which it ended, if it ended in one."""
        work = self.assigned_work.pop(node)
        crashed = next((t for unit in work.values() for t, done in unit.items() if not done), None)
        if crashed is None:
            return None
        for name, tests in work.items():
            left = {test: done for test, done in tests.items() if not done and test != crashed}
            if left:
                self.workqueue[name] = left
        for other in self.nodes:
            self._reschedule(other)
        return crashed

    def _assign_work_unit(self, node: WorkerController) -> None:
        # One that has just ended gets nothing; it is taken off, with this unit, when that is known.
        with contextlib.suppress(OSError):
            super()._assign_work_unit(node)

    def _reschedule(self, node: WorkerController) -> None:
        """Give a process as much that it need not wait: it begins a test when it has the next."""
        if node.shutting_down or node not in self.registered_collections:
            return
        self._give_up()
        while self.workqueue and self._pending_of(self.assigned_work[node]) <= FEW:
            self._assign_work_unit(node)
        if not self.workqueue:
            node.shutdown()

    def _give_up(self) -> None:
        """Begin nothing any more that would take too long."""
        passed = time.monotonic() - self._began
        late = set(self.workqueue if passed > self._seconds else FIRST)
        if passed > self._seconds / 2:
            for name in late.intersection(self.workqueue):
                del self.workqueue[name]
