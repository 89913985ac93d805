"""Functions that call themselves: what runs as it was written does so all the way down."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime.function_handle import SPARED, FunctionHandle, ask_again
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.selector.selector import Selector

Array = np.ndarray[Any, np.dtype[Any]]

ROTATED = np.exp(-2j * np.pi * np.arange(64) / 128)


def transform(x: Array) -> Array:
    """A discrete Fourier transform of a power of two."""
    n = len(x)
    if n == 1:
        return x.astype(complex)
    even, odd = transform(x[::2]), transform(x[1::2])
    turned = ROTATED[:: 128 // n] * odd
    return np.concatenate([even + turned, even - turned])


def depth(x: Array, most: int) -> int:
    """How deep it comes, with a small computation in each call."""
    y = x + 1.0
    if most == 0:
        raise ZeroDivisionError(float(y[0]))
    return 1 + depth(y, most - 1)


def halves(x: Array, at_the_end: Callable[[], None]) -> float:
    """A sum by halves, which calls something at the bottom."""
    if len(x) <= 2:
        at_the_end()
        return float(np.sum(x))
    middle = len(x) // 2
    return halves(x[:middle], at_the_end) + halves(x[middle:], at_the_end)


@pytest.fixture
def recursive(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[Any, FunctionHandle]]:
    """A function of this module, compiled under its own name, which rests; and its handle."""

    def make(name: str) -> tuple[Any, FunctionHandle]:
        made = npc.compile(globals()[name])
        monkeypatch.setitem(globals(), name, made)
        handle = _handle(made)
        handle.rest.left = 1_000_000
        return made, handle

    return make


def _handle(made: Any) -> FunctionHandle:
    found = handle_of(made)
    assert isinstance(found, FunctionHandle)
    return found


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[FunctionHandle]:
    """Who was asked how a call runs."""
    found: list[FunctionHandle] = []
    activate = FunctionHandle.activate

    def ask(self: FunctionHandle) -> Any:
        found.append(self)
        return activate(self)

    monkeypatch.setattr(FunctionHandle, "activate", ask)
    return found


def test_only_the_outermost_call_is_asked(recursive: Any, asked: list[FunctionHandle]) -> None:
    written = transform
    x = np.random.default_rng(0).normal(size=128)
    made, handle = recursive("transform")
    for calls in (1, 2):
        np.testing.assert_allclose(made(x), np.fft.fft(x), atol=1e-12)
        assert asked == [handle] * calls
        assert not handle.within
    assert made.__wrapped__ is written


def test_it_is_not_forgotten_by_errors(recursive: Any) -> None:
    written = depth
    made, handle = recursive("depth")
    for function in (written, made):
        with pytest.raises(ZeroDivisionError, match=r"11\.0") as caught:
            function(np.zeros(3), 10)
        assert not handle.within
        names = [entry.name for entry in caught.traceback]
        assert names.count("depth") == 11


def test_the_stack_is_as_deep_as_before(recursive: Any) -> None:
    """Each call has one frame, so both come as far."""
    reached = []
    written = depth
    made, handle = recursive("depth")
    limit = sys.getrecursionlimit()
    for function in (written, made):
        for most in range(limit // 2, limit):
            try:
                function(np.zeros(1), most)
            except RecursionError:
                reached.append(most)
                break
            except ZeroDivisionError:
                continue
    assert not handle.within
    assert abs(reached[0] - reached[1]) <= 3


def test_an_interrupt_where_it_begins_is_survived(
    recursive: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The function has not got what it is to tell of its end."""
    made, handle = recursive("halves")
    activate = FunctionHandle.activate

    def struck(self: FunctionHandle) -> None:
        activate(self)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(FunctionHandle, "activate", struck)
        with pytest.raises(KeyboardInterrupt):
            made(np.arange(8.0), lambda: None)
    assert not handle.within
    assert made(np.arange(8.0), lambda: None) == 28.0


def test_threads_at_once(recursive: Any) -> None:
    made, handle = recursive("halves")
    barrier, sums = threading.Barrier(4), []

    def meet() -> None:
        barrier.wait()

    def run() -> None:
        sums.append(made(np.arange(16.0), meet))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sums == [120.0] * 4
    assert not handle.within


def test_what_calls_nothing_of_itself_has_no_such_question() -> None:
    assert _handle(npc.compile(transform)).program.recurs
    plain = npc.compile(_shifted)
    assert not _handle(plain).program.recurs
    assert "within" not in plain.__code__.co_names


def _shifted(x: Array) -> Array:
    y = x + 1.0
    return y * 2.0


def test_calls_in_between_are_not_asked(
    monkeypatch: pytest.MonkeyPatch, asked: list[FunctionHandle]
) -> None:
    made = npc.compile(_shifted)
    handle = _handle(made)
    handle.rest.left = 1_000
    monkeypatch.setattr(FunctionHandle, "modules", {})
    for _ in range(10 * (SPARED + 1)):
        np.testing.assert_array_equal(made(np.zeros(2)), 2.0)
    assert len(asked) == 10
    assert handle.rest.left == 1_000 - 10 * (SPARED + 1)
    made(np.zeros(2))
    ask_again()
    made(np.zeros(2))
    assert len(asked) == 12
    monkeypatch.setattr(FunctionHandle, "modules", {"torch": None})  # its tensors are followed
    made(np.zeros(2))
    made(np.zeros(2))
    assert len(asked) == 14


def test_calls_of_another_length_are_asked_again() -> None:
    """What is judged by its size must not go on for long without a look at it."""
    now = [0.0]
    selector = Selector(clock=lambda: now[0])
    while (turn := selector.turn({}, 0)) is not None:
        turn.bucket.add(turn.written, 1e-6 if turn.written else 2e-6)
    assert selector.written
    assert selector.spare(SPARED) == SPARED
    now[0] += 1.0  # calls have become long
    assert selector.spare(SPARED) == 0
    assert not selector.is_blind()
