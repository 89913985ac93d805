"""Results that stay on a device until somebody may look: never seen before they are there."""

from __future__ import annotations

import contextlib
import gc
import io
import signal
import sys
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jupyter_npcompile as npc
from jupyter_npcompile.runtime.device import late as late_results
from jupyter_npcompile.runtime.device import watch
from jupyter_npcompile.runtime.device.device import LaunchError
from jupyter_npcompile.runtime.device.late import LateResults, LostResultError
from jupyter_npcompile.runtime.device.observers import dies_silently, is_unobserved
from jupyter_npcompile.runtime.device.standin import MEMORY, standin
from tests.support.cells.native import Run, assert_same
from tests.support.session.silent_threads import only_tests_run


@pytest.fixture(autouse=True)
def _only_tests_run() -> Iterator[None]:
    with only_tests_run():
        yield
    standin.memory = MEMORY
    standin.faults.clear()
    standin.copy_faults.clear()
    assert gc.isenabled()


SETUP = """
import gc, io, pickle, signal, sys, threading, warnings, weakref
import numpy as np

x = np.arange(6.0) + RUN
w = np.ones(6)
y = np.zeros(6)
one = np.ones(1)
seen = []
box = [x]
names = {"x": x}
view = x[1:4]
memory = memoryview(x)
reader = np.frombuffer(x)

def look(*arrays):
    seen.append([np.array(array).tolist() for array in arrays])

def look_at_globals():
    if not {"x", "y", "view", "seen"} <= globals().keys():
        return  # the namespace is being emptied
    seen.append([x.tolist(), y.tolist(), view.tolist()])

class Looking:
    def __del__(self):
        if "look_at_globals" in globals():
            look_at_globals()

class Holder:
    def __init__(self, array):
        self.array = array

    def __str__(self):
        return str(self.array)

    def __iter__(self):
        for k in range(2):
            seen.append(self.array.tolist())
            yield k

holder = Holder(x)

def closing(array):
    def told():
        seen.append(array.tolist())
    return told

told = closing(x)
"""

LOOP = "for k in range({rounds}):\n    {body}\n"


def in_loop(*statements: str, rounds: int = 4) -> str:
    body = "\n".join(statements).replace("\n", "\n    ")
    return LOOP.format(rounds=rounds, body=body)


def back(run: Run) -> int:
    """Bytes that were copied back, in both runs."""
    regions = run.reports[-1].regions
    return sum(region.copies.to_host for region in regions if region.copies is not None)


CHECKED = 48
"""What the very first run of a segment copies back, to be compared with NumPy's."""


@pytest.mark.parametrize("rounds", [4, 200])
@pytest.mark.parametrize(
    "body",
    [
        "x += 1",
        "x[1:-1] = (x[2:] + x[:-2]) / 2",
        "y = y * 0.5 + x",
        "x = x[::-1] * 0.5",
        "y = y * 0.5 + x\nlow = y[:3]",
        "y = y * 0.5 + x\nn = len(seen) + k",
        "y = y * 0.5 + x\nif k % 2:\n    continue\nn = k",
        "y = y * 0.5 + x\nprint(k, y.shape)",
        "y = y * 0.5 + x\nseen.append(k)\ny += 1",
        "n = 0\nwhile n < 2:\n    y = y * 0.5 + x\n    n += 1",
        "try:\n    y = y * 0.5 + x\n    print(k)\nexcept ValueError:\n    pass",
    ],
)
def test_a_loop_copies_back_once(body: str, rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_results, "LONGEST", 1e6)  # however busy the machine is
    found = assert_same(in_loop(body, rounds=rounds), setup=SETUP, device="standin")
    segments = sum(region.segments for region in found.reports[-1].regions if region.copies)
    assert back(found) <= 2 * 48 + segments * CHECKED


