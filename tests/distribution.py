"""Which tests the processes of a session run, and in which order."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

BROWSER = "tests/browser/"

FIRST = (
    "tests/test_corpus_inductor.py",
    "tests/test_notebooks.py",
    "tests/test_autodiff_calls.py",
    BROWSER,
    *(f"tests/test_tracer_lowering_{name}.py" for name in ("inductor", "random")),
    *(f"tests/test_runtime_{name}.py" for name in ("leaks", "sizes", "whole_function")),
    *(f"tests/test_loops_{name}.py" for name in ("semantics", "random", "fusing")),
    "tests/test_corpus.py",
    *(f"tests/test_tracer_{name}.py" for name in ("floating", "lowering_ufunc_methods")),
    "tests/test_autodiff_rolling.py",
    "tests/test_demo.py",
)
"""What takes minutes, and so must not be left for the end.

(A browser waits for a compiler no longer than a person would, so it does not begin while
everybody waits for what the compiler has to find out about the machine.)
"""


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


FEW = 2
"""A process with no more tests left than this is given another unit."""


class Units(LoadFileScheduling):
    """Gives each process one `unit` after the other, in the order of the tests.

    When a process ends in a test, that test has failed, and another process runs what is left.
    The scheduler of pytest-xdist 3.8 would run the test again, and would give what is done to
    processes that then wait for ever.
    """

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

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
        while self.workqueue and self._pending_of(self.assigned_work[node]) <= FEW:
            self._assign_work_unit(node)
        if not self.workqueue:
            node.shutdown()
