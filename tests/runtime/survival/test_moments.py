"""Interrupts in native loops: names, arrays and lists are what Python's are at some moment.

Signals come at random moments of runs that take some tenths of a millisecond to some
milliseconds. What a run leaves is compared with every state that the same statements
go through in Python, instruction by instruction.
"""

from __future__ import annotations

import random
import signal
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime.loop_run import NativeRun
from jupyter_npcompile.runtime.worker import compiler
from tests.magic.test_magic import Shell
from tests.runtime.survival.test_interrupts import alarm
from tests.support.loops.moments import Moments, Names, seen
from tests.support.loops.native_loops import define
from tests.support.session.seeds import FUZZING, seeds

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

INTERRUPTS = 700 if FUZZING else 40
"""Of each program."""

WATCHED = ("m", "q", "out", "p", "total", "c", "a", "b", "i", "row", "done")


def begun() -> Names:
    """The names before a run."""
    return {
        "m": np.ones((30, 8)),
        "q": np.zeros(30),
        "out": [],
        "p": -1,
        "total": 0.0,
        "c": 0,
        "a": 1.0,
        "b": 2.0,
        "np": np,
    }


STATEMENTS = (
    "m[i] += 1.0",
    "q[i] = m[i].sum()",
    "total += q[i]",
    "p = i",
    "c += 2 if m[i, 0] > 1 else 1",
    "a, b = b, a + 1.0",
    "out.append(total)",
    "m[i, 3:6] *= 0.5",
    "for k in range(8):\n        m[i, k] = m[i, k] * 1.5 + k\n        c += 1",
    "if i % 3 == 0:\n        q[i] -= 1.0\n        p = i",
    "row = m[i] * 2.0",
    "q[i] = row[0] if i > 4 else a",
)

WORK = "for r in range(100):\n        m[i] = np.sqrt(m[i] * m[i] + 0.5)"
"""What takes some time natively, too."""

HEADERS = (
    "for i in range(30):",
    "for i in range(29, -1, -1):",
    "i = -1\nwhile i < 29:\n    i += 1",
)

PROGRAMS = {
    "rows": (HEADERS[0], [0, 1, 2, 3]),
    "elements": (HEADERS[0], [8, 3]),
    "while": (HEADERS[2], [0, 5, 2]),
    "backwards, and a list": (HEADERS[1], [2, 6, 0, 3]),
    "windows": (HEADERS[0], [7, 10, 4]),
}


def text_of(header: str, chosen: list[int]) -> str:
    """A program."""
    return "\n    ".join((header, *(STATEMENTS[k] for k in chosen), WORK)) + "\n"


def drawn(seed: int) -> str:
    """A program of some statements; those that read `row` come after it."""
    dice = random.Random(seed)
    chosen = sorted(dice.sample(range(len(STATEMENTS)), dice.randint(2, 5)))
    dice.shuffle(chosen)
    if 11 in chosen:
        chosen = [10, *(k for k in chosen if k != 10)]
    return text_of(dice.choice(HEADERS), chosen)


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """A shell in which loops are native, and compared as ever."""
    monkeypatch.setattr(npc.settings, "tier", "native-loop")
    made = Shell()
    yield made
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")


class Window:
    """When a native loop runs.

    Attributes
    ----------
    seconds : float
        How long all takes.
    inside : float
        How long native code does.
    """

    def __init__(self) -> None:
        self.seconds = self.inside = float("inf")
        self._press: Callable[[], None] | None = None
        go = NativeRun.go

        def watched(run: NativeRun, *arguments: Any, **options: Any) -> bool:
            press, self._press = self._press, None
            began = time.perf_counter()
            if press is not None:
                press()
            result = go(run, *arguments, **options)
            self.inside = min(self.inside, time.perf_counter() - began)
            return result

        self.watched = watched

    def note(self, seconds: float) -> None:
        """A run has taken so long."""
        self.seconds = min(self.seconds, seconds)

    def press(self, press: Callable[[float], None], dice: random.Random, *, inside: bool) -> None:
        """Have the stop button pressed at some moment, of native code or of all."""
        self._press = None
        if inside:
            self._press = lambda: press(max(1e-6, dice.uniform(0, 1.5 * self.inside)))
        else:
            press(max(1e-6, dice.uniform(0, self.seconds)))


