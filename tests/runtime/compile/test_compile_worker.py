"""The compile worker: whatever happens to it, those who wait get an answer, and nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_npcompile.graph import to_json
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime import compile_job, compile_worker, deaths, worker_link
from jupyter_npcompile.runtime.cache import Cache
from jupyter_npcompile.runtime.compile_errors import CancelledError, WorkerError
from jupyter_npcompile.runtime.compile_worker import NICENESS, CompileWorker
from jupyter_npcompile.runtime.messages import Message
from jupyter_npcompile.runtime.ticket import Ticket
from tests.support.compiling import fake_build
from tests.support.paths import CHECKOUT
from tests.support.session.processes import PATIENCE, eventually, kill

pytestmark = [
    pytest.mark.slow,  # a worker takes a second to start, and most tests need their own
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the worker forks"),
]


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    made = Cache(tmp_path / "cache")
    made.prepare()
    return made


@pytest.fixture
def worker(
    processes: Callable[[], dict[int, str]], monkeypatch: pytest.MonkeyPatch
) -> Iterator[CompileWorker]:
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    made = CompileWorker(fake_build.NAME)
    yield made
    made.stop()


def ask(
    worker: CompileWorker,
    cache: Cache,
    graph: Graph,
    key: str = "k",
    ticket: Ticket | None = None,
    limit: int = 10**9,
) -> Message:
    request = {"graph": to_json(graph), "key": key, "root": str(cache.root), "limit": limit}
    request["support"] = str(cache.root)
    return worker.build(request, cache, ticket or Ticket())


def rested(cache: Cache) -> list[str]:
    """What the worker has done while nobody waited."""
    files = list(cache.compiler.glob(f"*/{fake_build.FOUND}/{fake_build.RESTED}"))
    return [line for file in files for line in file.read_text().splitlines()]


class Asking(threading.Thread):
    """Asks in a thread; keeps the answer, or what was raised."""

    def __init__(self, worker: CompileWorker, cache: Cache, graph: Graph, key: str = "k") -> None:
        super().__init__(daemon=True)
        self.ticket = Ticket()
        self.answer: Message | None = None
        self.error: Exception | None = None
        self._arguments = worker, cache, graph, key
        self.start()

    def run(self) -> None:
        try:
            self.answer = ask(*self._arguments, self.ticket)
        except Exception as error:
            self.error = error

    def reached(self, phase: str) -> bool:
        return eventually(lambda: self.ticket.phase == phase)


def is_tidy(cache: Cache) -> bool:
    """Whether no job has left anything."""
    return eventually(lambda: not any(cache.jobs.iterdir()))


def test_a_job_is_done_in_another_process(worker: CompileWorker, cache: Cache) -> None:
    ticket = Ticket()
    answer = ask(worker, cache, fake_build.job(), ticket=ticket)
    assert answer["kind"] == "done"
    assert answer["seconds"].keys() == set(fake_build.PHASES)
    assert ticket.phase == "C++"
    entry = cache.find("k")
    assert entry is not None
    assert entry.manifest["pid"] not in (os.getpid(), worker.pid)
    assert (entry.folder / "kernels.so").exists()
    assert is_tidy(cache)


def test_some_jobs_look_for_entries_too_many(worker: CompileWorker, cache: Cache) -> None:
    keys = [f"k{number}" for number in range(200)]
    looks = [key for key in keys if compile_job.trims(key)]
    assert 5 < len(looks) < 20
    kept = [key for key in keys if key not in looks][:3]
    for key in kept:
        ask(worker, cache, fake_build.job(), key, limit=1)
    assert is_tidy(cache)
    assert [key for key in kept if cache.find(key) is None] == []
    ask(worker, cache, fake_build.job(), looks[0], limit=1)
    assert is_tidy(cache)
    assert [key for key in (*kept, looks[0]) if cache.find(key) is not None] == []


@pytest.mark.parametrize(("told", "niceness"), [("", NICENESS), ("3", 3)])
def test_the_worker_is_one_process_and_polite(
    worker: CompileWorker,
    cache: Cache,
    processes: Callable[[], dict[int, str]],
    monkeypatch: pytest.MonkeyPatch,
    told: str,
    niceness: int,
) -> None:
    monkeypatch.setenv(compile_worker.VARIABLE, told)
    for number in range(3):
        ask(worker, cache, fake_build.job(), f"k{number}")
    assert eventually(lambda: list(processes()) == [worker.pid])
    assert worker.pid is not None
    assert os.getpgid(worker.pid) == worker.pid != os.getpgid(0)
    assert os.getsid(worker.pid) == worker.pid != os.getsid(0)
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, worker.pid) == min(ours + niceness, 19)
    group = Path(f"/proc/{worker.pid}/autogroup")  # within which alone that counts
    if group.exists() and (described := group.read_text().split()):
        assert described[-2:] == ["nice", str(niceness)]


@pytest.mark.parametrize("told", ["fast", "-1", "20"])
def test_a_niceness_that_is_none_is_told(
    worker: CompileWorker, cache: Cache, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    monkeypatch.setenv(compile_worker.VARIABLE, told)
    with pytest.raises(WorkerError, match=f"NPCOMPILE_NICENESS is '{told}': set a whole number"):
        ask(worker, cache, fake_build.job())


def test_what_is_printed_does_no_harm(worker: CompileWorker, cache: Cache) -> None:
    assert ask(worker, cache, fake_build.job("fake.print"))["kind"] == "done"


def test_a_large_graph(worker: CompileWorker, cache: Cache) -> None:
    graph = fake_build.job("fake.nothing", "", "x" * 3_000_000)
    assert ask(worker, cache, graph)["kind"] == "done"


def test_files_beside_the_notebook_are_no_modules(
    worker: CompileWorker, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("queue", "random", "json"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('my own file')")
    monkeypatch.chdir(tmp_path)
    assert ask(worker, cache, fake_build.job())["kind"] == "done"


@pytest.mark.parametrize(
    ("op", "kind", "text"),
    [
        ("fake.lowering", "lowering", "there is no such thing"),
        ("fake.unbuildable", "unbuildable", "it has no form that runs"),
        ("fake.error", "failure", "nobody knows"),
        ("fake.crash", "failure", "signal 11 (Segmentation fault)"),
        ("fake.exit", "failure", "exit status 3"),
        ("fake.full", "disk", "[Errno 28] No space left on device"),
    ],
)
def test_what_goes_wrong_is_said(
    worker: CompileWorker, cache: Cache, op: str, kind: str, text: str
) -> None:
    answer = ask(worker, cache, fake_build.job(op))
    assert answer["kind"] == "failed"
    error = answer["error"]
    assert error["type"] == kind
    assert error.get("reason", error.get("text")) == text
    entry = cache.find("k")
    if kind in ("lowering", "unbuildable"):  # so it will be tomorrow
        assert entry is not None
        assert entry.error == error
    else:
        assert entry is None
    assert is_tidy(cache)
    assert ask(worker, cache, fake_build.job(), "other")["kind"] == "done"


def test_many_threads_ask(worker: CompileWorker, cache: Cache) -> None:
    asking = [
        Asking(worker, cache, fake_build.job("fake.nothing", "", k), f"k{k}") for k in range(24)
    ]
    for thread in asking:
        thread.join(PATIENCE)
    assert [thread.answer and thread.answer["kind"] for thread in asking] == ["done"] * 24
    assert cache.contents().entries == 24 + 1  # and what all need
    assert is_tidy(cache)


# -- giving up


@pytest.mark.parametrize("phase", fake_build.PHASES)
@pytest.mark.parametrize("op", ["fake.wait", "fake.program"])
def test_cancelling(
    worker: CompileWorker,
    cache: Cache,
    processes: Callable[[], dict[int, str]],
    op: str,
    phase: str,
) -> None:
    thread = Asking(worker, cache, fake_build.job(op, phase))
    assert thread.reached(phase)
    thread.ticket.cancel()
    thread.join(PATIENCE)  # the job itself never ends
    assert isinstance(thread.error, CancelledError)
    assert eventually(lambda: list(processes()) == [worker.pid])  # it is niced
    assert is_tidy(cache)
    assert cache.find("k") is None
    assert ask(worker, cache, fake_build.job())["kind"] == "done"


def test_cancelling_before_the_worker_is_ready(worker: CompileWorker, cache: Cache) -> None:
    thread = Asking(worker, cache, fake_build.job("fake.wait"))
    thread.ticket.cancel()
    thread.join(PATIENCE)  # the job itself never ends
    assert isinstance(thread.error, CancelledError)
    assert ask(worker, cache, fake_build.job())["kind"] == "done"
    assert is_tidy(cache)


def test_what_takes_too_long_is_given_up(
    worker: CompileWorker, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(worker, cache, fake_build.job(), "warm")
    monkeypatch.setattr(worker_link, "BEATS", 10**6)  # however busy the machine is
    monkeypatch.setattr(compile_worker, "LONGEST", 0.3)
    answer = ask(worker, cache, fake_build.job("fake.wait"))
    assert answer["error"]["name"] == "given up"
    assert is_tidy(cache)


# -- killed


@pytest.mark.parametrize("phase", fake_build.PHASES)
def test_a_job_that_is_killed(worker: CompileWorker, cache: Cache, phase: str) -> None:
    thread = Asking(worker, cache, fake_build.job("fake.wait", phase))
    assert thread.reached(phase)
    (pid,) = worker.jobs
    kill(pid)
    thread.join(PATIENCE)
    assert thread.answer is not None
    assert thread.answer["error"]["text"] == "signal 9 (Killed)"
    assert is_tidy(cache)
    assert ask(worker, cache, fake_build.job())["kind"] == "done"


@pytest.mark.parametrize("phase", fake_build.PHASES)
@pytest.mark.parametrize("op", ["fake.wait", "fake.program"])
def test_a_worker_that_is_killed(
    worker: CompileWorker,
    cache: Cache,
    processes: Callable[[], dict[int, str]],
    op: str,
    phase: str,
) -> None:
    thread = Asking(worker, cache, fake_build.job(op, phase))
    for _ in range(2):  # it is tried once more
        assert eventually(lambda: thread.ticket.phase == phase)
        thread.ticket.phase = ""
        assert worker.pid is not None
        kill(worker.pid)
    thread.join(PATIENCE)
    assert isinstance(thread.error, WorkerError)
    assert str(thread.error) == "the compile worker was killed by signal 9 (Killed)"
    assert eventually(lambda: not processes())
    assert ask(worker, cache, fake_build.job())["kind"] == "done"


def test_a_worker_that_is_killed_once(worker: CompileWorker, cache: Cache) -> None:
    assert ask(worker, cache, fake_build.job(), "warm")["kind"] == "done"
    assert worker.pid is not None
    kill(worker.pid)
    assert ask(worker, cache, fake_build.job())["kind"] == "done"


@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.3, 0.6, 1.0])
def test_a_worker_that_is_killed_while_it_starts(
    worker: CompileWorker, cache: Cache, seconds: float
) -> None:
    thread = Asking(worker, cache, fake_build.job())
    assert eventually(lambda: worker.pid is not None)
    time.sleep(seconds)
    if worker.pid is not None:
        kill(worker.pid)
    thread.join(PATIENCE)
    assert thread.answer is not None
    assert thread.answer["kind"] == "done"


def test_a_worker_that_always_ends_is_left_alone_for_a_while(
    worker: CompileWorker, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr("jupyter_npcompile.runtime.deaths.monotonic", lambda: clock[0])
    worker.module = "nowhere"
    for _ in range(2):
        with pytest.raises(WorkerError, match=r"nowhere"):
            ask(worker, cache, fake_build.job())
    for _ in range(2):
        with pytest.raises(WorkerError) as raised:
            ask(worker, cache, fake_build.job())
    assert str(raised.value) == worker.trouble
    assert worker.trouble.startswith("the compile worker ended 3 times within 5 minutes, the last")
    assert "ModuleNotFoundError: No module named 'nowhere'" in worker.trouble
    assert worker.trouble.endswith("in 5 minutes, or at once after `%npcompile clear`")
    assert worker.trouble in compile_worker.troubles()
    clock[0] += deaths.WITHIN - 60
    assert worker.trouble.endswith("in 1 minute, or at once after `%npcompile clear`")
    worker.module = fake_build.NAME
    clock[0] += 61
    assert worker.trouble == ""
    assert ask(worker, cache, fake_build.job())["kind"] == "done"


def test_a_worker_that_always_ended_starts_again_when_that_is_asked_for(
    worker: CompileWorker, cache: Cache
) -> None:
    worker.module = "nowhere"
    for _ in range(3):
        with pytest.raises(WorkerError):
            ask(worker, cache, fake_build.job())
    assert worker.trouble
    worker.module = fake_build.NAME
    compile_worker.forgive_all()
    assert ask(worker, cache, fake_build.job())["kind"] == "done"


def test_what_is_killed_now_and_then_goes_on(
    worker: CompileWorker, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr("jupyter_npcompile.runtime.deaths.monotonic", lambda: clock[0])
    for number in range(5):
        assert ask(worker, cache, fake_build.job(), f"k{number}")["kind"] == "done"
        assert worker.pid is not None
        kill(worker.pid)
        clock[0] += deaths.WITHIN


# -- stopped


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who hangs is noticed soon."""
    monkeypatch.setattr(worker_link, "SILENCE", 1.0)


