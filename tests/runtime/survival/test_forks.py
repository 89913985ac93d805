"""Threads and processes of the user's own, while a function is recorded, compiled and checked."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing import resource_tracker
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import preparing
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.worker import compiler
from tests.runtime.compile.test_compiled import Kernel, fresh, kernel
from tests.support.session.processes import PATIENCE, eventually

__all__ = ["kernel"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:This process.*is multi-threaded"),
]

X = np.arange(4.0)


@pytest.fixture(scope="module", autouse=True)
def _tracker() -> None:
    """Python's own process that follows spawned ones: it is none of a single test."""
    resource_tracker.ensure_running()


def in_fork(act: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Whether something is true in a forked process, in time."""
    pid = os.fork()
    if pid == 0:
        try:
            right = act()
        except BaseException:
            import traceback

            traceback.print_exc()
            right = False
        os._exit(0 if right else 1)
    status: list[int] = []

    def ended() -> bool:
        done, code = os.waitpid(pid, os.WNOHANG)
        if done:
            status.append(code)
        return bool(done)

    if not eventually(ended, seconds):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return False
    return status == [0]


def double(factor: float) -> Callable[..., Any]:
    return fresh(f"def f(x):\n    y = x * {factor}\n    return y + 1\n")


def is_right(f: Callable[..., Any], factor: float) -> bool:
    return bool(f(X).tolist() == (X * factor + 1).tolist())


def test_a_fork_while_another_thread_records(kernel: Kernel) -> None:
    """Its locks are held for ever in the fork, where that thread is not."""
    f = double(2.0)
    assert is_right(f, 2.0)
    handle: Any = handle_of(f)
    inside, leave = threading.Event(), threading.Event()

    def record() -> None:
        with handle.states[0].lock, compiler._changed:
            inside.set()
            assert leave.wait()

    thread = threading.Thread(target=record)
    thread.start()
    assert inside.wait()
    try:
        assert in_fork(lambda: all(is_right(f, 2.0) for _ in range(50)))
    finally:
        leave.set()
        thread.join()
    assert is_right(f, 2.0)


@pytest.mark.parametrize("factor", [1234.25, 1234.5])
def test_forks_while_the_worker_compiles(
    kernel: Kernel, processes: Callable[[], dict[int, str]], factor: float
) -> None:
    """Twenty of them call, compile and end in several ways; the worker does not notice."""
    f, g = double(factor), double(3.0)
    assert is_right(f, factor)
    assert eventually(lambda: len(processes()) == (3 if factor == 1234.5 else 2))
    assert eventually(lambda: bool(kernel.worker.jobs))  # it has said so
    worker, jobs, before = kernel.worker.pid, kernel.worker.jobs, set(processes())

    def act() -> bool:
        right = all(is_right(f, factor) and is_right(g, 3.0) for _ in range(30))
        return right and npc.wait()

    for number in range(20):
        if number % 4 == 3:  # ends as Python does, with all that was registered for it
            pid = os.fork()
            if pid == 0:
                try:
                    sys.exit(0 if act() else 1)
                except SystemExit as leaving:
                    os._exit(int(str(leaving.code)))
            assert os.waitpid(pid, 0)[1] == 0
        else:
            assert in_fork(act)
    assert (kernel.worker.pid, kernel.worker.jobs) == (worker, jobs)
    assert eventually(lambda: set(processes()) == before)
    os.kill(jobs[0], signal.SIGKILL)
    assert compiler.wait()
    assert is_right(f, factor)


def test_a_pool_of_forks(kernel: Kernel, processes: Callable[[], dict[int, str]]) -> None:
    f = double(1234.25)
    assert is_right(f, 1234.25)
    assert eventually(lambda: bool(kernel.worker.jobs))
    before = set(processes())
    context = multiprocessing.get_context("fork")
    results: Any = context.SimpleQueue()
    made = [
        context.Process(target=lambda: results.put([is_right(f, 1234.25) for _ in range(40)]))
        for _ in range(4)
    ]
    for process in made:
        process.start()
    for process in made:
        process.join()
        assert process.exitcode == 0
    assert [results.get() for _ in made] == [[True] * 40] * 4
    assert eventually(lambda: set(processes()) == before)
    os.kill(kernel.worker.jobs[0], signal.SIGKILL)
    assert compiler.wait()


@npc.compile
def shared(x: Any) -> Any:
    y = x * 2
    return y + 1


def test_a_spawned_process(kernel: Kernel, processes: Callable[[], dict[int, str]]) -> None:
    f = double(1234.25)
    assert is_right(f, 1234.25)
    assert eventually(lambda: bool(kernel.worker.jobs))
    worker, before = kernel.worker.pid, set(processes())
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        found = pool.map(shared, [X + k for k in range(5)])
        assert [list(values) for values in found] == [list((X + k) * 2 + 1) for k in range(5)]
    assert kernel.worker.pid == worker

    assert before <= set(processes())
    assert eventually(lambda: set(processes()) == before)
    os.kill(kernel.worker.jobs[0], signal.SIGKILL)
    assert compiler.wait()


# -- threads

FUNCTIONS = {
    "fresh": "def f(x, k):\n    y = x * k\n    z = np.sin(y)\n    return y + z, z.sum()\n",
    "in place": "def f(x, k):\n    x *= k\n    x[1:] += x[:-1]\n    return x, x[::2]\n",
    "warns": "def f(x, k):\n    y = x / (x - k)\n    return np.log(y * y), y\n",
    "in parts": (
        "def f(x, k):\n    y = np.sort(x)[::-1] + k\n"
        "    for i in range(3):\n        y = y * 0.5 + i\n    return y, np.cumsum(y)\n"
    ),
}


def _same(found: Any, expected: Any) -> bool:
    return all(
        np.allclose(a, b, rtol=1e-14, atol=0, equal_nan=True) and a.dtype == b.dtype
        for a, b in zip(found, expected, strict=True)
    )


@pytest.fixture
def compiling(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, native: bool
) -> None:
    monkeypatch.setattr(npc.settings, "tier", "auto")
    monkeypatch.setattr(preparing, "faster", lambda numpy_us, compiled_us: True)
    if not native:  # NumPy plays what was compiled
        request.getfixturevalue("kernel")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.usefixtures("compiling", "straight_functions")
@pytest.mark.parametrize(
    ("name", "native"),
    [*((name, False) for name in FUNCTIONS), ("in place", True), ("warns", True)],
)
def test_eight_threads(name: str, native: bool) -> None:
    """Each with arrays, sizes, numbers and an error state of its own: 1 600 calls."""
    f = fresh(FUNCTIONS[name])
    plain = f.__wrapped__
    wrong: list[Any] = []
    counted: list[int] = []
    begin = threading.Barrier(8)

    def call(seed: int) -> None:
        dice = np.random.default_rng(seed)
        begin.wait()
        for number in range(200):
            x, k = dice.normal(size=5 + seed % 2), float(number % 7 + 2)
            with np.errstate(all="ignore" if seed % 2 else "warn"):
                expected = plain(x.copy(), k)
                given = x.copy()
                found = f(given, k)
            counted.append(seed)
            if not _same(found, expected):
                wrong.append((seed, number, found, expected))
            if found[0] is given:
                same = np.array_equal(given, expected[0])
                wrong.extend([] if same else [(seed, number, "argument")])
            if number == 100:
                npc.wait()
            elif number % 20 == 0:
                time.sleep(0.001)

    threads = [threading.Thread(target=call, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(counted) == 8 * 200
    handle: Any = handle_of(f)
    for state in handle.states:
        assert state.lock.acquire(blocking=False)
        state.lock.release()
        assert not any("internal error" in text for text in state.closed.values()), state.closed