def test_a_call_copies_back_once() -> None:
    def steps(x: Any, n: int) -> Any:
        total = x * 0
        for k in range(n):
            x += 1
            total = total + x
            if k % 5 == 0:
                print(k, end=" ")
        return total

    compiled = npc.compile(steps, device="standin")
    mine, theirs = np.arange(60.0), np.arange(60.0)
    for n in (3, 30):
        with contextlib.redirect_stdout(io.StringIO()):
            assert compiled(mine, n).tolist() == steps(theirs, n).tolist()
            assert mine.tolist() == theirs.tolist()
    report = npc.last_report()
    assert report is not None
    regions = [region for region in report.regions if region.copies is not None]
    checked = 480 * (1 + 2)  # the first runs of both segments
    assert sum(region.copies.to_host for region in regions if region.copies) == checked + 2 * 960
    (copies,) = [region.copies for region in regions if region.copies and region.copies.moments]
    assert ("x", "at the end") in copies.moments
    assert dict(copies.moments)["total"].startswith("before line ")  # that of `return total`
    assert copies.unneeded == (33 - 3) * 960


def test_the_report_says_when() -> None:
    cell = in_loop("y = y * 0.5 + x", "if k % 10 == 9:", "    print(y)", rounds=30)
    found = assert_same(cell, setup=SETUP, device="standin")
    (copies,) = [region.copies for region in found.reports[-1].regions if region.copies]
    assert copies.moments == (("y", "before line 5"),)
    assert copies.to_host == 2 * 3 * 48 + CHECKED
    assert copies.unneeded == (60 - 7) * 48


def test_only_what_is_looked_at_is_copied_back() -> None:
    cell = in_loop("y = y * 0.5 + x", "print(w)", "w = x - 1", "print(w.sum())", rounds=10)
    found = assert_same(cell, setup=SETUP, device="standin")
    first, second = [region.copies for region in found.reports[-1].regions]
    assert first is not None
    assert second is not None
    assert first.to_host == 2 * 48 + CHECKED
    assert first.moments == (("y", "at the end"),)
    assert second.to_host == 2 * 10 * 48
    assert second.moments == (("w", "before line 6"),)


LOOKING = [
    "print(x)",
    "print(f'{y.sum():.3f}')",
    "look(x, y)",
    "look_at_globals()",
    "seen.append(float(x[2]))",
    "seen.append(x.tolist())",
    "seen.append(view.sum())",
    "seen.append(box[0][1])",
    "seen.append([float(part) for part in names['x']])",
    "seen.append(pickle.dumps(x))",
    "seen.append(x.tobytes())",
    "seen.append(bytes(memory))",
    "seen.append(reader.sum() + len(seen))",
    "seen.append(np.asarray(x).tolist())",
    "seen.append(memoryview(y).tolist())",
    "seen.append(str(holder))",
    "told()",
    "seen.append(globals()['y'].tolist())",
    "exec('seen.append(y.tolist())')",
    "import pandas as pd; print(pd.DataFrame({'x': x}).sum())",
    "from matplotlib.figure import Figure; print(Figure().gca().plot(x)[0].get_ydata())",
    "thread = threading.Thread(target=look_at_globals); thread.start(); thread.join(); del thread",
    "signal.raise_signal(signal.SIGUSR1) if signal.getsignal(signal.SIGUSR1) else None",
    "if x[0] > 2:\n    seen.append(1)",
    "while y.max() > 1e9:\n    break",
    "for t in y:\n    seen.append(t)",
    "for t in holder:\n    seen.append(t)",
    "assert x.sum() > -1e9, x",
    "try:\n    look(x); raise ValueError\nexcept ValueError:\n    look(y)",
    "try:\n    k // 0\nexcept ZeroDivisionError:\n    look(x, y)",
    "try:\n    k // 0\nexcept (look(x, y) or ZeroDivisionError):\n    pass",
    "try:\n    pass\nfinally:\n    look(x, y)",
    "def inner(a=look(x)):\n    pass",
    "class Inner:\n    look(x)",
    "y.dtype = np.int64; look(y); y.dtype = np.float64",
    "t: look(x, y) = 3",
    "sys.stdout.flush()",
    "gc.collect(); look(x)",
    "warnings.warn(str(x))",
    "box.append(y); look(*box); del box[-1]",
]

