"""Compiled code from the cache or the worker: whatever happens, the result is NumPy's."""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime import (
    artifacts,
    cache_folder,
    cells,
    compile_worker,
    compiled,
    loop_store,
    notices,
    preparing,
    progress,
)
from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime.compile_errors import TakesLongError
from jupyter_npcompile.runtime.compile_worker import CompileWorker
from jupyter_npcompile.runtime.compiled import Store
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.loop_store import LoopStore
from jupyter_npcompile.runtime.native import torch_symbols
from jupyter_npcompile.runtime.native.compilers import WAYS
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.reference import Reference
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.runtime.worker import compiler
from tests.magic.test_magic import Shell
from tests.support.compiling import fake_build
from tests.support.paths import CHECKOUT
from tests.support.session.processes import eventually, kill

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the worker forks"),
    pytest.mark.filterwarnings("ignore:This process.*is multi-threaded"),
]


def load(graph: Graph, manifest: Mapping[str, Any], folder: Path, support: Path) -> Reference:
    """NumPy plays what was built."""
    assert (folder / "kernels.so").exists()
    assert support.read_bytes() == b"support"
    return Reference(graph)


class Kernel:
    """A kernel of which only the worker, and what it builds, are not real."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.worker = CompileWorker(fake_build.NAME)
        self.restart()

    def restart(self) -> None:
        """Forget everything that is not on disk."""
        assert compiler.wait()
        self.worker.stop()
        self.worker = CompileWorker(fake_build.NAME)
        self._monkeypatch.setattr(artifacts, "store", Store(load, self.worker))
        self._monkeypatch.setattr(loop_store, "store", LoopStore(self.worker))
        artifacts.clear()
        cells.forget()
        caches.forget()
        notices.forget()
        counters.clear()


@pytest.fixture
def kernel(processes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    monkeypatch.setenv(cache_folder.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(npc.settings, "tier", "auto")
    monkeypatch.setattr(preparing, "faster", lambda numpy_us, compiled_us: True)
    made = Kernel(monkeypatch)
    yield made
    made.restart()


def function(factor: float = 2.0) -> Callable[..., Any]:
    """A fresh function that computes the same each time."""
    code = f"def f(x):\n    y = x * {factor}\n    return y + 1\n"
    return fresh(code)


def fresh(code: str) -> Callable[..., Any]:
    import linecache

    name = f"<fresh {random.random()}>"
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    names: dict[str, Any] = {"np": np}
    exec(compile(code, name, "exec"), names)
    made: Callable[..., Any] = npc.compile(names["f"])
    return made


def plan(f: Callable[..., Any]) -> Plan:
    """The newest plan of a function."""
    handle: Any = handle_of(f)
    return [p for state in handle.states for plans in state.plans.values() for p in plans][-1]


X = np.arange(4.0)


def check(f: Callable[..., Any], factor: float = 2.0) -> None:
    assert f(X).tolist() == (X * factor + 1).tolist()


def test_numpy_runs_until_it_is_compiled(kernel: Kernel) -> None:
    f = function()
    check(f)
    assert plan(f).state == "pending"
    assert compiler.wait()
    assert plan(f).state == "ready"
    check(f)
    assert npc.stats()["dispatches"] == 1
    assert npc.stats()["artifacts"] == 1


def test_the_next_kernel_is_compiled_at_once(kernel: Kernel) -> None:
    f = function()
    check(f)
    assert compiler.wait()
    check(f)  # checked, measured
    before = plan(f).timings
    kernel.restart()
    f = function()
    check(f)
    assert npc.stats()["dispatches"] == 1
    assert npc.stats()["recalled"] == 1
    assert npc.stats()["artifacts"] == 0
    assert plan(f).timings["numpy_us"] == before["numpy_us"]
    assert kernel.worker.pid is None  # nobody has needed it


@pytest.mark.parametrize("why", ["symbols", "size"])
def test_what_takes_long_to_load_is_loaded_in_the_background(
    why: str, kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    f = function()
    check(f)
    assert compiler.wait()
    kernel.restart()

    def demand(manifest: Mapping[str, Any]) -> None:
        raise TakesLongError

    if why == "symbols":
        monkeypatch.setattr(compiled, "_demand_symbols", demand)
    else:
        monkeypatch.setattr(compiled, "AT_ONCE", 0)
    f = function()
    check(f)
    assert plan(f).state == "pending"
    assert compiler.wait()
    assert plan(f).state == "ready"
    check(f)
    assert npc.stats()["dispatches"] == 1
    assert (npc.stats()["recalled"], npc.stats()["artifacts"]) == (1, 0)
    assert kernel.worker.pid is None  # it was in the cache


def test_the_symbols_of_torch_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_symbols, "are_there", lambda: False)
    compiled._demand_symbols({"torch": False})
    with pytest.raises(TakesLongError):
        compiled._demand_symbols({"torch": True})
    monkeypatch.setattr(torch_symbols, "are_there", lambda: True)
    compiled._demand_symbols({"torch": True})


def test_the_symbols_of_torch_are_loaded_without_torch() -> None:
    lines = (
        "import sys",
        "from jupyter_npcompile.runtime.native import torch_symbols",
        "assert not torch_symbols.are_there()",
        "torch_symbols.load()",
        "torch_symbols.load()",
        "assert torch_symbols.are_there() and 'torch' not in sys.modules",
    )
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, cwd=CHECKOUT)


def test_the_worker_of_one_cache_serves_another(kernel: Kernel, tmp_path: Path) -> None:
    """What all compiled code needs is where the kernel looks, wherever the worker began."""
    f = function()
    check(f)
    assert compiler.wait()
    began = kernel.worker.pid
    caches.use(caches.Cache(tmp_path / "other"))
    caches.cache().prepare()
    g = function(3.0)
    check(g, 3.0)
    assert compiler.wait()
    assert (plan(g).state, plan(g).note) == ("ready", "")
    assert kernel.worker.pid == began


def test_that_numpy_was_faster_is_remembered(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "faster", lambda numpy_us, compiled_us: False)
    f = function()
    check(f)
    assert compiler.wait()
    check(f)
    note = plan(f).note
    assert note.startswith("NumPy is faster here: ")
    kernel.restart()
    f = function()
    check(f)
    assert (plan(f).state, plan(f).note) == ("numpy", note)
    assert npc.stats()["dispatches"] == 0
    assert kernel.worker.pid is None


def test_a_forced_tier_asks_nobody(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "faster", lambda numpy_us, compiled_us: False)
    f = function()
    check(f)
    assert compiler.wait()
    check(f)
    kernel.restart()
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    f = function()
    check(f)
    assert plan(f).state == "ready"
    assert npc.stats()["recalled"] == 1


def test_what_cannot_be_lowered_is_remembered(kernel: Kernel) -> None:
    for _ in range(2):
        f = fresh("def f(x):\n\n    z = x + 3\n    y = z * 1235.5\n    return y + 1\n")
        for _ in range(3):  # what comes before and after it is recorded again
            check_lowering(f)
            assert compiler.wait()
        check_lowering(f)
        handle: Any = handle_of(f)
        (state,) = handle.states
        assert [stop.position.line for stop in state.stops.values()] == [4]
        assert "there is no such thing" in next(iter(state.stops.values())).cause.reason
        assert state.plans[0][-1].stop == 1
        kernel.restart()
    assert kernel.worker.pid is None


def check_lowering(f: Callable[..., Any]) -> None:
    assert f(X).tolist() == ((X + 3) * 1235.5 + 1).tolist()


@pytest.mark.parametrize(
    ("factor", "note"),
    [
        (1235.25, "compiling failed: the compiler crashed: signal 11 (Segmentation fault)"),
        (1235.75, "no native code for this: it has no form that runs"),
        (1236.25, "compiling failed: RuntimeError: nobody knows"),
        (1236.75, f"g++ is missing: {WAYS}; NumPy runs this cell"),
    ],
)
@pytest.mark.parametrize("tier", ["auto", "inductor"])
def test_what_goes_wrong_is_noted(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch, factor: float, note: str, tier: str
) -> None:
    monkeypatch.setattr(npc.settings, "tier", tier)
    f = function(factor)
    check(f, factor)
    assert compiler.wait()
    check(f, factor)
    assert (plan(f).state, plan(f).note) == ("numpy", note)
    assert notices.take() == []
    check(function())
    assert compiler.wait()


def test_a_full_disk(kernel: Kernel) -> None:
    f = function(1236.5)
    check(f, 1236.5)
    assert compiler.wait()
    check(f, 1236.5)
    assert plan(f).state == "ready"
    assert caches.cache().temporary
    (line,) = notices.take()
    assert line == (
        "compiled code is forgotten when this kernel ends: [Errno 28] No space left on device"
    )


def test_a_folder_that_cannot_be_used(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache_folder.VARIABLE, "/proc/npcompile")
    kernel.restart()
    f = function()
    check(f)
    assert compiler.wait()
    check(f)
    assert plan(f).state == "ready"
    assert len(notices.take()) == 1


def test_a_damaged_entry_is_made_again(kernel: Kernel) -> None:
    first = function()
    check(first)
    assert compiler.wait()
    del first
    for number in range(2):
        kernel.restart()
        key = artifacts.store.key(plan_graph())
        (caches.cache().entries / key / "kernels.so").write_bytes(b"")
        f = function()
        check(f)
        assert compiler.wait()
        check(f)
        assert plan(f).state == "ready"
        assert npc.stats()["artifacts"] == 1, number
        (line,) = notices.take()
        assert "kernels.so has changed" in line


def plan_graph() -> Graph:
    """The graph of `function`."""
    f = function()
    npc.settings.tier = "numpy"
    check(f)
    npc.settings.tier = "auto"
    return plan(f).recording.graph


@pytest.mark.parametrize("times", [1, 2])
def test_a_worker_that_is_killed(kernel: Kernel, times: int) -> None:
    f = function(1234.25)
    check(f, 1234.25)
    for _ in range(times):
        assert eventually(lambda: bool(kernel.worker.jobs))
        (pid,) = kernel.worker.jobs
        kill(kernel.worker.pid or 0)
        assert eventually(lambda pid=pid: pid not in kernel.worker.jobs)  # type: ignore[misc]
        check(f, 1234.25)
    if times == 1:
        assert eventually(lambda: bool(kernel.worker.jobs))
        (pid,) = kernel.worker.jobs
        kill(pid)
    assert compiler.wait()
    check(f, 1234.25)
    assert plan(f).state == "numpy"
    reason = "compile worker was killed" if times == 2 else "crashed: signal 9 (Killed)"
    assert reason in plan(f).note


@pytest.mark.usefixtures("workers_end")
def test_the_worker_ends_with_the_last_extension(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_worker, "_workers", {kernel.worker})  # others are for other tests
    made = Shell()
    assert eventually(lambda: kernel.worker.pid is not None)
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")
    assert kernel.worker.pid is None


# -- the stop button


@pytest.fixture
def shell(kernel: Kernel) -> Iterator[Shell]:
    made = Shell()
    made.ip.user_ns["x"] = X.copy()
    yield made
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")


@pytest.mark.parametrize("factor", [1234.25, 1234.5])
def test_interrupting_a_cell_that_compiles_ahead(
    shell: Shell, kernel: Kernel, factor: float, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = f"%%npcompile --ahead\nbefore = 1\nprint(before)\ny = x * {factor}\nz = y + 1"

    def interrupt() -> None:
        assert eventually(lambda: bool(kernel.worker.jobs and shell.shown))
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    error = shell.run(cell)
    assert isinstance(error, KeyboardInterrupt)
    assert npc.stats()["artifacts"] == 0  # nobody has waited until it was compiled
    shown = capsys.readouterr().out
    assert f"----> 4 y = x * {factor}" in shown
    assert shown.count("jupyter_npcompile") <= 1  # our frames mean nothing to the user
    assert shell.ip.user_ns["before"] == 1
    assert "y" not in shell.ip.user_ns
    texts = [str(bundle["text/plain"]) for bundle in shell.shown]
    assert texts[0].startswith("npcompile [")
    assert any(text.startswith("npcompile: interrupted after") for text in texts)
    assert eventually(lambda: not kernel.worker.jobs)  # the worker is niced
    assert compiler.wait()
    assert shell.run("%%npcompile --ahead\nz = x * 2 + 1") is None
    assert shell.ip.user_ns["z"].tolist() == [1, 3, 5, 7]


def test_loading_the_extension_starts_the_worker(shell: Shell, kernel: Kernel) -> None:
    assert eventually(lambda: kernel.worker.pid is not None)


def test_a_bar_is_shown_while_a_cell_waits(
    shell: Shell, kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    assert shell.run("%%npcompile --ahead\nz = x * 1234.75 + 1") is None
    texts = [str(bundle["text/plain"]) for bundle in shell.shown]
    assert texts[0].startswith("npcompile [")
    assert "npcompile: compiled in" in texts[-2]
    assert "1 of 1 line compiled" in texts[-1]
    assert shell.run("%%npcompile --ahead --quiet\nw = x * 3 + 1") is None
    assert shell.shown == []


# Python itself loses an interrupt that comes in a destructor, and says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_interrupts_at_random_moments(shell: Shell, kernel: Kernel) -> None:
    """A hundred of them: every cell gives NumPy's result or KeyboardInterrupt."""
    seed = random.Random(5)
    outcomes = {"done": 0, "interrupted": 0}
    text = (
        "%%npcompile --ahead --quiet\n"
        "y = x * {}.0\nz = np.sin(y) + 1\nfor k in range(3):\n    z = z * 0.5 + k\n"
    )
    for number in range(6):  # the first starts the worker
        began = time.perf_counter()
        assert shell.run(text.format(1000 + number)) is None
        usual = time.perf_counter() - began
    for number in range(100):
        factor = number + 2
        cell = text.format(factor)
        shell.ip.user_ns.pop("z", None)
        signal.setitimer(signal.ITIMER_REAL, seed.uniform(0.001, 2 * usual))
        previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            try:
                error = shell.run(cell)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt as late:  # it came before or after the cell
            error = late
        signal.signal(signal.SIGALRM, previous)
        if error is None:
            expected = np.sin(X * factor) + 1
            for k in range(3):
                expected = expected * 0.5 + k
            assert shell.ip.user_ns["z"].tolist() == expected.tolist()
            outcomes["done"] += 1
            usual *= 0.9  # so that both happen, however fast the machine is by now
        else:
            assert isinstance(error, KeyboardInterrupt)
            outcomes["interrupted"] += 1
            usual *= 1.1
    gc.collect()  # coroutines of IPython's that were interrupted complain here
    assert compiler.wait()
    for kept in cells._known.values():
        for state in kept.states:
            for plans in state.plans.values():
                assert "pending" not in [plan.state for plan in plans]
    assert min(outcomes.values()) >= 10, outcomes
    assert shell.run("%%npcompile --ahead --quiet\nz = x * 2 + 1") is None
    assert shell.ip.user_ns["z"].tolist() == [1, 3, 5, 7]


def test_threads_that_call_one_function(kernel: Kernel) -> None:
    f = function()
    wrong: list[Any] = []

    def call() -> None:
        for _ in range(50):
            if f(X).tolist() != [1, 3, 5, 7]:
                wrong.append(1)

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert compiler.wait()
    check(f)
    assert npc.stats()["artifacts"] == 1


def test_a_forked_process_uses_what_there_is(kernel: Kernel) -> None:
    f, g = function(), function(5.0)
    check(f)
    assert compiler.wait()
    check(f)
    pid = os.fork()
    if pid == 0:
        try:
            check(f)
            check(g, 5.0)
            assert compiler.wait()
            check(g, 5.0)
            assert plan(g).note == "forked processes compile nothing by themselves"
            check(function())
            assert npc.stats()["recalled"] == 0
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    check(g, 5.0)
    assert compiler.wait()
    assert plan(g).state == "ready"


def test_trials_neither_use_nor_fill_the_cache(kernel: Kernel) -> None:
    found = npc.compare(lambda x: x * 2 + 1, X, tier="inductor")
    assert found.equal
    contents = caches.cache().contents()
    assert contents.entries == 1  # what all code needs
