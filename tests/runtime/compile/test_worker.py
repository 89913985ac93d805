"""Compile jobs: what somebody waits for first, then the newest; nothing hangs."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

import pytest

from jupyter_npcompile.runtime import notices, worker
from jupyter_npcompile.runtime import progress as waits
from jupyter_npcompile.runtime.progress import Progress, watched
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.runtime.ticket import Ticket
from jupyter_npcompile.runtime.worker import Compiler, width
from tests.support.session.processes import PATIENCE, eventually

ESTIMATE = dict.fromkeys(("trace", "lower", "generate", "C++", "load"), 1.0)


class Gate:
    """A job that waits until it may go on."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.open = threading.Event()
        self.done = False

    def __call__(self) -> None:
        self.begun.set()
        assert self.open.wait()
        self.done = True


def occupied(compiler: Compiler) -> list[Gate]:
    """Keep every background thread busy."""
    gates = [Gate() for _ in range(width())]
    for gate in gates:
        compiler.submit(gate)
        assert gate.begun.wait()
    return gates


def let_go(gates: list[Gate]) -> None:
    for gate in gates:
        gate.open.set()


def test_the_newest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    compiler = Compiler()
    gates = occupied(compiler)
    order: list[int] = []
    for number in range(5):
        compiler.submit(lambda number=number: order.append(number))  # type: ignore[misc]
    assert compiler.pending == 6
    assert not compiler.wait(0.05)
    let_go(gates)
    assert compiler.wait()
    assert order == [4, 3, 2, 1, 0]
    assert compiler.pending == 0


def test_who_waits_does_not_wait_for_the_background() -> None:
    compiler = Compiler()
    gates = occupied(compiler)
    done: list[int] = []
    compiler.run(lambda: done.append(1))
    assert done == [1]
    let_go(gates)
    assert compiler.wait()


def test_segments_wait_for_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a loop that runs natively holds may never be needed."""
    monkeypatch.setattr(worker, "YIELDS", 1e6)
    compiler = Compiler()
    loop = Gate()
    order: list[str] = []
    compiler.submit(loop, lane="loops")
    assert loop.begun.wait()
    compiler.submit(lambda: order.append("segment" if loop.done else "too early"))
    assert not compiler.wait(0.05)
    assert not order
    loop.open.set()
    assert compiler.wait()
    assert order == ["segment"]


def test_segments_do_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "YIELDS", 0.01)
    compiler = Compiler()
    loop, done = Gate(), threading.Event()
    compiler.submit(loop, lane="loops")
    assert loop.begun.wait()
    compiler.submit(done.set)
    assert done.wait(PATIENCE)
    loop.open.set()
    assert compiler.wait()


def test_newer_segments_do_not_keep_older_ones_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest says how long they wait for a loop."""
    monkeypatch.setattr(worker, "YIELDS", 0.2)
    compiler = Compiler()
    loop, done = Gate(), threading.Event()
    compiler.submit(loop, lane="loops")
    assert loop.begun.wait()
    rounds = 0
    while not done.wait(0.02):
        compiler.submit(done.set)
        rounds += 1
    assert not loop.done
    loop.open.set()
    assert compiler.wait()
    assert rounds


def test_loops_do_not_wait_for_segments() -> None:
    compiler = Compiler()
    gates = occupied(compiler)
    done = threading.Event()
    compiler.submit(done.set, lane="loops")
    assert done.wait()
    let_go(gates)
    assert compiler.wait()


def test_what_comes_after_waits_only_for_what_was_there() -> None:
    compiler = Compiler()
    gates = occupied(compiler)
    seen: list[str] = []
    compiler.after(lambda: seen.append("after"))
    compiler.run(lambda: seen.append("later"))
    assert seen == ["later"]
    let_go(gates)
    assert compiler.wait()
    assert seen == ["later", "after"]
    compiler.after(lambda: seen.append("at once"))
    assert compiler.wait()
    assert seen[-1] == "at once"


def test_many_threads() -> None:
    compiler = Compiler()
    done: list[int] = []

    def use() -> None:
        for number in range(50):
            compiler.submit(lambda: done.append(1))
            if number % 10 == 0:
                compiler.run(lambda: done.append(1))

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert compiler.wait()
    assert len(done) == 8 * 55