LOOKS_IF_IT_CAN = 'lambda _: look_at_globals() if "look_at_globals" in globals() else None'
"""A callback that may be called while the namespace is being emptied, as `Looking` may."""

DYING = [
    "t = Looking()",
    "t = None",
    "q = Looking()\nprint(k)\nq = x * 2",
    "t = [Looking()]",
    f"reference = weakref.ref(y, {LOOKS_IF_IT_CAN})",
    f"reference = weakref.ref(x, {LOOKS_IF_IT_CAN})",
    "t = [1, {2: Looking()}]",
]

COMPUTING = [
    "x += 1",
    "x[1:-1] = (x[2:] + x[:-2]) / 2",
    "y = x * 2 + w",
    "y = y * 0.5 + x",
    "w *= 0.5",
    "u = x[1:4]",
    "u -= 0.25",
    "x[::2] = w[::2]",
    "view += 1",
    "x = x[::-1] + 1",
    "w = np.sort(y)[::-1] + 1",
    "y = reader * 2",
    "v = x.reshape(2, 3)",
    "v[0] *= 2",
    "s = float(np.sum(y))",
    "y = x[x > 1].sum() + w",
]

BLIND = ["k += 1", "n = k", "print(k)", "t = x.shape", "if k > 1:\n    n = 3", "seen.append(k)"]


@pytest.mark.parametrize("statement", LOOKING)
def test_what_is_late_is_seen(statement: str) -> None:
    cell = in_loop("x += 1", "y = y * 0.5 + x", statement, "x *= 1.25", "y = y - x")
    assert_same(cell, setup=SETUP, captured=False, device="standin")


