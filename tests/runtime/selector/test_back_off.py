"""Statements in which nothing is ever compiled are left alone."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.runtime.frame import Frame
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.selector import back_off as module
from jupyter_npcompile.runtime.selector.back_off import Pauses
from jupyter_npcompile.runtime.selector.rest import Rest
from jupyter_npcompile.runtime.selector.selector import Bucket, Selector
from jupyter_npcompile.runtime.selector.thresholds import LONGEST, PATIENCE, WAITING
from jupyter_npcompile.runtime.state import RegionState


def looks(pauses: Pauses, count: int, *, waiting: bool = False) -> int:
    seen = 0
    for _ in range(count):
        if pauses.stop(3) is None:
            seen += 1
            pauses.vain(3, 5, waiting=waiting)
    return seen


def test_one_looks_less_and_less_often() -> None:
    pauses = Pauses()
    assert looks(pauses, PATIENCE) == PATIENCE
    assert pauses.stop(3) == 5
    assert looks(pauses, 100 * LONGEST) < 120


def test_while_something_compiles_one_looks_soon_enough() -> None:
    pauses = Pauses()
    assert looks(pauses, 100 * WAITING, waiting=True) >= 95


def test_what_fits_again_is_looked_at_each_time() -> None:
    pauses = Pauses()
    looks(pauses, 1000)
    pauses.end(3)
    assert looks(pauses, PATIENCE) == PATIENCE


def scalar_loop(m: Any) -> int:
    r = 0
    for byte in m:
        r ^= int(byte)
        if r & 1:
            r >>= 1
    return r


def test_a_loop_over_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")
    calls = []
    real = RegionState.step

    def counted(*args: Any) -> Any:
        calls.append(args)
        return real(*args)

    monkeypatch.setattr(RegionState, "step", counted)
    function = jupyter_npcompile.compile(scalar_loop)
    m = np.arange(20_000) % 251
    assert function(m) == scalar_loop(m)
    assert isinstance(handle_of(function), FunctionHandle)
    assert len(calls) < 1000


# -- rest


def test_functions_rest_and_wake() -> None:
    rest = Rest([range(2)])
    guarded = looked = 0
    for _ in range(100 * LONGEST):
        if rest.left:
            rest.left -= 1
        else:
            guarded += 1
            rest.in_vain = True
            looked += rest.begins()
    assert guarded < 130
    assert looked == guarded - PATIENCE + 1
    rest.plain[0] = rest.hopeless[0] = True
    rest.end()
    assert (rest.left, rest.plain) == (0, [False])


def test_a_function_in_which_something_runs_never_rests() -> None:
    rest = Rest(())
    for _ in range(3 * PATIENCE):
        rest.ran = True
        assert not rest.begins()
        assert not rest.left


def test_loops_without_hope_go_on_without_guards() -> None:
    rest = Rest([range(3), range(1, 2)])
    without = {1}
    rest.consider(1, lambda region, nested, seldom: region in without)
    assert rest.plain == [False, True]
    without |= {0, 2}
    rest.consider(0, lambda region, nested, seldom: region in without)
    assert rest.plain == [True, True]


def test_inner_loops_do_not_wait_for_what_is_compiled() -> None:
    rest = Rest([range(3), range(1, 2), range(1, 2)])
    rest.consider(1, lambda region, nested, seldom: nested)
    assert rest.plain == [False, True, True]
    rest.end()
    assert rest.plain == [False, False, False]


def test_loops_that_come_back_do_not_wait_either() -> None:
    """Nor for a statement that they seldom come to."""
    rest = Rest([range(2), range(2, 4)], comes_back=[True, False])
    asked: list[tuple[int, bool, bool]] = []

    def hopeless(region: int, waiting: bool, seldom: bool) -> bool:
        asked.append((region, waiting, seldom))
        return True

    rest.consider(0, hopeless)
    rest.consider(2, hopeless)
    assert asked == [(0, True, False), (1, True, True), (2, False, False), (3, False, False)]


def test_what_is_hopeless(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(module, "perf_counter", lambda: now[0])

    def waiting_for(seconds: float, *, waiting: bool = False) -> Pauses:
        pauses = Pauses()
        for _ in range(600):
            if pauses.stop(0) is None:
                pauses.vain(0, 1, waiting=waiting)
            now[0] += seconds
        return pauses

    assert Pauses().hopeless()  # it has not been come to
    assert waiting_for(0).hopeless()
    assert not waiting_for(0, waiting=True).hopeless()  # something is being compiled
    assert waiting_for(0, waiting=True).hopeless(waiting=True)
    assert not waiting_for(2e-4).hopeless()  # guards do not matter
    assert waiting_for(2e-4).hopeless(waiting=True)  # it comes back: nothing is lost
    assert not waiting_for(2e-3).hopeless(waiting=True)
    assert waiting_for(2e-4).hopeless(seldom=True)
    pauses = Pauses()
    pauses.end(0)  # something has run
    assert not pauses.hopeless()


def questions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Which regions are asked for from now on."""
    asked: list[int] = []
    real = Frame.at

    def counted(self: Frame, region: int, index: int, frame: FrameType | None = None) -> bool:
        asked.append(region)
        return real(self, region, index, frame or sys._getframe(1))

    monkeypatch.setattr(Frame, "at", counted)
    return asked


def test_a_loop_over_elements_asks_nothing_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")
    monkeypatch.setattr(module, "perf_counter", lambda: 0.0)  # its rounds are brief
    function = jupyter_npcompile.compile(scalar_loop)
    m = np.arange(20_000) % 251
    asked = questions(monkeypatch)
    assert function(m) == scalar_loop(m)
    assert len(asked) < 5000
    asked.clear()
    assert function(m) == scalar_loop(m)
    assert len(asked) < 10


def test_a_function_that_never_compiles_runs_as_it_was_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")
    add = Bucket.add
    monkeypatch.setattr(
        Bucket, "add", lambda bucket, written, _: add(bucket, written, 1e-6 if written else 2e-6)
    )

    def plain(n: Any) -> Any:
        k = int(n) + 1
        return str(k)

    function = jupyter_npcompile.compile(plain)
    for n in range(100):
        assert function(n) == plain(n)
    asked = questions(monkeypatch)
    for n in range(1000):
        assert function(n) == plain(n)
    assert len(asked) < 40  # numbers of other sizes have races of their own


def test_a_forced_tier_never_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "aten")

    def broken(x: Any) -> Any:
        for k in range(100):
            y = np.frombuffer(x.tobytes(), x.dtype) + k
        return y

    function = jupyter_npcompile.compile(broken)
    function(np.ones(3))
    asked = questions(monkeypatch)
    assert function(np.ones(3)).tolist() == [100, 100, 100]
    assert len(asked) >= 100


def test_of_a_cell_only_loops_are_judged() -> None:
    cell, function = Rest([range(1, 3)], Selector()), Rest([range(1, 3)])
    assert [cell.is_judged(region) for region in range(4)] == [False, True, True, False]
    assert function.is_judged(0)
