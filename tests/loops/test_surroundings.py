"""What native loops meet: helpers, odd arrays, errors, threads and people who stop them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from tests.support.cells.native import compare, run_compiled, run_native
from tests.support.loops.native_loops import (
    assert_same,
    compiled,
    define,
    differences,
    how,
    outcome,
    ran_natively,
    reasons,
    top_loops,
)


@pytest.fixture(autouse=True)
def _native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "native-loop")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "off")


SMOOTH = """
def smooth(a, n):
    t = 0.0
    for k in range(n):
        for i in range(1, len(a) - 1):
            a[i] = 0.5 * a[i] + 0.25 * (a[i - 1] + a[i + 1])
        t = a[1]
    return t, a
"""


# -- helpers


def test_helpers_with_defaults_closures_and_globals() -> None:
    text = """
def program(a, n):
    scale = 0.5
    def closed(x, by=2.0):
        return x * scale + by + SHIFT
    def chosen(x):
        if x > 0:
            return x
        return -x
    t = 0.0
    for i in range(n):
        t += closed(a[i]) + closed(a[i], by=1.0) + chosen(a[i])
    return t
"""
    rng = np.random.default_rng(3)
    a = rng.normal(size=8)
    native = assert_same(define(text, {"SHIFT": 0.25}), lambda run: (a, 8))
    assert how(native) == "native", reasons(native)


@pytest.mark.parametrize(
    ("rebind", "value"),
    [("helper", lambda x: x - 7), ("SHIFT", -0.0), ("SHIFT", 9), ("sine", np.cos)],
)
def test_what_is_rebound_between_calls_counts(rebind: str, value: Any) -> None:
    text = """
def helper(x):
    return x * SHIFT
def program(a):
    t = -0.0
    for i in range(len(a)):
        t = helper(a[i]) + sine(a[i]) * SHIFT
    return t
"""
    names: dict[str, Any] = {"SHIFT": 0.0, "sine": np.sin}
    function = define(text, names)
    native = compiled(function)
    a = np.array([0.0, 1.5])
    for _ in range(2):
        assert not differences(outcome(function, [a]), outcome(native, [a]))
    assert how(native) == "native", reasons(native)
    function.__globals__[rebind] = value
    assert not differences(outcome(function, [a]), outcome(native, [a]))


def test_new_defaults_of_a_helper_count() -> None:
    text = """
def helper(x, by=1.0):
    return x + by
def program(a):
    t = 0.0
    for i in range(len(a)):
        t += helper(a[i])
    return t
"""
    function = define(text)
    native = compiled(function)
    a = np.arange(4.0)
    assert native(a) == function(a)
    assert how(native) == "native", reasons(native)
    function.__globals__["helper"].__defaults__ = (5.0,)
    assert native(a) == function(a)


def test_a_helper_that_reads_what_the_loop_binds_is_not_written_into_it() -> None:
    text = """
def program(n):
    t = 1
    def read():
        return t
    for i in range(n):
        t = t + read()
    return t
"""
    native = assert_same(define(text), lambda run: (9 + run,))
    assert how(native) == "python"


def test_the_order_of_effects_is_pythons() -> None:
    text = """
def bump(a):
    a[0] = a[0] + 1.0
    return 1.0
def program(a, n):
    for i in range(n):
        b = a * 2.0 + bump(a)
        c = bump(a) + a * 2.0
    return b, c, a
"""
    assert_same(define(text), lambda run: (np.arange(3.0), 4))


def test_a_helper_that_makes_an_array() -> None:
    text = """
def fill(x, n):
    made = np.zeros(n)
    for k in range(n):
        made[k] = x * k
    return made
def program(a):
    for i in range(len(a)):
        b = a * 2.0 + fill(a[i], len(a))
    return b
"""
    native = assert_same(define(text), lambda run: (np.arange(5.0),))
    assert how(native) == "native", reasons(native)


def test_recursion_and_generators() -> None:
    text = """
def program(a, depth):
    if depth == 0:
        return 0.0
    t = 0.0
    for i in range(len(a)):
        t += a[i] * depth
        if i == 1:
            t += 1
    return t + program(a, depth - 1)