@pytest.mark.parametrize("op", ["fake.nothing", "fake.wait", "fake.program"])
@pytest.mark.parametrize("length", [1, 3_000_000])  # the second does not fit into a pipe
@pytest.mark.usefixtures("impatient")
def test_a_worker_that_hangs_is_replaced(
    worker: CompileWorker,
    cache: Cache,
    processes: Callable[[], dict[int, str]],
    op: str,
    length: int,
) -> None:
    assert ask(worker, cache, fake_build.job(), "warm")["kind"] == "done"
    hangs = worker.pid
    assert hangs is not None
    begun = None
    if op != "fake.nothing":
        begun = Asking(worker, cache, fake_build.job(op, "C++"), "begun")
        assert begun.reached("C++")
    os.kill(hangs, signal.SIGSTOP)
    assert ask(worker, cache, fake_build.job("fake.nothing", "", "x" * length))["kind"] == "done"
    assert hangs not in processes()
    if begun is not None:
        begun.ticket.cancel()
        begun.join(PATIENCE)
    assert eventually(lambda: list(processes()) == [worker.pid])
    assert is_tidy(cache)


@pytest.mark.usefixtures("impatient")
def test_a_worker_that_hangs_under_a_job_nobody_waits_for_is_ended(
    worker: CompileWorker, cache: Cache, processes: Callable[[], dict[int, str]]
) -> None:
    thread = Asking(worker, cache, fake_build.job("fake.program", "C++"))
    assert thread.reached("C++")
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGSTOP)
    thread.ticket.cancel()
    assert eventually(lambda: not processes())
    assert is_tidy(cache)


