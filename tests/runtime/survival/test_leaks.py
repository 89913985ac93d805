"""Nothing grows: ten thousand calls, five hundred versions of a cell, names that are deleted."""

from __future__ import annotations

import contextlib
import gc
import math
import os
import threading
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import cells, history
from jupyter_npcompile.runtime.selector import selector
from jupyter_npcompile.runtime.worker import compiler
from tests.magic.test_magic import Shell
from tests.runtime.compile.test_compiled import Kernel, fresh, kernel, shell
from tests.runtime.compile.test_worker import let_go, occupied
from tests.support.session.processes import eventually

__all__ = ["kernel", "shell"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc"),
]

CALLS = 10_000
TRACED = 2_000
"""Calls whose memory is looked at, from the last ones on: what each call leaves, they leave."""


def ours() -> Counter[str]:
    """How many objects of this package's classes live."""
    gc.collect()
    kinds = (type(thing) for thing in gc.get_objects())
    return Counter(
        kind.__qualname__ for kind in kinds if str(kind.__module__).startswith("jupyter_npcompile")
    )


def files() -> list[str]:
    """The files that are open."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # the one that lists them
            found.append(os.readlink(f"/proc/self/fd/{number}"))
    return sorted(found)


class Growth:
    """What has grown since it was made; of memory, since it is traced."""

    def __init__(self) -> None:
        gc.collect()
        self.files, self.threads, self.objects = files(), threading.active_count(), ours()

    def trace(self) -> None:
        """Look at memory from now on, which makes all that runs slow."""
        tracemalloc.start()
        gc.collect()
        self._before = tracemalloc.get_traced_memory()[0]

    def end(self) -> int:
        """Bytes that were allocated and are still there; nothing else may have grown."""
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - self._before
        tracemalloc.stop()
        now = files()
        assert len(now) <= len(self.files), "\n".join(["now", *now, "before", *self.files])
        assert threading.active_count() <= self.threads
        return grown


@pytest.fixture
def _no_tracing() -> Iterator[None]:
    yield
    tracemalloc.stop()


pytestmark.append(pytest.mark.usefixtures("_no_tracing"))

CODE = "def f(x, k):\n    y = x * k\n    y[0] += 1\n    return y + 1\n"


def right(f: Callable[..., Any], x: Any, k: Any) -> bool:
    expected = x * k
    expected[0] += 1
    return bool(np.array_equal(f(x, k), expected + 1))


def called(f: Callable[..., Any], count: int, sizes: int, first: int = 0) -> None:
    """Call a function with changing values, and with arrays of so many sizes."""
    dice = np.random.default_rng(count)
    for k in range(first, first + count):
        x = dice.normal(size=2 + k % sizes)
        assert right(f, x, float(k))


@pytest.mark.parametrize("sizes", [1, 5, CALLS])
def test_calls(kernel: Kernel, sizes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # All that is kept of new sizes is kept soon.
    monkeypatch.setattr(selector, "LEARNING", math.inf)
    f = fresh(CODE)
    for _ in range(min(sizes, 5) + 1):  # each size has a compile of its own, one after the other
        called(f, 2 * min(sizes, 100) + 300, sizes)
        assert compiler.wait()
    growth = Growth()
    before = growth.objects
    called(f, CALLS - 2 * TRACED, sizes)
    grown = []
    for first in range(CALLS - 2 * TRACED, CALLS + 2 * TRACED, TRACED):  # leaks do so in all
        growth.trace()
        called(f, TRACED, sizes, first)
        grown.append(growth.end())
        if grown[-1] < 20 * TRACED:
            break
    assert min(grown) < 20 * TRACED, grown
    after = ours()
    assert sum(after.values()) - sum(before.values()) < 100, after - before


EDITED = """%%npcompile --quiet
def helper(v):
    w = v * {0}
    return w + 1