def interrupt_soon(seconds: float) -> None:
    """Press the stop button."""
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


def interrupted(act: Callable[[], None]) -> None:
    """Interrupt something that waits for what comes later."""
    interrupt_soon(0.3)
    with pytest.raises(KeyboardInterrupt):
        act()


def test_interrupting_a_wait() -> None:
    compiler = Compiler()
    gate, ticket = Gate(), Ticket()
    interrupted(lambda: compiler.run(gate, ticket))
    assert not gate.done
    assert ticket.cancelled
    gate.open.set()
    assert compiler.wait()
    done: list[int] = []
    compiler.run(lambda: done.append(1))
    assert done == [1]


def test_what_was_given_up_before_it_began_is_not_done() -> None:
    compiler = Compiler()
    gate = Gate()
    thread = threading.Thread(target=compiler.run, args=(gate,))
    thread.start()
    assert gate.begun.wait()
    done: list[int] = []
    interrupted(lambda: compiler.run(lambda: done.append(1), Ticket()))
    assert not gate.done
    gate.open.set()
    thread.join()
    assert compiler.wait()
    assert done == []


def test_a_wait_is_shown() -> None:
    compiler = Compiler()
    ticket = Ticket()
    seen: list[Progress] = []

    def job() -> None:
        for phase in ("lower", "C++"):
            ticket.enter(phase)
            assert eventually(lambda name=phase: name in {step.phase for step in seen})  # type: ignore[misc]

    with watched(seen.append, lambda: ESTIMATE):
        compiler.run(job, ticket)
    assert [step.phase for step in seen if step.phase][-1] == "C++"
    assert [step.over for step in seen] == [False] * (len(seen) - 1) + [True]
    fractions = [step.fraction for step in seen]
    assert fractions == sorted(fractions)
    assert not seen[-1].cancelled


def test_a_short_wait_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits, "PATIENCE", 1e6)
    seen: list[Progress] = []
    with watched(seen.append, lambda: ESTIMATE):
        Compiler().run(lambda: time.sleep(0.2), Ticket())
    assert seen == []


def test_an_interrupted_wait_is_shown_as_such() -> None:
    compiler = Compiler()
    seen: list[Progress] = []
    gate = Gate()
    with watched(seen.append, lambda: ESTIMATE):
        began = Ticket()
        began.began -= 1
        interrupted(lambda: compiler.run(gate, began))
    gate.open.set()
    assert seen[-1].over
    assert seen[-1].cancelled


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded")
def test_a_forked_process_begins_anew() -> None:
    compiler = Compiler()
    gates = occupied(compiler)
    for _ in range(3):
        compiler.submit(lambda: None)
    pid = os.fork()
    if pid == 0:
        done: list[int] = []
        quiet = compiler.pending == 0 and compiler.wait()
        compiler.submit(lambda: done.append(1))
        os._exit(0 if quiet and compiler.wait() and done == [1] else 1)
    assert os.waitpid(pid, 0)[1] == 0
    let_go(gates)
    assert compiler.wait()


def test_what_nobody_wants_any_more_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor the oldest of too many; what has no ticket does."""
    monkeypatch.setattr(worker, "MOST_WAITING", 3)
    compiler = Compiler()
    gates = occupied(compiler)
    ran: list[int] = []
    tickets = [Ticket() for _ in range(8)]

    def submit(number: int, ticket: Ticket | None) -> None:
        compiler.submit(lambda: ran.append(number), ticket)

    submit(100, None)
    for number, ticket in enumerate(tickets):
        submit(number, ticket)
        if number % 2:
            ticket.cancel()
    assert compiler.pending - len(gates) <= 4
    let_go(gates)
    assert compiler.wait()
    assert ran == [6, 100]
    assert all(ticket.cancelled for number, ticket in enumerate(tickets) if number != 6)


def test_what_a_job_raises_is_told() -> None:
    """And the next job runs."""
    compiler, done = Compiler(), threading.Event()

    def fails() -> None:
        raise AttributeError("'int' object has no attribute 'nbytes'")

    before = counters.fallbacks
    compiler.submit(fails)
    assert compiler.wait()
    compiler.submit(done.set)
    assert compiler.wait()
    assert done.is_set()
    assert counters.fallbacks == before + 1
    assert any("AttributeError: 'int' object has no" in line for line in notices.take())
