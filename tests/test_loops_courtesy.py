"""Work in the background takes breaks, long ones where the user's code runs."""

from __future__ import annotations

import sys
import threading
import time

import pytest

from jupyter_npcompile.loops import courtesy
from jupyter_npcompile.loops.courtesy import (
    AT_ONCE,
    BREAK,
    LONG,
    LOOK,
    SHARE,
    TURN,
    courteous,
    give_way,
)
from jupyter_npcompile.runtime.worker import Compiler


class Clock(threading.local):
    """Time that goes on when it is told to.

    Each thread has its own: what other tests have left in the background takes breaks, too.
    """

    def __init__(self) -> None:
        self.now = self.used = self.worked = 0.0
        self.runs = False
        self.breaks: list[float] = []

    def works(self, seconds: float) -> None:
        self.now += seconds
        self.worked += seconds

    def sleep(self, seconds: float) -> None:
        self.breaks.append(seconds)
        self.now += seconds
        if self.runs:
            self.used += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(courtesy, "perf_counter", lambda: made.now)
    monkeypatch.setattr(courtesy, "_user_time", lambda: made.used)
    monkeypatch.setattr(courtesy, "sleep", made.sleep)
    return made


def test_who_is_waited_for_takes_no_breaks(clock: Clock) -> None:
    clock.works(1.0)
    give_way()
    assert clock.breaks == []


def test_breaks_are_short_where_nothing_else_runs(clock: Clock) -> None:
    with courteous():
        for _ in range(3):
            clock.works(2 * TURN)
            give_way()
            give_way()  # the turn has just begun
    assert clock.breaks == [BREAK] * 3


def test_breaks_are_long_while_the_users_code_runs(clock: Clock) -> None:
    with courteous():
        clock.runs = True
        for _ in range(3):  # the first break shows that it runs
            clock.works(2 * TURN)
            give_way()
        clock.runs = False
        for _ in range(2):
            clock.works(2 * TURN)
            give_way()
    long = pytest.approx(LONG * 2 * TURN)
    assert clock.breaks == [BREAK, long, long, long, BREAK]


def test_turns_take_no_more_than_their_share_of_the_users_time(clock: Clock) -> None:
    with courteous():
        clock.runs = True
        while clock.used < 10.0:
            clock.works(2 * TURN)
            give_way()
            assert clock.worked <= AT_ONCE + SHARE * clock.used + 2 * TURN
    assert clock.worked >= SHARE * clock.used  # and no less


def test_nothing_is_owed_once_the_users_code_is_over(clock: Clock) -> None:
    with courteous():
        clock.runs = True
        while LOOK not in clock.breaks:  # it has taken what it may
            clock.works(2 * TURN)
            give_way()
        clock.runs = False
        del clock.breaks[:]
        for _ in range(20):
            clock.works(2 * TURN)
            give_way()
    assert clock.breaks == [pytest.approx(LONG * 2 * TURN), *[BREAK] * 19]


def test_it_ends_with_what_is_not_urgent(clock: Clock) -> None:
    with courteous():
        with courteous():
            pass
        clock.works(2 * TURN)
        give_way()
    clock.works(2 * TURN)
    give_way()
    assert clock.breaks == [BREAK]


@pytest.mark.skipif(sys.platform != "linux", reason="the clock of another thread")
def test_the_users_thread_is_seen_to_run() -> None:
    seen: list[float] = []

    def look() -> None:
        seen.append(courtesy._user_time())

    def looked() -> float:
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        return seen[-1]

    before, began = looked(), time.thread_time()
    while time.thread_time() - began < 0.02:
        pass
    assert looked() - before >= 0.02


def test_breaks_of_other_threads_are_not_this_one_s(clock: Clock) -> None:
    def works() -> None:
        with courteous():
            clock.works(2 * TURN)
            give_way()
            seen.append(clock.breaks)

    seen: list[list[float]] = []
    thread = threading.Thread(target=works)
    thread.start()
    thread.join()
    assert (seen, clock.breaks) == ([[BREAK]], [])


def test_jobs_in_the_background_are_courteous_and_others_are_not() -> None:
    compiler, seen = Compiler(), []

    def job() -> None:
        seen.append(courtesy._turn.began is not None)

    compiler.submit(job)
    assert compiler.wait(30)
    compiler.run(job)
    assert seen == [True, False]