y = x * {0} + 2
z = helper(y)
"""


@pytest.mark.parametrize("place", ["cell-7", None], ids=["notebook", "terminal"])
def test_five_hundred_versions_of_a_cell(shell: Shell, kernel: Kernel, place: str | None) -> None:
    """Compiles of versions that are gone are given up; what is kept is bounded."""

    def run(number: int) -> None:
        result = shell.ip.run_cell(EDITED.format(float(number)), cell_id=place)
        assert result.success
        assert (
            shell.ip.user_ns["z"].tolist()
            == ((shell.ip.user_ns["x"] * number + 2) * number + 1).tolist()
        )

    for number in range(20):
        run(number)
    assert compiler.wait()  # the worker has its pipes then
    growth = Growth()
    growth.trace()
    built = npc.stats()["artifacts"]
    busy = occupied(compiler)  # or who is faster, the worker or the cells, would decide
    for number in range(20, 520):
        run(number)
    let_go(busy)
    assert compiler.wait()
    grown = growth.end()
    built = npc.stats()["artifacts"] - built
    kept = ours() - growth.objects  # what other tests have left does not count
    if place is not None:
        assert built < 500, built  # of a region and a function in each version
        assert kept["RegionState"] <= 10, kept
        assert kept["Plan"] <= 10, kept
        assert len(cells._known) == 1
        assert grown < 12_000_000, grown
    else:
        assert len(cells._known) <= cells.MAX_CELLS
        assert grown < 100_000_000, grown
    run(3)
    assert compiler.wait()
    run(3)
    assert npc.stats()["dispatches"] > 0


def test_ten_thousand_runs_of_a_cell_that_defines(shell: Shell, kernel: Kernel) -> None:
    """A cell that runs again has a new file name, and its functions new code, each time."""
    cell = EDITED.format(2.0)
    for _ in range(30):
        shell.ip.run_cell(cell)
        assert compiler.wait()
    before = ours()
    for _ in range(300):
        shell.ip.run_cell(cell)
    after = ours()
    assert sum(after.values()) - sum(before.values()) < 50, after - before
    (kept,) = cells._known.values()
    assert len(kept.filenames) <= 60
    (function,) = kept.functions
    assert len(function.filenames) <= 60
    assert len(function._codes) <= 5


def megabytes() -> float:
    return tracemalloc.get_traced_memory()[0] / 1e6


LARGE = "import numpy as np\nx = np.ones(1_000_000)\n"


@pytest.mark.parametrize("rest", ["", "raise ValueError('no')", "y[0, 0]"])
def test_memory_is_freed_with_the_names(shell: Shell, kernel: Kernel, rest: str) -> None:
    """8 MB each; an exception, of the user's or of NumPy's, keeps nothing longer than it may."""
    cell = f"%%npcompile --quiet\ny = x * 2 + 1\nz = y - x\nw = np.sqrt(z)\n{rest}"
    assert shell.run(LARGE) is None
    for _ in range(5):
        shell.run(cell)
        assert compiler.wait()
    tracemalloc.start()
    for _ in range(3):
        shell.run(cell)
        assert 20 < megabytes() < 30
        for left in "yzw":
            before = megabytes()
            shell.run(f"del {left}")
            assert before - megabytes() > 7.9, left
        assert megabytes() < 2


def test_memory_is_freed_while_a_function_runs(kernel: Kernel) -> None:
    code = (
        "def f(x, look):\n"
        "    a = x * 2\n"
        "    s = a.sum()\n"
        "    look()\n"
        "    del a\n"
        "    look()\n"
        "    b = x * 3\n"
        "    look()\n"
        "    s = s + b[0]\n"
        "    b = None\n"
        "    look()\n"
        "    return s\n"
    )
    f = fresh(code)
    x = np.ones(1_000_000)
    seen: list[float] = []
    for _ in range(3):
        f(x, lambda: None)
        assert compiler.wait()
    tracemalloc.start()
    for _ in range(6):
        seen.clear()
        f(x, lambda: seen.append(round(megabytes())))
        assert seen == [8, 0, 8, 0]


def test_nobody_keeps_what_is_gone(kernel: Kernel) -> None:
    """A function that nobody has any more is not compiled, and its plans go with it."""
    before = ours()
    f = fresh("def f(x):\n    y = x * 1234.25\n    return y + 1\n")
    f(np.ones(3))
    assert eventually(lambda: bool(kernel.worker.jobs))
    history.remember(None)
    del f
    gc.collect()
    assert eventually(lambda: compiler.pending == 0)
    assert eventually(lambda: not kernel.worker.jobs)
    after = ours()
    assert after["Plan"] <= before["Plan"]
    assert after["RegionState"] <= before["RegionState"]
