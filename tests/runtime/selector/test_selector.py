"""Whole calls decide whether a function runs with its guards or as it was written."""

from __future__ import annotations

import ast
import math
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jupyter_npcompile
from jupyter_npcompile.runtime import first_check
from jupyter_npcompile.runtime.cells import CellHandle, compile_cell, forget
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.selector.race import Race
from jupyter_npcompile.runtime.selector.selector import Bucket, Selector, Turn, size_of
from jupyter_npcompile.runtime.selector.thresholds import (
    BLIND,
    GLANCE,
    LEARNING,
    LEAST,
    MOST,
    TIMING,
)
from jupyter_npcompile.runtime.worker import Compiler, compiler


def calls_of(
    guarded: list[float], written: list[float], calls: int
) -> tuple[float, float, Selector]:
    """Seconds that calls take, seconds that they take as written, and the selector."""
    judge, spent, least = Selector(), 0.0, 0.0
    for number in range(calls):
        ours, plain = guarded[number % len(guarded)], written[number % len(written)]
        if judge.is_blind():
            as_written = judge.written
        else:
            turn = judge.turn({}, 0)
            as_written = judge.written if turn is None else turn.written
            if turn is not None:
                turn.bucket.add(turn.written, plain if as_written else ours)
        spent += plain if as_written else ours
        least += plain
    return spent, least, judge


SECONDS = st.floats(1e-7, 10.0)


@given(SECONDS, SECONDS)
def test_no_function_is_much_slower_than_it_was_written(ours: float, plain: float) -> None:
    spent, least, judge = calls_of([ours], [plain], 5_000)
    rounds = 9 * abs(ours - plain)
    assert spent <= least * (1 + 2 * TIMING) + rounds
    assert judge.written == (plain < ours) or abs(plain - ours) <= 0.03 * min(plain, ours)


@given(st.floats(1e-4, 1.0), st.floats(0.1, 100.0), st.integers(1, 300))
def test_what_is_new_at_every_call_costs_little(plain: float, times: float, idle: int) -> None:
    """Calls with guards never show anything; most calls run as they were written."""
    now, lost, guarded = 0.0, 0.0, 0
    judge = Selector(clock=lambda: now)
    for number in range(2_000):
        turn = judge.turn({}, number)
        as_written = judge.written if turn is None else turn.written
        seconds = plain if as_written else plain * times
        now += seconds
        if number % idle == 0:
            judge.end()  # something was compiled
        if not as_written:
            assert turn is not None
            turn.bucket.void(written=False, seconds=seconds)
            lost, guarded = lost + max(0.0, seconds - plain), guarded + 1
        elif turn is not None:
            turn.bucket.add(True, seconds)
    assert lost <= LEARNING * now + plain * times * (3 + math.log2(times / LEARNING + 1))
    assert guarded >= min(9, 2_000 / times)


@given(SECONDS, st.integers(2, 50))
def test_nor_does_what_was_compiled_lie_idle(plain: float, factor: int) -> None:
    spent, least, _ = calls_of([plain / factor], [plain], 5_000)
    assert spent <= least / factor * (1 + 2 * TIMING) + 9 * plain


@given(st.integers(0, 10**6))
def test_noise_does_not_matter(seed: int) -> None:
    noise = np.random.default_rng(seed).uniform(1.0, 1.25, 997)
    times = list(1e-2 * noise)
    spent, least, judge = calls_of([1.3 * seconds for seconds in times], times, 5_000)
    assert judge.written
    assert spent <= 1.05 * least


def test_a_slow_call_by_chance_does_not_matter() -> None:
    bucket = Bucket()
    for ours in (9.0, 1.0, 1.0, 1.0, 1.0):
        bucket.add(False, ours)
        bucket.add(True, 2.0)
    assert bucket.winner is False


@pytest.mark.parametrize(("expected", "truth"), [(20.0, 20.0), (20.0, 0.5), (1e4, 0.1)])
def test_what_is_expected_to_save_much_is_tried_later(expected: float, truth: float) -> None:
    """Nobody waits for NumPy in the first calls; where it is faster all the same, that shows."""
    bucket, ours, calls, spent = Bucket(), 0.1, 0, 0.0
    bucket.expect(ours, ours * (expected - 1))
    assert bucket.winner is False
    first = bucket.left
    assert 8 <= first <= 20 * max(expected, 1)
    bucket.left, calls = 0, first
    bucket.begin()
    while bucket.winner is None:
        spent += ours * truth if (written := bucket.next()) else ours
        bucket.add(written, ours * truth if written else ours)
        bucket.expect(ours, ours * (expected - 1))  # which is not believed twice
    assert bucket.winner is (truth < 1)
    assert spent <= 0.5 * ours * (calls + 4) * max(truth, 1)