@pytest.mark.parametrize("statement", LOOKING[:12:3])
def test_without_a_watch_results_would_be_wrong(
    statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """These tests can fail."""
    monkeypatch.setattr(watch, "_looks_at", lambda reaches, look_up, late: [])
    monkeypatch.setattr(watch, "_all_read", lambda reaches, look_up: True)
    cell = in_loop("x += 1", "y = y * 0.5 + x", statement, "x *= 1.25", "y = y - x")
    with pytest.raises(AssertionError, match=r"differ|became"):
        assert_same(cell, setup=SETUP, captured=False, device="standin")


@given(
    st.lists(st.sampled_from([*COMPUTING, *COMPUTING, *BLIND, *LOOKING]), min_size=3, max_size=8),
    st.booleans(),
)
@settings(max_examples=40)
def test_any_mixture(statements: list[str], nested: bool) -> None:
    body = "\n".join(["u = x[1:4]", "v = x.reshape(2, 3)", *statements])
    cell = in_loop(body, rounds=3)
    if nested:
        cell = f"for outer in range(2):\n    {cell}".replace("\n", "\n    ").rstrip() + "\n"
    assert_same(cell, setup=SETUP, captured=False, fallbacks=12, device="standin")


@pytest.mark.parametrize("statement", DYING)
def test_what_dies_may_look(statement: str) -> None:
    cell = in_loop("x += 1", "print(k)", "y = x * 0.5", "print(k)", statement, "print(k)", "x *= 2")
    assert_same(cell, setup=SETUP, captured=False, device="standin")


@given(st.lists(st.sampled_from([*COMPUTING, *DYING]), min_size=3, max_size=6))
@settings(max_examples=15)
def test_any_mixture_with_what_dies(statements: list[str]) -> None:
    """Each in a segment of its own: in one segment names are bound last."""
    cell = in_loop(*(f"{statement}\nprint(k)" for statement in statements), rounds=3)
    assert_same(cell, setup=SETUP, captured=False, fallbacks=12, device="standin")


@given(st.lists(st.sampled_from([*COMPUTING[:12], *BLIND]), min_size=2, max_size=6))
@settings(max_examples=15)
def test_any_mixture_in_a_function(statements: list[str]) -> None:
    body = in_loop("u = x[1:4]", "v = x.reshape(2, 3)", *statements, rounds=3)
    lines = "global n, s\nview = x[1:4]\n" + body + "return x, y, w"
    cell = "def steps(x, y, w, k=0):\n    " + lines.replace("\n", "\n    ")
    cell += "\nfound = steps(x, y, w)\nfound = steps(*found)\n"
    assert_same(cell, setup=SETUP, captured=False, fallbacks=12, device="standin")


RAISING = [
    "k // (k - 2)",
    "[1, 2][k]",
    "y[k * 3]",
    "{}[k - 2] if k > 1 else 0",
    "missing if k > 1 else 0",
]


@pytest.mark.parametrize("statement", RAISING)
def test_an_error_leaves_what_numpy_leaves(statement: str) -> None:
    cell = in_loop("x += 1", "y = y * 0.5 + x", f"n = {statement}", "x *= 2")
    assert_same(cell, setup=SETUP, captured=False, fallbacks=1, device="standin")


def test_an_error_of_a_call_leaves_what_numpy_leaves() -> None:
    def steps(x: Any, n: int) -> Any:
        for k in range(n):
            x += 1
            left = k // (2 - k)
        return x, left

    compiled = npc.compile(steps, device="standin")
    for n in (2, 9):
        mine, theirs = np.arange(5.0), np.arange(5.0)
        for function, array in ((compiled, mine), (steps, theirs)):
            with contextlib.suppress(ZeroDivisionError):
                function(array, n)
        assert mine.tolist() == theirs.tolist()


def test_an_interrupt_finds_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it strikes, what has happened is in host memory, and nothing is half done."""

    def steps(x: Any, y: Any, n: int) -> None:
        for _k in range(n):
            x += 1
            y *= 2

    compiled = npc.compile(steps, device="standin")
    mine = np.zeros(4), np.ones(4)
    compiled(*mine, 3)
    assert is_unobserved()
    for at in range(1, 400, 7):
        count = 0

        def counting(*event: Any, at: int = at) -> Any:
            nonlocal count
            count += 1
            if count == at:
                sys.setprofile(None)
                raise KeyboardInterrupt
            return None

        x, y = np.zeros(4), np.ones(4)
        monkeypatch.setattr(watch, "is_unobserved", lambda: True)
        sys.setprofile(counting)
        try:
            compiled(x, y, 5)
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(None)
        done = int(x[0])
        assert x.tolist() == [done] * 4
        assert y[0] in (2.0**done, 2.0 ** max(done - 1, 0))
        assert y.tolist() == [y[0]] * 4


OBSERVERS = [
    "signal.signal(signal.SIGUSR1, lambda *_: look_at_globals())",
    "gc.callbacks.append(lambda *_: look_at_globals())",
    "sys.setprofile(lambda *_: None)",
    "sys.settrace(lambda *_: None)",
    "warnings.showwarning = lambda *_: look_at_globals()",
    "stop = threading.Event(); t = threading.Thread(target=stop.wait); t.start()",
]


@pytest.mark.parametrize("observer", OBSERVERS)
def test_where_somebody_may_look_results_are_never_late(
    observer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    puts: list[Any] = []
    put = LateResults.put

    def putting(*args: Any, **kwargs: Any) -> None:
        puts.append(args)
        put(*args, **kwargs)

    def steps(x: Any) -> None:
        for _k in range(5):
            x += 1

    compiled = npc.compile(steps, device="standin")
    x = np.zeros(3)
    compiled(x)
    monkeypatch.setattr(LateResults, "put", putting)
    compiled(x)
    assert len(puts) == 5
    names: dict[str, Any] = {"look_at_globals": lambda: None}
    modules = {one.__name__: one for one in (gc, signal, sys, threading)}
    import warnings

    usual, handler = warnings.showwarning, signal.getsignal(signal.SIGUSR1)
    try:
        exec(observer, {**modules, "warnings": warnings}, names)
        x[:] = 0
        compiled(x)
    finally:
        sys.setprofile(None)
        sys.settrace(None)
        gc.callbacks.clear()
        warnings.showwarning = usual
        signal.signal(signal.SIGUSR1, handler)
        if "stop" in names:
            names["stop"].set()
            names["t"].join()
    assert x.tolist() == [5.0] * 3
    assert len(puts) == 5


def test_garbage_waits() -> None:
    """A cycle that nobody refers to may have a ``__del__`` that looks."""
    seen: list[list[float]] = []

    class Looking:
        def __init__(self, array: Any) -> None:
            self.array, self.me = array, self

        def __del__(self) -> None:
            seen.append(self.array.tolist())

    def steps(x: Any) -> None:
        for _k in range(50):
            x += 1

    compiled = npc.compile(steps, device="standin")
    x = np.zeros(3)
    compiled(x)
    threshold = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    try:
        for _ in range(3):
            Looking(x)
            compiled(x)
    finally:
        gc.set_threshold(*threshold)
    gc.collect()
    assert len(seen) == 3
    assert all(one[0] % 50 == 0 for one in seen)


def test_nothing_is_late_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_results, "LONGEST", 0.0)
    found = assert_same(in_loop("x += 1", rounds=20), setup=SETUP, device="standin")
    assert back(found) == 2 * 20 * 48


def test_a_copy_that_fails_is_tried_again() -> None:
    standin.copy_faults.clear()
    assert_same(in_loop("x += 1"), setup=SETUP, device="standin")
    x = np.zeros(3)
    compiled = npc.compile(_add_up, device="standin")
    compiled(x, 5)
    standin.copy_faults.append(LaunchError("standin", "lost its way"))
    compiled(x, 5)
    assert x.tolist() == [10.0] * 3


def test_what_is_lost_is_told() -> None:
    x = np.zeros(3)
    compiled = npc.compile(_add_up, device="standin")
    compiled(x, 5)
    standin.copy_faults.extend([LaunchError("standin", "is gone")] * 2)
    with pytest.raises(LostResultError, match=r"24 bytes of results .* standin failed: is gone"):
        compiled(x, 5)
    assert np.isnan(x).all()
    x[:] = 0
    compiled(x, 5)
    assert x.tolist() == [5.0] * 3


def _add_up(x: Any, n: int) -> None:
    for _k in range(n):
        x += 1


def test_a_launch_that_fails_finds_host_memory_up_to_date() -> None:
    x = np.zeros(3)
    compiled = npc.compile(_fail_after, device="standin")
    compiled(x, 5, [])
    compiled(x, 5, [])
    faults = [LaunchError("standin", "is busy")]
    launch = standin.launch
    count = 0

    def launching(*args: Any) -> Any:
        nonlocal count
        count += 1
        if count == 3:
            raise faults.pop()
        return launch(*args)

    standin.launch = launching  # type: ignore[method-assign]
    try:
        compiled(x, 5, [])
    finally:
        del standin.launch  # type: ignore[misc]
    assert x.tolist() == [15.0] * 3


def _fail_after(x: Any, n: int, seen: list[int]) -> None:
    for k in range(n):
        x += 1
        seen.append(k)


def test_results_make_room() -> None:
    """Where memory is short, what is late is copied back first."""
    standin.memory = 250
    cell = in_loop("y = x * 2", "print(k)", "z = y + w", "print(k)", "z = z * y")
    assert_same(cell, setup=SETUP, captured=False, fallbacks=20, device="standin")


def test_single_precision_keeps_digits_all_the_same() -> None:
    x = np.full(6, np.pi)
    compiled = npc.compile(_third, device="standin", dtype="float32")
    for _ in range(3):
        compiled(x)
    assert x[1:].tolist() == [np.pi] * 5
    assert x[0] == pytest.approx(np.pi + 12)


def _third(x: Any) -> None:
    for _k in range(4):
        x[:1] += 1


def test_what_dies_silently() -> None:
    array = np.ones(3)
    assert dies_silently(array)
    assert dies_silently(array[1:])
    kept = weakref.ref(array)
    assert dies_silently(array)
    kept = weakref.ref(array, print)
    assert not dies_silently(array[1:])
    del kept
    assert not dies_silently(np.array([object()]))
    assert not dies_silently(np.frombuffer(bytearray(8)))
    assert not dies_silently({1: [threading.Lock()]})
    assert not dies_silently(list(range(5000)))