def test_a_worker_that_never_gets_ready_is_ended(
    worker: CompileWorker,
    cache: Cache,
    processes: Callable[[], dict[int, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_link, "STARTING", 2.0)
    monkeypatch.setenv("FAKE_PROBE", "hang")
    with pytest.raises(WorkerError, match="the compile worker was not ready after 2 s"):
        ask(worker, cache, fake_build.job("fake.nothing", "", "x" * 3_000_000))
    assert not processes()


@pytest.mark.usefixtures("impatient")
def test_a_worker_that_is_stopped_while_it_starts(
    worker: CompileWorker, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_PROBE", "hang")
    worker.start(cache)
    assert eventually(lambda: worker.pid is not None)
    stopped = worker.pid
    assert stopped is not None
    os.kill(stopped, signal.SIGSTOP)
    monkeypatch.delenv("FAKE_PROBE")
    assert ask(worker, cache, fake_build.job())["kind"] == "done"
    assert worker.pid != stopped


@pytest.mark.usefixtures("impatient")
def test_a_worker_at_work_for_long_does_not_hang(worker: CompileWorker, cache: Cache) -> None:
    thread = Asking(worker, cache, fake_build.job("fake.wait", "C++"))
    assert thread.reached("C++")
    before = worker.pid
    time.sleep(3.0)  # three times what it may be silent
    assert thread.is_alive()
    assert worker.pid == before
    thread.ticket.cancel()
    thread.join(PATIENCE)


def test_stopping_a_worker_that_hangs(worker: CompileWorker, cache: Cache) -> None:
    """It goes on to clear up."""
    thread = Asking(worker, cache, fake_build.job("fake.program", "C++"))
    assert thread.reached("C++")
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGSTOP)
    thread.ticket.cancel()
    worker.stop()
    assert not any(cache.jobs.iterdir())


def test_a_python_that_does_not_start(
    worker: CompileWorker, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(WorkerError, match="cannot be started"):
        ask(worker, cache, fake_build.job())


def test_a_worker_that_says_what_nobody_understands(
    worker: CompileWorker,
    cache: Cache,
    processes: Callable[[], dict[int, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def hear(self: object, message: Message) -> None:
        raise KeyError("kind")

    monkeypatch.setattr(worker_link.Link, "_hear", hear)
    with pytest.raises(WorkerError, match=r"cannot be understood: KeyError\('kind'\)"):
        ask(worker, cache, fake_build.job())
    assert eventually(lambda: not processes())


def test_stopping_and_starting(worker: CompileWorker, cache: Cache) -> None:
    for number in range(4):
        assert ask(worker, cache, fake_build.job(), f"k{number}")["kind"] == "done"
        worker.stop()
        assert worker.pid is None


def test_a_worker_without_work_ends_and_comes_back(
    worker: CompileWorker,
    cache: Cache,
    processes: Callable[[], dict[int, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FAKE_IDLE", "0.5")
    for number in range(4):  # more often than it may die
        assert ask(worker, cache, fake_build.job(), f"k{number}")["kind"] == "done"
        assert eventually(lambda: not processes())


# -- the kernel ends, or forks

KERNEL = """
import os, signal, sys, threading, time
from pathlib import Path
from jupyter_npcompile.graph import to_json
from jupyter_npcompile.runtime.cache import Cache
from jupyter_npcompile.runtime.compile_errors import WorkerError
from jupyter_npcompile.runtime.compile_worker import CompileWorker
from jupyter_npcompile.runtime.ticket import Ticket
from tests.support.compiling import fake_build

cache = Cache(Path(sys.argv[1]))
worker = CompileWorker(fake_build.NAME)

def ask(op, *args, key="k", ticket=None):
    graph = to_json(fake_build.job(op, *args))
    request = {"graph": graph, "key": key, "root": str(cache.root), "limit": 10**9}
    request["support"] = str(cache.root)
    return worker.build(request, cache, ticket or Ticket())

def ask_later(op, *args):
    ticket = Ticket()
    threading.Thread(target=ask, args=(op, *args), kwargs={"ticket": ticket}, daemon=True).start()
    return ticket

def wait(ticket, phase):
    while ticket.phase != phase:
        time.sleep(0.005)
"""


def start_kernel(cache: Cache, code: str, **options: Any) -> subprocess.Popen[str]:
    """A process that plays the kernel."""
    return subprocess.Popen(
        [sys.executable, "-c", KERNEL + textwrap.dedent(code), str(cache.root)],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("phase", fake_build.PHASES)
def test_no_process_outlives_the_kernel(
    cache: Cache, processes: Callable[[], dict[int, str]], phase: str, number: signal.Signals
) -> None:
    code = f"""
        ticket = ask_later("fake.wait", {phase!r})
        wait(ticket, {phase!r})
        print("there", flush=True)
        signal.pause()
    """
    with start_kernel(cache, code, stderr=subprocess.DEVNULL) as kernel:
        assert kernel.stdout is not None
        assert kernel.stdout.readline() == "there\n"
        assert len(processes()) == 3
        kernel.send_signal(number)
    assert eventually(lambda: not processes())


@pytest.mark.parametrize("which", ["[:1]", "[1:]", ""], ids=["worker", "job", "both"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_what_is_stopped_does_not_outlive_the_kernel(
    cache: Cache, processes: Callable[[], dict[int, str]], number: signal.Signals, which: str
) -> None:
    code = f"""
        ticket = ask_later("fake.program", "C++")
        wait(ticket, "C++")
        for pid in [worker.pid, *worker.jobs]{which}:
            os.kill(pid, signal.SIGSTOP)
        print("there", flush=True)
        signal.pause()
    """
    with start_kernel(cache, code, stderr=subprocess.DEVNULL) as kernel:
        assert kernel.stdout is not None
        assert kernel.stdout.readline() == "there\n"
        kernel.send_signal(number)
    assert eventually(lambda: not processes())


def test_no_worker_starts_while_the_kernel_ends(
    cache: Cache, processes: Callable[[], dict[int, str]]
) -> None:
    code = """
        import atexit
        ask("fake.nothing", key="warm")
        atexit._run_exitfuncs()
        try:
            ask("fake.nothing", key="late")
        except WorkerError as error:
            print(error, flush=True)
    """
    with start_kernel(cache, code) as kernel:
        assert kernel.stdout is not None
        assert kernel.stdout.read() == "the kernel ends\n"
    assert eventually(lambda: not processes())


@pytest.mark.parametrize("seconds", [0.0, 0.2, 0.5, 0.8, 1.2])
def test_no_worker_outlives_a_kernel_that_is_killed_early(
    cache: Cache, processes: Callable[[], dict[int, str]], seconds: float
) -> None:
    code = """
        worker.start(cache)
        while worker.pid is None:
            time.sleep(0.005)
        print("there", flush=True)
        signal.pause()
    """
    with start_kernel(cache, code) as kernel:
        assert kernel.stdout is not None
        kernel.stdout.readline()
        time.sleep(seconds)
        kernel.kill()
    assert eventually(lambda: not processes())


def test_a_kernel_that_ends_is_not_held_up(
    cache: Cache, processes: Callable[[], dict[int, str]]
) -> None:
    code = """
        ask("fake.nothing", key="warm")
        wait(ask_later("fake.program", "C++"), "C++")
    """
    with start_kernel(cache, code) as kernel:
        assert kernel.wait(PATIENCE) == 0  # the job itself never ends
    assert eventually(lambda: not processes())


def test_forks_of_the_kernel(cache: Cache, processes: Callable[[], dict[int, str]]) -> None:
    """They neither disturb the worker, nor keep it alive, and may have one of their own."""
    code = """
        ask("fake.nothing", key="first")
        pid = worker.pid
        ticket = ask_later("fake.wait", "C++")
        wait(ticket, "C++")
        quiet = os.fork()
        if quiet == 0:
            signal.pause()
        busy = os.fork()
        if busy == 0:
            assert worker.pid is None
            try:
                ask("fake.nothing", key="refused")
            except WorkerError as error:
                assert "forked processes" in str(error)
            answer = ask("fake.nothing", key="second", ticket=Ticket(waited=True))
            worker.stop()
            sys.exit(0 if answer["kind"] == "done" else 1)
        assert os.waitpid(busy, 0)[1] == 0
        ticket.cancel()
        assert ask("fake.nothing", key="third")["kind"] == "done"
        assert worker.pid == pid
        print(quiet, flush=True)
        os.kill(os.getpid(), 9)
    """
    with start_kernel(cache, code) as kernel:
        assert kernel.stdout is not None
        quiet = int(kernel.stdout.readline())
    assert eventually(lambda: list(processes()) == [quiet])
    kill(quiet)
    assert cache.contents().entries == 3 + 1


def test_two_kernels_compile_the_same(
    cache: Cache, processes: Callable[[], dict[int, str]]
) -> None:
    code = """
        print([ask("fake.nothing", key=f"k{k}")["kind"] for k in range(20)], flush=True)
    """
    kernels = [start_kernel(cache, code) for _ in range(2)]
    for kernel in kernels:
        output, _ = kernel.communicate(timeout=PATIENCE)
        assert output == f"{['done'] * 20}\n"
    assert cache.contents().entries == 20 + 1
    assert is_tidy(cache)


@pytest.mark.parametrize("wait", range(6))
def test_a_worker_that_ends_at_any_moment_leaves_nothing(
    worker: CompileWorker, cache: Cache, wait: int
) -> None:
    """Its signal comes while jobs begin, run, are heard of or are cleared away."""
    ask(worker, cache, fake_build.job(), "first")
    assert worker.pid is not None
    asking = [Asking(worker, cache, fake_build.job(), f"k{number}") for number in range(5)]
    time.sleep(0.003 * wait)
    os.kill(worker.pid, signal.SIGTERM)
    for one in asking:
        one.join(PATIENCE)
        assert not one.is_alive()
    worker.stop()
    assert is_tidy(cache)


def test_a_forked_process_starts_none_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    made = CompileWorker()
    started: list[CompileWorker] = []
    monkeypatch.setattr(compile_worker, "_start", started.append)
    for made.is_fork in (True, False):
        compile_worker.start_soon(made)
    eventually(lambda: started == [made])


@pytest.mark.parametrize("how", ["", "raise"])
def test_what_helps_later_builds_is_done_once_while_nobody_waits(
    worker: CompileWorker, cache: Cache, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setenv("FAKE_CALM", "0.05")
    monkeypatch.setenv("FAKE_REST", how)
    worker.start(cache)
    eventually(lambda: worker.pid is not None)
    time.sleep(0.3)
    assert rested(cache) == []  # nothing was ever built: nobody may need it
    for key in ("a", "b", "c"):
        assert ask(worker, cache, fake_build.job(), key)["kind"] == "done"
        eventually(lambda: bool(rested(cache)))
        eventually(lambda: not list(cache.jobs.iterdir()))
    assert rested(cache) == ["once"]


def test_nobody_waits_for_what_helps_later_builds(
    worker: CompileWorker, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_CALM", "0.05")
    monkeypatch.setenv("FAKE_REST", "hang")
    ask(worker, cache, fake_build.job(), "a")
    eventually(lambda: bool(rested(cache)))
    assert ask(worker, cache, fake_build.job(), "b")["kind"] == "done"
    eventually(lambda: not worker.jobs)


HOLDS = """
import sys, time
from pathlib import Path
from jupyter_npcompile.runtime.compile_job import in_turn

with in_turn(Path(sys.argv[1]), "a"):
    print("it is held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process, which builds what is called ``a``."""
    command = [sys.executable, "-c", HOLDS, str(tmp_path / "turns")]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=CHECKOUT, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "it is held\n"
        yield process
        process.kill()


@pytest.mark.parametrize("how", ["done", "killed"])
def test_who_builds_the_same_waits(holder: subprocess.Popen[str], tmp_path: Path, how: str) -> None:
    """Each of many processes would build what the first of them has built a moment later."""
    waits: list[str] = []

    def wait() -> None:
        with compile_job.in_turn(tmp_path / "turns", "a"):
            waits.append("over")

    thread = threading.Thread(target=wait)
    thread.start()
    thread.join(0.2)
    assert not waits
    if how == "done":
        holder.communicate()
    else:
        holder.kill()
    thread.join(PATIENCE)
    assert waits == ["over"]


def test_who_builds_something_else_does_not(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    with compile_job.in_turn(tmp_path / "turns", "b"):
        assert holder.poll() is None


def test_who_has_been_stopped_is_not_waited_for_too_long(
    holder: subprocess.Popen[str], tmp_path: Path
) -> None:
    began = time.perf_counter()
    with compile_job.in_turn(tmp_path / "turns", "a", longest=0.1):
        assert time.perf_counter() - began >= 0.1
        assert holder.poll() is None