def interrupt(
    run: Callable[[], BaseException | None],
    prepare: Callable[[], None],
    state: Callable[[], str],
    moments: set[str],
    seed: int,
) -> Counter[str]:
    """Interrupt something at random moments, and look at what it leaves each time."""
    dice = random.Random(seed)
    window = Window()
    patch = pytest.MonkeyPatch()
    patch.setattr(NativeRun, "go", window.watched)
    try:
        return interrupted(window, run, prepare, state, moments, dice)
    finally:
        patch.undo()


def interrupted(
    window: Window,
    run: Callable[[], BaseException | None],
    prepare: Callable[[], None],
    state: Callable[[], str],
    moments: set[str],
    dice: random.Random,
) -> Counter[str]:
    """The same, where it is known when native code runs."""
    for _ in range(5):
        prepare()
        began = time.perf_counter()
        assert run() is None
        window.note(time.perf_counter() - began)
    whole = state()
    counts = Counter[str]()
    with alarm() as press:
        for number in range(INTERRUPTS):
            prepare()
            error: BaseException | None
            try:
                window.press(press, dice, inside=number % 4 > 0)
                try:
                    error = run()
                finally:
                    press(0)
            except KeyboardInterrupt as late:
                error = late
            except (UnboundLocalError, AssertionError) as late:  # see `Interrupted.run`
                error = late.__context__
            found = state()
            assert found in moments, f"{error!r} leaves what Python never has: {found[:2000]}"
            counts["done" if error is None else "interrupted"] += 1
            counts["in the middle"] += found != whole
            assert error is not None or found == whole
    return counts


def of_cell(shell: Shell, source: str, seed: int) -> Counter[str]:
    """Interrupt a cell."""
    code = compile(source, "<moments>", "exec")
    moments = Moments(WATCHED, lambda frame: frame.f_globals)
    space = begun()
    moments.found.add(seen(space, WATCHED))
    moments.run([code], exec, code, space)
    moments.found.add(seen(space, WATCHED))
    names = shell.ip.user_ns

    def prepare() -> None:
        for name in WATCHED:
            names.pop(name, None)
        names.update(begun())

    def run() -> Any:
        return shell.run(f"%%npcompile --ahead --quiet\n{source}")

    for _ in range(3):
        prepare()
        assert run() is None
    assert compiler.wait()
    report = npc.last_report()
    assert report is not None
    tiers = {region.tier for region in report.regions}
    counts = interrupt(run, prepare, lambda: seen(names, WATCHED), moments.found, seed)
    print(counts)
    assert counts["interrupted"] > 0
    assert "native-loop" in tiers, report.text()
    return counts


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_cell(native: Shell, name: str) -> None:
    of_cell(native, text_of(*PROGRAMS[name]), 1)


@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(4))
def test_a_drawn_cell(native: Shell, seed: int) -> None:
    of_cell(native, drawn(seed), seed)


FUNCTION = """
def f(m, q, out):
    import math  # which is no native function's
    p, total, c, a, b = -1, 0.0, 0, 1.0, 2.0
    {body}
    return p, total, c, a, b, i
"""

HELPERS = """
def step(m, q, i):
    m[i] += 1.0
    q[i] = m[i].sum()
    return q[i]

def f(m, q, out):
    import math
    p, total = -1, 0.0
    for i in range(30):
        total += step(m, q, i)
        p = i
        for r in range(100):
            m[i] = np.sqrt(m[i] * m[i] + 0.5)
    return p, total, i
"""

CAUGHT = """
def f(m, q, out):
    i, p, total = -1, -1, 0.0
    try:
        {body}
    except KeyboardInterrupt:
        return {{"i": i, "p": p, "total": total}}
    return i, p, total
"""

WHOLE = """
def f(m, q, out):
    total = 0.0
    for i in range(30):
        m[i] += 1.0
        q[i] = m[i].sum()
        total += q[i]
        out.append(total)
        for r in range(100):
            m[i] = np.sqrt(m[i] * m[i] + 0.5)
    return total
"""


