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
    IN_GAPS,
    LOOK,
    SHARE,
    TURN,
    WAKE,
    courteous,
    give_way,
    rests,
)
from jupyter_npcompile.runtime.worker import Compiler


class Clock(threading.local):
    """Time that goes on when it is told to.

    Each thread has its own: what other tests have left in the background takes breaks, too.
    """

    def __init__(self) -> None:
        self.now = self.used = self.lost = 0.0
        self.runs = False
        self.busy = self.period = 0.0
        self.breaks: list[float] = []

    def works(self, seconds: float = 2 * TURN, beside: float = 0.0) -> None:
        """The thread works; the user's code does so for a part of the time."""
        self.now += seconds
        self.used += seconds * beside
        self.lost += seconds * (1 - beside) * (1 + WAKE / TURN)

    def sleep(self, seconds: float) -> None:
        self.breaks.append(seconds)
        for _ in range(max(1, round(seconds / STEP))):
            self.now += seconds / max(1, round(seconds / STEP))
            if self.runs or self.now % max(self.period, STEP) < self.busy:
                self.used += seconds / max(1, round(seconds / STEP))


class OwnAccount(threading.local, courtesy.Account):
    """An account of each thread, for the same reason: its clock is the one it knows."""


STEP = 0.0005
"""Seconds of the smallest piece of a break in which the user's code runs, or rests."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(courtesy, "perf_counter", lambda: made.now)
    monkeypatch.setattr(courtesy, "_user_time", lambda: made.used)
    monkeypatch.setattr(courtesy, "sleep", made.sleep)
    monkeypatch.setattr(courtesy, "_account", OwnAccount())
    return made


def test_what_other_tests_have_left_forgives_nothing(clock: Clock) -> None:
    """It looks at its own clock, in which the user's code rests."""
    clock.runs = True
    with courteous():
        assert not rests(LOOK)
        clock.works()
        give_way()
        thread = threading.Thread(target=rests, args=(LOOK,))
        thread.start()
        thread.join()
        assert courtesy._account.taken > 0


def test_who_is_waited_for_takes_no_breaks(clock: Clock) -> None:
    clock.works(1.0)
    give_way()
    assert clock.breaks == []


def test_breaks_are_short_where_nothing_else_runs(clock: Clock) -> None:
    with courteous():
        for _ in range(100):
            clock.works()
            give_way()
            give_way()  # the turn has just begun
    assert clock.breaks == [BREAK] * 100


def test_turns_take_no_more_than_their_share_of_the_users_time(clock: Clock) -> None:
    clock.runs = True
    with courteous():
        assert not rests(LOOK)  # it is seen to run
        clock.lost = 0.0
        while clock.used < 20.0:
            clock.works()
            give_way()
            assert clock.lost <= AT_ONCE + SHARE * clock.used + 4 * TURN
    assert clock.lost >= 0.9 * SHARE * clock.used  # and no less
    assert set(clock.breaks) == {BREAK, LOOK}


def test_what_the_users_code_has_lost_just_before_counts(clock: Clock) -> None:
    clock.runs = True
    courtesy.charge(AT_ONCE)
    with courteous():
        assert not rests(LOOK)
        clock.works()
        give_way()
        assert clock.breaks.count(LOOK) > 1  # there is nothing left to be taken at once
    clock.now += 2 * courtesy.RECENT
    del clock.breaks[:]
    with courteous():
        assert not rests(LOOK)
        clock.works()
        give_way()
        assert clock.breaks == [LOOK, BREAK]


def test_the_gaps_are_used_where_the_users_code_rests_time_and_again(clock: Clock) -> None:
    """It runs for 7 of 37 ms: what is done while it rests costs it nothing."""
    clock.busy, clock.period = 0.007, 0.037
    worked = 0.0
    with courteous():
        assert not rests(LOOK)
        while clock.now < 4.0:
            clock.works()
            worked += 2 * TURN
            give_way()
    account = courtesy._account
    assert worked > 3 * (AT_ONCE + SHARE * clock.used)
    assert account.taken <= IN_GAPS + SHARE * clock.used + 4 * TURN


def test_what_runs_beside_it_has_lost_nothing(clock: Clock) -> None:
    """NumPy lets go of Python's lock for what takes long."""
    clock.runs = True
    with courteous():
        assert not rests(LOOK)
        for _ in range(100):
            clock.works(beside=1.0)
            give_way()
    assert clock.breaks == [LOOK, *[BREAK] * 100]


def test_nothing_is_owed_once_the_users_code_is_over(clock: Clock) -> None:
    with courteous():
        clock.runs = True
        assert not rests(LOOK)
        while clock.breaks[1:].count(LOOK) < 3:  # it has taken what it may
            clock.works()
            give_way()
        clock.runs = False
        assert rests(LOOK)
        del clock.breaks[:]
        for _ in range(20):
            clock.works()
            give_way()
    assert clock.breaks == [BREAK] * 20


def test_threads_have_one_account(clock: Clock) -> None:
    clock.runs = True
    with courteous():
        assert not rests(LOOK)
        clock.works()
        give_way()
        with courteous():  # another thread that begins meanwhile forgives nothing
            assert courtesy._account.taken > 0


def test_what_was_taken_from_an_earlier_run_is_forgotten(clock: Clock) -> None:
    clock.runs = True
    for _ in range(3):
        with courteous():
            assert courtesy._account.taken == 0
            assert not rests(LOOK)
            clock.works(AT_ONCE)
            give_way()
            assert courtesy._account.taken > 0


def test_a_look_is_no_longer_than_that(clock: Clock) -> None:
    with courteous():
        assert rests(10.0)
        clock.runs = True
        assert not rests(10.0)
        assert not rests(LOOK / 2)
    assert clock.breaks == [LOOK, LOOK, LOOK / 2]


def test_it_ends_with_what_is_not_urgent(clock: Clock) -> None:
    with courteous():
        with courteous():
            pass
        clock.works()
        give_way()
    clock.works()
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


def test_jobs_in_the_background_are_courteous_and_others_are_not() -> None:
    compiler, seen = Compiler(), []

    def job() -> None:
        seen.append(courtesy._turn.began is not None)

    compiler.submit(job)
    assert compiler.wait()
    compiler.run(job)
    assert seen == [True, False]


@pytest.mark.parametrize("runs", [True, False])
def test_jobs_wait_until_the_users_code_rests(
    monkeypatch: pytest.MonkeyPatch, *, runs: bool
) -> None:
    """The newest of those that have come meanwhile goes first."""
    looks: list[float] = []
    order: list[int] = []
    compiler = Compiler({"segments": 0.3})
    first = threading.Event()

    def rests(seconds: float) -> bool:
        looks.append(seconds)
        time.sleep(min(seconds, 0.02))
        return not runs and first.is_set()

    monkeypatch.setattr("jupyter_npcompile.runtime.worker.rests", rests)
    began = time.monotonic()
    compiler.submit(lambda: order.append(0))
    compiler.submit(lambda: order.append(1))
    first.set()
    assert compiler.wait()
    assert order == [1, 0]
    assert looks
    assert not runs or time.monotonic() - began >= 0.3