@pytest.mark.parametrize(
    ("ours", "saved"), [(5e-4, 4e-4), (0.01, 0.02), (1.0, 0.9), (1.0, -3.0), (0.2, 0.0)]
)
def test_what_saves_little_is_not_expected_to_win(ours: float, saved: float) -> None:
    bucket = Bucket()
    bucket.expect(ours, saved)
    assert bucket.winner is None
    assert bucket.is_new


@pytest.mark.parametrize("factor", [2.0, 3.5, 5.0, 40.0])
def test_what_is_expected_says_how_far_ahead_it_is(factor: float) -> None:
    """Twice is enough for long calls, and is known as much as twenty times."""
    bucket = Bucket()
    bucket.expect(1.0, factor - 1.0)
    assert bucket.winner is False
    assert bucket.lead == pytest.approx(factor)


def test_races_become_rare() -> None:
    judge, timed = Selector(), []
    for number in range(200_000):
        if judge.is_blind():
            pass
        elif (turn := judge.turn({}, 0)) is not None:
            turn.bucket.add(turn.written, 1e-5)
            timed.append(number)
    assert len(timed) < 150
    assert LEAST < timed[-1] < MOST


def test_long_calls_are_seen_soon_after_many_brief_ones() -> None:
    now = 0.0
    judge = Selector(clock=lambda: now)
    while not judge.is_blind():
        turn = judge.turn({"n": 1}, 0)
        if turn is not None:
            turn.bucket.add(turn.written, 2e-6 if turn.written else 1e-6)
    calls = 0
    while judge.is_blind():
        now += 1.0
        calls += 1
    assert calls <= GLANCE


def test_other_sizes_are_seen_soon_after_many_brief_calls() -> None:
    judge, since = Selector(), 0

    def call(size: int, ours: float, plain: float) -> bool:
        if judge.is_blind():
            return False
        turn = judge.turn({"n": size}, 0)
        if turn is not None:
            turn.bucket.add(turn.written, plain if turn.written else ours)
        return turn is not None

    for _ in range(100_000):
        call(1, 2e-5, 1e-5)
    while not call(1000, 1e-3, 2e-3):
        since += 1
    assert since <= BLIND


def test_sizes_have_their_own_verdicts() -> None:
    judge = Selector()
    for _ in range(400):
        for size in (4, 4000):
            turn = judge.turn({"x": np.empty(size)}, 0)
            if turn is not None:
                faster = turn.written == (size == 4)
                turn.bucket.add(turn.written, 1e-3 * size if faster else 2e-3 * size)
    for size in (4, 4000):
        while judge.turn({"x": np.empty(size)}, 0) is not None:
            pass
        assert judge.written == (size == 4)


def test_sizes_are_told_apart_up_to_a_factor_of_two() -> None:
    class Odd(np.ndarray[Any, Any]):
        size = property(lambda self: 1 / 0)

    assert size_of([np.zeros(1000), 1000]) == size_of([np.zeros((600, 1)), 513])
    assert size_of([np.zeros(1000)]) != size_of([np.zeros(1100)])
    assert size_of([np.zeros(3).view(Odd), True, 2.5]) == (0, 0, 0)


# -- with functions


def element_by_element(x: Any) -> float:
    total = 0.0
    seen = {}
    for k in range(len(x)):
        y = x[k] * 2.0 + 1.0
        total += y * y - y
        seen[k] = y  # native loops have no dictionaries
    return total + len(seen)


def halves(x: Any) -> Any:
    y = np.sqrt(x * x + 1.0) * 0.5
    return y * np.exp(-y) + y


def settled(function: Any, *args: Any, calls: int = 60) -> Any:
    for _ in range(calls):
        function(*args)
        assert jupyter_npcompile.wait()
    return handle_of(function)


def measured(monkeypatch: pytest.MonkeyPatch, *, compiled: float, numpy: float) -> None:
    """Have every measurement say so, in seconds: a machine on which much runs says anything."""
    add = Bucket.add

    def contest(plan: Any, namespace: Any, race: Race, left: float) -> None:
        race.plain[:], race.compiled[:] = [numpy] * 9, [compiled] * 9

    monkeypatch.setattr(
        Bucket,
        "add",
        lambda bucket, written, _: add(bucket, written, numpy if written else compiled),
    )
    monkeypatch.setattr(first_check, "slower_side", lambda *cold: None)
    monkeypatch.setattr(first_check, "contest", contest)
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")


@pytest.mark.slow
def test_a_loop_over_elements_runs_as_it_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    measured(monkeypatch, compiled=2e-3, numpy=1e-3)
    fast = jupyter_npcompile.compile(element_by_element)
    x = np.linspace(0, 1, 2000)
    handle = settled(fast, x)
    assert fast(x) == element_by_element(x)
    assert handle.activate() is None
    report = jupyter_npcompile.last_report()
    assert report is not None
    assert all(region.tier == "numpy" for region in report.regions)
    assert any("as a whole NumPy is faster" in region.note for region in report.regions)
    # Other values of the same sizes change nothing; other sizes have a race of their own.
    assert fast(x[::-1].copy()) == element_by_element(x[::-1])
    assert fast(x[:7]) == element_by_element(x[:7])