def of_function(source: str, seed: int, *, whole: bool = False) -> Counter[str]:
    """Interrupt a function, and look at its frame in the traceback, or at what it returns then.

    Where native code runs it as a whole, there is none: it has run, or has not begun.
    """
    plain = define(source)
    found = Names()
    watched = tuple(name for name in WATCHED if name != "row")  # nobody reads it any more
    if whole:
        watched = ("m", "q", "out")
    left: Names = {}

    def prepare() -> None:
        left.clear()
        found.update({name: value for name, value in begun().items() if name in ("m", "q", "out")})

    moments = Moments(watched, lambda frame: {**frame.f_locals, **found})
    prepare()
    defined = plain.__globals__.values()
    codes = [it.__code__ for it in defined if isinstance(it, FunctionType)]
    moments.run(codes, plain, found["m"], found["q"], found["out"])
    moments.found.add(seen(found, watched))  # the call is over
    prepare()
    moments.found.add(seen(found, watched))  # it has not begun
    compiled = npc.compile(ahead=True)(plain)

    def run() -> BaseException | None:
        try:
            caught = compiled(found["m"], found["q"], found["out"])
        except KeyboardInterrupt as error:
            for frame, _ in traceback.walk_tb(error.__traceback__):
                if frame.f_code.co_name == "f":
                    left.update(frame.f_locals)
            return error
        if isinstance(caught, dict):
            left.update(caught)
            return KeyboardInterrupt()
        return None

    def state() -> str:
        return seen({**left, **found}, watched)

    for _ in range(4):
        prepare()
        assert run() is None
        assert compiler.wait()
    counts = interrupt(run, prepare, state, moments.found, seed)
    print(counts)
    return counts


def indented(body: str, by: int) -> str:
    """A body, in a function."""
    return body.rstrip().replace("\n", "\n" + " " * by)


FUNCTIONS = {
    "rows": FUNCTION.format(body=indented(text_of(*PROGRAMS["rows"]), 4)),
    "while": FUNCTION.format(body=indented(text_of(*PROGRAMS["while"]), 4)),
    "windows": FUNCTION.format(body=indented(text_of(*PROGRAMS["windows"]), 4)),
    "one that catches it": CAUGHT.format(body=indented(text_of(*PROGRAMS["rows"]), 8)),
    "helpers": HELPERS,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(npc.settings, "tier", "native-loop")
    of_function(FUNCTIONS[name], 3)


def test_a_whole_function() -> None:
    of_function(WHOLE, 3, whole=True)


def marched(x: Any, steps: int) -> Any:
    """Something with loops, writes in place and views, whose gradient takes some milliseconds."""
    y = x.copy()
    for k in range(steps):
        y[1:] += 0.1 * y[:-1] * np.sin(y[1:])
        y[k % 5] *= 0.9
    return (y * y).sum()


def test_gradients_can_be_asked_for_again() -> None:
    """What is interrupted leaves arguments, NumPy and later gradients as they were."""
    x = np.linspace(0.1, 1.0, 12)
    before, state = x.copy(), (np.geterr(), np.sin, np.add, signal.getsignal(signal.SIGINT))
    slope = npc.grad(marched)
    expected = slope(x, 8)

    def run() -> BaseException | None:
        try:
            found = slope(x, 8)
        except KeyboardInterrupt as error:
            return error
        np.testing.assert_array_equal(found, expected)
        return None

    run()
    began = time.perf_counter()
    run()
    seconds = time.perf_counter() - began
    dice, counts = random.Random(7), Counter[bool]()
    with alarm() as press:
        for _ in range(INTERRUPTS):
            try:
                press(dice.uniform(1e-5, seconds))
                error = run()
                press(0)
            except KeyboardInterrupt as late:
                error = late
            counts[error is None] += 1
            np.testing.assert_array_equal(x, before)
            assert (np.geterr(), np.sin, np.add, signal.getsignal(signal.SIGINT)) == state
            assert run() is None
    assert counts[False] > 0


@pytest.mark.parametrize("reached", ["errstate", "filters"])
def test_a_gradient_that_is_interrupted_leaves_no_error_state(reached: str) -> None:
    """As if a signal had come after `np.errstate` has begun, and before `with` knows of it."""
    npc.grad(np.sin)(1.5)  # torch has filters of its own, which stay
    before = np.geterr(), list(warnings.filters)

    def stopped(x: Any) -> Any:
        if reached == "errstate":
            np.seterr(all="ignore")
        else:
            warnings.catch_warnings().__enter__()
            warnings.simplefilter("error")
        raise KeyboardInterrupt

    for derivative in (npc.grad(stopped), npc.jacobian(stopped), lambda x: npc.vjp(stopped, x)):
        with pytest.raises(KeyboardInterrupt):
            derivative(1.5)
        assert (np.geterr(), list(warnings.filters)) == before


def test_what_the_function_itself_sets_stays_when_it_ends() -> None:
    """`SystemExit` is the function's own, and so is what it has set by then."""

    def stopped(x: Any) -> Any:
        np.seterr(over="ignore")
        raise SystemExit

    with pytest.raises(SystemExit):
        npc.grad(stopped)(1.5)
    assert np.geterr()["over"] == "ignore"