"""
    function = define(text)
    native = compiled(function)
    a = np.arange(5.0)
    assert native(a, 3) == function(a, 3)
    stepping = """
def program(a):
    for row in a:
        t = 0.0
        for x in row:
            t += x
        yield t
"""
    function = define(stepping)
    m = np.random.default_rng(0).normal(size=(4, 5))
    assert list(compiled(function)(m)) == list(function(m))


# -- arrays


class Special(np.ndarray[Any, Any]):
    """An array of another type."""


def unaligned() -> Any:
    memory = np.zeros(5 * 8 + 1, "u1")
    made = memory[1:].view("f8")
    made[...] = np.arange(5.0)
    return made


def read_only() -> Any:
    made = np.arange(5.0)
    made.flags.writeable = False
    return made


@pytest.mark.parametrize(
    "make",
    [
        unaligned,
        read_only,
        lambda: np.arange(5.0).astype(">f8"),
        lambda: np.arange(5.0).view(Special),
        lambda: np.ma.masked_array(np.arange(5.0), [0, 1, 0, 0, 0]),
        lambda: np.arange(5.0).astype("f2"),
        lambda: np.arange(5.0, dtype=object),
        lambda: list(np.arange(5.0)),
    ],
    ids=["unaligned", "read-only", "swapped", "subclass", "masked", "half", "objects", "list"],
)
def test_other_arrays_than_it_was_compiled_for(make: Callable[[], Any]) -> None:
    function = define(SMOOTH)
    native = compiled(function)
    native(np.arange(6.0), 2)
    assert how(native) == "native", reasons(native)
    expected, found = outcome(function, [make(), 3]), outcome(native, [make(), 3])
    assert expected.error == found.error
    if expected.error is None:
        for one, other in zip(expected.result, found.result, strict=True):
            assert type(one) is type(other)
            np.testing.assert_array_equal(one, other)


def test_broadcast_memory_and_views_of_one_array() -> None:
    text = """
def program(a, b):
    for i in range(1, len(a)):
        a[i] = a[i - 1] + b[i] * 0.5
        b[0] += 1
    return a
"""

    def overlapping(run: int) -> tuple[Any, Any]:
        whole = np.arange(9.0)
        return whole[run : run + 6], whole[2:8]

    native = assert_same(define(text), overlapping, runs=4)
    assert how(native) == "native", reasons(native)


def test_an_array_can_be_resized_between_runs() -> None:
    function = define(SMOOTH)
    native = compiled(function)
    for size in (6, 9, 3, 0, 1):
        one, other = np.zeros(6), np.zeros(6)
        one.resize(size, refcheck=False)
        other.resize(size, refcheck=False)
        assert not differences(outcome(function, [one, 2]), outcome(native, [other, 2]))


# -- errors


@pytest.mark.parametrize("mode", ["ignore", "warn", "raise", "call", "print", "log"])
@pytest.mark.parametrize(
    "line",
    [
        "b = np.log(a)",
        "b = 1.0 / a",
        "b = np.exp(a * 1e4)",
        "b = np.sqrt(a - 1.0)",
        "b = a * 1e-320 * 1e-20",
        "b = np.arcsin(a + 1.0)",
        "t = np.float64(1.0) / a[0]",
        "t = np.log(a[0])",
    ],
)
def test_floating_point_errors(line: str, mode: str, capfd: Any) -> None:
    text = f"""
def program(a, seen):
    t, b = 0.0, a
    with np.errstate(all={mode!r}, call=SEEN):
        for i in range(3):
            a[1] = i
            {line}
    return t, b, a
"""

    class Log:
        def __init__(self) -> None:
            self.seen: list[Any] = []

        def __call__(self, *args: Any) -> None:
            self.seen.append(args)

        def write(self, text: str) -> None:
            self.seen.append(text)

    log = Log()
    function = define(text, {"SEEN": log})
    native = compiled(function)
    results = []
    for called in (function, native):
        log.seen = []
        results.append((outcome(called, [np.linspace(0, 9, 40), 0]), log.seen, capfd.readouterr()))
    assert not differences(results[0][0], results[1][0])
    assert results[0][1:] == results[1][1:]
    assert mode != "ignore" or how(native) == "native", reasons(native)


def test_an_error_in_the_middle_leaves_what_python_leaves() -> None:
    text = """