@pytest.mark.slow
def test_what_gains_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    measured(monkeypatch, compiled=1e-3, numpy=2e-3)
    fast = jupyter_npcompile.compile(halves)
    x = np.linspace(0, 1, 3000)
    settled(fast, x, calls=30)
    before = jupyter_npcompile.stats()["dispatches"]
    for _ in range(20):
        fast(x)
    assert jupyter_npcompile.stats()["dispatches"] >= before + 10
    report = jupyter_npcompile.last_report()
    assert report is not None
    assert [region.tier for region in report.regions] == ["inductor"]


def test_a_forced_tier_has_no_race(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "aten")
    fast = jupyter_npcompile.compile(halves)
    before = jupyter_npcompile.stats()["dispatches"]
    for _ in range(50):
        fast(np.ones(3))
    assert jupyter_npcompile.stats()["dispatches"] == before + 50


def test_errors_end_turns_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")

    def refuses(x: Any) -> Any:
        y = x + 1
        raise ValueError(y[0])

    fast = jupyter_npcompile.compile(refuses)
    for _ in range(200):
        with pytest.raises(ValueError, match="2") as caught:
            fast(np.ones(2))
        assert len(caught.traceback) == 2


def test_threads_share_a_selector() -> None:
    judge, errors = Selector(), []

    def call() -> None:
        try:
            for _ in range(5_000):
                turn = judge.turn({}, 0)
                if turn is not None:
                    turn.bucket.add(turn.written, 1e-2)
                    if time.perf_counter_ns() % 7 == 0:
                        turn.bucket.begin()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


# -- with cells

LOOP = """
total = start
for k in range(300):
    if k % 7 == 3:
        continue
    total = total + str(x[k % 3])
"""


def run_cell(
    source: str,
    space: dict[str, Any],
    *,
    completed: bool = True,
    turns: list[Turn | None] | None = None,
) -> CellHandle:
    handle = compile_cell(ast.parse(source), source, Options())
    handle.namespace = space
    handle.enter()
    if turns is not None:
        turns.append(handle._turn)
    try:
        exec(compile(handle.program.tree, "<cell>", "exec"), space)
    finally:
        handle.leave(completed=completed)
    assert compiler.wait()  # a loop that may get a native form takes no sides
    return handle


@pytest.fixture
def _forgetful() -> Iterator[None]:
    forget()
    yield
    forget()


@pytest.mark.usefixtures("_forgetful")
def test_runs_of_a_cell_are_timed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    measured(monkeypatch, compiled=2e-3, numpy=1e-3)
    expected: dict[str, Any] = {"x": np.arange(3), "start": ""}
    exec(LOOP, expected)
    turns: list[Turn | None] = []
    for _ in range(60):
        space: dict[str, Any] = {"x": np.arange(3), "start": ""}
        run_cell(LOOP, space, turns=turns)
        assert space["total"] == expected["total"]
    assert {turn.written for turn in turns if turn is not None} == {True, False}
    assert turns[-1] is None  # it is decided
    run_cell(LOOP, {"x": np.arange(3000), "start": ""}, turns=turns)
    assert turns[-1] is not None  # other sizes have a race of their own


@pytest.mark.usefixtures("_forgetful")
def test_a_run_that_fails_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")
    for _ in range(60):
        handle = run_cell(LOOP, {"x": np.arange(3), "start": ""}, completed=False)
        assert handle._turn is not None
    assert not handle._turn.bucket.race.compiled


@pytest.mark.usefixtures("_forgetful")
def test_loops_wait_for_what_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")
    monkeypatch.setattr(Compiler, "submit", lambda *args, **kwargs: None)
    source = "for k in range(3):\n    y = np.sqrt(x) + 1\n"
    turns: list[Turn | None] = []
    run_cell(source, {"x": np.arange(3.0), "np": np})
    for _ in range(20):
        handle = run_cell(source, {"x": np.arange(3.0), "np": np}, turns=turns)
        assert turns.pop() is None
        assert not any(handle.plain)


def test_one_slow_call_does_not_decide_for_numpy() -> None:
    bucket = Bucket()
    for written, seconds in ((False, 0.7), (True, 0.18)):  # it waited for memory that it keeps
        bucket.add(written, seconds)
    assert bucket.winner is None
    for written, seconds in ((True, 0.18), (False, 0.1), (True, 0.17), (False, 0.1)):
        bucket.add(written, seconds)
    assert bucket.winner is False


def test_one_very_slow_call_decides() -> None:
    bucket = Bucket()
    for written, seconds in ((False, 7.0), (True, 1.8)):
        bucket.add(written, seconds)
    assert bucket.winner is True