def program(a, kept):
    t = 0.0
    try:
        for i in range(2 * len(a)):
            a[i] += 1
            t = t + a[i]
    except IndexError as error:
        return t, i, str(error), a
"""
    assert_same(define(text), lambda run: (np.arange(5.0), None))


# -- threads, and who stops it


def test_two_threads_at_once() -> None:
    function = define(SMOOTH)
    native = compiled(function)
    native(np.arange(50.0), 2)
    expected = [function(np.arange(float(n)), 300) for n in (40, 60)]
    found: list[Any] = [None, None]

    def work(k: int, n: int) -> None:
        found[k] = native(np.arange(float(n)), 300)

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate((40, 60))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(expected, found, strict=True):
        assert one[0] == other[0]
        np.testing.assert_array_equal(one[1], other[1])


LONG = """
def program(a, n, state):
    i = -1
    try:
        for i in range(n):
            a[0] += 1.0
            for j in range({inner}):
                a[1] = a[1] * 0.5 + 1.0
    except KeyboardInterrupt:
        state.append("stopped")
    return i, a
"""


@pytest.mark.parametrize(("n", "inner"), [(10**9, 10**4), (10**7, 10**6)])
def test_a_long_loop_stops_when_somebody_asks(n: int, inner: int) -> None:
    function = define(LONG.format(inner=inner))
    native = compiled(function)
    native(np.zeros(2), 2, [])
    assert how(native) == "native", reasons(native)
    a, state = np.zeros(2), []
    timer = threading.Timer(1.5, _interrupt)
    timer.start()
    i, _ = native(a, n, state)  # all of it would take hours
    timer.join()
    assert state == ["stopped"]
    # The names are those between two iterations, or of one that Python was in.
    assert a[0] in (i, i + 1)
    assert sum(f.iterations for s in top_loops(native) for f in s.forms) > 2


def _interrupt() -> None:
    """What Ctrl-C does, to the main thread."""
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def test_random_numbers_wherever_native_code_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """In automatic mode: an iteration is predicted, taken back, and run by Python."""
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "raise")

    def walk(steps: int, rng: np.random.Generator) -> float:
        total = 0.0
        for _ in range(steps):
            step = rng.normal() * 0.5
            if rng.random() < 0.25:
                step += rng.integers(3)
            total = total * 0.75 + step
        return total

    made = jupyter_npcompile.compile(walk)
    one, other = np.random.default_rng(7), np.random.default_rng(7)
    for call in range(12):
        assert made(1500, one) == walk(1500, other), call
        assert one.bit_generator.state == other.bit_generator.state
        jupyter_npcompile.wait()
    assert ran_natively(made), reasons(made)


def test_threads_that_share_a_generator() -> None:
    def total(steps: int, rng: np.random.Generator) -> float:
        t = 0.0
        for _ in range(steps):
            t += rng.random()
        return t

    made = compiled(total)
    rng = np.random.default_rng(1)
    made(10, rng)
    threads = [threading.Thread(target=made, args=(200_000, rng)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = np.random.default_rng(1)
    expected.random(10 + 4 * 200_000)
    assert rng.bit_generator.state == expected.bit_generator.state


WAITING = """
low, high = np.zeros(5), np.linspace(1, 2, 5)
while np.max(high - low) > 1e-6:
    middle = (low + high) / 2
    left = middle < 0.7
    high = np.where(left, high, middle)
    low = np.where(left, middle, low)
    later = middle[1:]
"""


def test_what_a_while_loop_makes_has_no_value_before_it() -> None:
    source = WAITING.strip("\n")
    compiled = run_compiled(source, tier="native-loop", runs=3)
    for one, other in zip(run_native(source, runs=3).outcomes, compiled.outcomes, strict=True):
        assert compare(one, other) == []
    order = [name for name in compiled.outcomes[-1].names if name in ("middle", "left", "later")]
    assert order == ["middle", "left", "later"]
    assert "native-loop" in [region.tier for region in compiled.reports[-1].regions]
