"""Copies that stay on a device: never used when somebody may have written since."""

from __future__ import annotations

import _thread
import ast
import contextlib
import gc
import io
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import jupyter_npcompile as npc
from jupyter_npcompile.cell import skeleton
from jupyter_npcompile.cell.reach import may_tell, reach
from jupyter_npcompile.runtime.device import residency as residencies
from jupyter_npcompile.runtime.device import watch
from jupyter_npcompile.runtime.device.plain_data import only_reads
from jupyter_npcompile.runtime.device.residency import Residency
from jupyter_npcompile.runtime.device.standin import MEMORY, StandIn, standin
from tests.support.cells.native import assert_same, compiled_lines
from tests.support.session.silent_threads import only_tests_run


@pytest.fixture(autouse=True)
def _only_tests_run() -> Iterator[None]:
    with only_tests_run():
        yield
    standin.memory = MEMORY


SETUP = """
import contextlib, io, sys
import numpy as np

x = np.arange(6.0) + RUN
w = np.ones(6)
k = 0
log = []
box = [x]
names = {"x": x}
view = x[1:4]
rng = np.random.default_rng(3)

class Holder:
    def __init__(self, array):
        self.array = array

    def __str__(self):
        self.array[0] = 17
        return "told"

    def __lt__(self, other):
        self.array[2] = 5
        return True

    def __iter__(self):
        for _ in range(2):
            self.array[3] -= 1
            yield 0

holder = Holder(x)

# What appends to a list runs in NumPy.
def poke(array):
    log.append(1)
    array[0] -= 7.0

def poke_and_raise(array):
    array[0] -= 8.0
    log.append(2)
    raise ValueError

def poke_x():
    log.append(3)
    x[0] -= 9.0

def first(array):
    log.append(4)
    return array[0]

def with_formatter(array):
    with np.printoptions(formatter={"float": lambda n: poke(array) or str(n)}):
        print(array)

def stepping(array):
    for n in range(3):
        array[n] = 11.0
        yield n

@contextlib.contextmanager
def poking(array):
    yield
    array[0] = 99.0
"""

WRITING = [
    "poke(x)",
    "poke_x()",
    "x[0] = first(x) + 1",
    "x.fill(first(x))",
    "rng.shuffle(x)",
    "box[0][int(first(w))] = 7",
    "names['x'][int(first(w))] = 7",
    "view[int(first(w)) :] = 0",
    "memoryview(x)[0] = 2.0",
    "exec('x[1] = 9')",
    "globals()['x'][3] = 1",
    "x.data[0] = 6.0",
    "np.add(x, first(w), out=x)",
    "np.frombuffer(x)[4] = 3",
    "[poke(x) for _ in range(2)]",
    "print(holder)",
    "print(f'{holder}')",
    "log.append(str(holder))",
    "t = holder < 3",
    "if holder < 3:\n    t = 1",
    "while holder < 3:\n    break",
    "for t in holder:\n    pass",
    "for t in stepping(x):\n    pass",
    "for x[1] in range(int(first(w)) + 4):\n    pass",
    "with poking(x):\n    t = 1",
    "try:\n    poke_and_raise(x)\nexcept ValueError:\n    pass",
    "try:\n    pass\nfinally:\n    poke(x)",
    "sorted([3, 1], key=lambda n: poke(x) or n)",
    "max([3, 1], key=lambda n: poke(x) or n)",
    "print('told', file=type('F', (), {'write': lambda self, text: poke(x)})())",
    "with_formatter(x)",
    "sys.stdout.write = lambda text: poke(x); print(1); del sys.stdout.write",
    "print = poke; print(x); del print",
    "import string; poke(x)",
    "def inner(a=poke(x)):\n    pass",
    "class Inner:\n    poke(x)",
    "k = k + int(first(w)); poke(x)",
    "assert poke(x) is None",
    "del box[0]; poke(x)",
    "x.dtype = np.int64; x.dtype = np.float64; poke(x)",
]

READING = [
    "print(x)",
    "print('sum', x.sum(), end='')",
    "k += 1",
    "log.append(k)",
    "t = float(x[0]) + k",
    "if k < x.size:\n    t = 'small'",
    "for t in range(3):\n    k = t",
    "while k > 3:\n    break",
    "t = (x.shape, len(log), w.mean())",
    "t = f'{k:3d} {x.max():.2f}'",
    "log.append(float(np.sum(x)) + np.linalg.norm(w))",
    "for t, u in zip([1, 2], [3, 4]):\n    print(t + u)",
    "try:\n    k = 1\nexcept ValueError:\n    poke(x)",
]

BETWEEN = "y = x * 2 + w\n{}\nz = x + w - 1\n"
IN_A_LOOP = "for i in range(3):\n    y = x * 2 + w\n    {}\n    z = x + w - 1\n    x += y[0]\n"


def indented(statement: str) -> str:
    return statement.replace("\n", "\n    ")


@pytest.mark.parametrize("statement", WRITING)
def test_what_is_written_between_is_seen(statement: str) -> None:
    found = assert_same(BETWEEN.format(statement), setup=SETUP, captured=False, device="standin")
    last = len(statement.splitlines()) + 3
    for report in found.reports:
        assert compiled_lines(report) == {2, last}  # so that the statement lies between


@pytest.mark.parametrize("statement", WRITING[::4])
def test_what_is_written_in_a_loop_is_seen(statement: str) -> None:
    cell = IN_A_LOOP.format(indented(statement))
    assert_same(cell, setup=SETUP, captured=False, device="standin")


@pytest.mark.parametrize("statement", READING)
def test_what_only_reads_lets_copies_stay(statement: str) -> None:
    found = assert_same(BETWEEN.format(statement), setup=SETUP, device="standin")
    arrays = [
        array
        for region in found.reports[-1].regions
        if region.copies is not None
        for array in region.copies.arrays
    ]
    assert arrays.count(("x", "to device", 48)) == arrays.count(("w", "to device", 48)) == 1


@pytest.mark.parametrize("statement", WRITING[::5])
def test_without_a_watch_results_would_be_wrong(
    statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """These tests can fail."""
    monkeypatch.setattr(watch, "_all_read", lambda reaches, look_up: True)
    monkeypatch.setattr(skeleton, "may_tell", lambda body: True)
    with pytest.raises(AssertionError, match="values differ"):
        assert_same(BETWEEN.format(statement), setup=SETUP, captured=False, device="standin")


def test_a_loop_begins_with_what_is_there() -> None:
    cell = "y = x * w\nfor i in range(3):\n    y = y + x\n    print(i)\n"
    found = assert_same(cell, setup=SETUP, device="standin")
    regions = found.reports[-1].regions
    assert regions[0].copies.to_device == 2 * 96
    assert regions[1].copies.to_device == 0


def test_written_inputs_stay_on_the_device() -> None:
    cell = "for i in range(4):\n    x += 1\n    print(i)\n    y = x * w\n    print(i)\n"
    found = assert_same(cell, setup=SETUP, device="standin")
    regions = found.reports[-1].regions
    assert [region.copies.runs for region in regions] == [8, 8]
    assert regions[0].copies.to_device == 2 * (48 + 0)  # x, once a run of the cell
    assert regions[1].copies.to_device == 2 * 48  # w, as often


@pytest.mark.parametrize("rounds", [3, 40])
@pytest.mark.parametrize(
    ("body", "back"),
    [
        ("x[1:-1] += 0.1 * (x[2:] - 2 * x[1:-1] + x[:-2])", 48),  # written in place
        ("w = np.cos(w) * x\n    v = w[::2]", 48),  # carried by name, and a view of it
        ("t = x * w\n    if k % 2 == 0:\n        w = t - 1\n    log.append(float(t[0]))", None),
    ],
)
def test_what_a_loop_carries_stays_on_the_device(rounds: int, body: str, back: int | None) -> None:
    """However many iterations there are, each array goes there once, and comes back once."""
    found = assert_same(f"for k in range({rounds}):\n    {body}\n", setup=SETUP, device="standin")
    copies = [region.copies for region in found.reports[-1].regions if region.copies is not None]
    assert sum(one.to_device for one in copies) <= 2 * (48 + 48)  # two runs of the cell
    if back is not None:
        checked = back  # its very first run, which is compared with NumPy
        assert sum(one.to_host for one in copies) == 2 * back + checked


def test_so_it_is_in_a_function() -> None:
    def steps(x: Any, n: int) -> Any:
        for k in range(n):
            x[1:-1] = (x[2:] + x[:-2]) / 2
            if k % 5 == 0:
                print(k, end=" ")
        return x

    compiled = npc.compile(steps, device="standin")
    mine, theirs = np.arange(60.0) ** 2, np.arange(60.0) ** 2
    for n in (3, 30):
        with contextlib.redirect_stdout(io.StringIO()):
            assert compiled(mine, n).tolist() == steps(theirs, n).tolist()
    report = npc.last_report()
    assert report is not None
    copies = [region.copies for region in report.regions if region.copies is not None]
    assert sum(one.to_device for one in copies) == 2 * 480
    assert sum(one.to_host for one in copies) == 2 * 480 + 480  # and what is compared with NumPy


STATEMENTS = [
    "x = x * 1.5 + w",
    "w += x.mean()",
    "x[::2] = w[::2]",
    "u = x[1:4]",
    "u += 1",
    "x[1:] = x[:-1] * 0.5",
    "w = np.sort(x)[::-1] + 1",
    "y, z = x + 1, w.copy()",
    "v = x.reshape(2, 3)",
    "v[0] *= 2",
    "box[0] = x",
    *READING[:6],
    *WRITING[:13],
]


@given(st.lists(st.sampled_from(STATEMENTS), min_size=3, max_size=7), st.booleans())
@settings(max_examples=20)
def test_any_mixture(statements: list[str], loop: bool) -> None:
    body = "\n".join(["u = x[1:4]", "v = x.reshape(2, 3)", *statements])
    cell = f"for i in range(2):\n    {indented(body)}" if loop else body
    assert_same(cell, setup=SETUP, captured=False, fallbacks=4, device="standin")


def test_functions_keep_copies_for_one_call() -> None:
    def steps(x: Any, n: int) -> Any:
        for k in range(n):
            y = x * 2
            print(k, end="")
            x += y.mean()
        return x.copy()

    compiled = npc.compile(steps, device="standin")
    mine, theirs = np.arange(5.0), np.arange(5.0)
    for _ in range(2):
        mine[0] = theirs[0] = 3.0
        assert compiled(mine, 3).tolist() == steps(theirs, 3).tolist()
        assert mine.tolist() == theirs.tolist()
    gc.collect()
    assert standin.held == 0


def test_a_thread_of_the_user_ends_it() -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait, name="reader")
    device = StandIn()
    copies, array = Residency(device), np.arange(3.0)
    tensor: Any = device.put(_tensor(array))
    copies.keep(array, tensor)
    assert copies.find(array, tensor.dtype) is tensor
    assert copies.find(array, torch.float32) is None
    thread.start()
    try:
        assert copies.find(array, tensor.dtype) is None
        assert copies.stranger == "thread 'reader' of threading"
        copies.keep(array, tensor)
        assert device.held == 0
    finally:
        stop.set()
        thread.join()


def doubled(x: Any, rounds: int) -> Any:
    for _ in range(rounds):
        x = x * 2 + 1
    return x


def test_the_report_says_which_thread() -> None:
    stop = threading.Event()
    compiled = npc.compile(doubled, device="standin", ahead=True)
    compiled(np.arange(4.0), 3)
    assert "nothing stays there" not in str(npc.last_report())
    thread = threading.Thread(target=stop.wait, name="reader")
    thread.start()
    try:
        compiled(np.arange(4.0), 3)
    finally:
        stop.set()
        thread.join()
    told = "nothing stays there: thread 'reader' of threading runs, too, and may write"
    assert told in str(npc.last_report())


def _tensor(array: Any) -> Any:
    import torch

    return torch.from_numpy(array)


def test_copies_go_with_their_arrays() -> None:
    device = StandIn()
    copies, array = Residency(device), np.arange(3.0)
    copies.keep(array[1:], device.put(_tensor(array[1:])))
    assert device.held == 16
    assert copies.find(array[1:], torch.float64) is not None
    assert copies.find(array[:2], torch.float64) is None
    copies.written(array[:1])
    assert device.held == 0
    copies.keep(array, device.put(_tensor(array)))
    del array
    assert device.held == 0


def test_foreign_memory_is_not_kept() -> None:
    device = StandIn()
    copies = Residency(device)
    array = np.frombuffer(bytearray(24))
    copies.keep(array, device.put(_tensor(array)))
    assert device.held == 0
    mine = np.arange(3.0)
    copies.keep(mine, device.put(_tensor(mine)))
    copies.written(array)  # who knows whose memory that is
    assert device.held == 0


def test_copies_make_room() -> None:
    cell = "y = x * 2\nprint(1)\nz = y + w\nprint(1)\nz = z * y\n"
    assert standin.held == 0
    standin.memory = 250  # enough for each segment, not for all copies
    found = assert_same(cell, setup=SETUP, device="standin")
    assert found.reports[-1].regions[-1].copies.to_device > 0


def test_numpy_may_call_somebody() -> None:
    found = reach(ast.parse("t = f'{x}'").body[0])
    names = {"x": np.ones(2)}
    assert only_reads(found, names.__getitem__)
    with np.printoptions(formatter={"float": str}):
        assert not only_reads(found, names.__getitem__)
    with np.errstate(divide="call"):
        assert not only_reads(found, names.__getitem__)


def test_the_thread_that_a_large_message_starts_does_not_end_it() -> None:
    """A figure is such a message: after the first one nothing would stay on a device."""
    from zmq.utils.garbage import GarbageCollector

    collector = GarbageCollector()
    collector.start()
    try:
        assert collector.thread.is_alive()
        assert residencies.is_alone()
    finally:
        collector.stop()


def test_a_thread_without_a_name_ends_it() -> None:
    go, stop = threading.Lock(), threading.Lock()
    go.acquire()
    stop.acquire()

    def runs() -> None:
        go.release()
        stop.acquire()

    assert residencies.is_alone()
    _thread.start_new_thread(runs, ())
    go.acquire()
    assert not residencies.is_alone()
    stop.release()


@pytest.mark.parametrize(
    "source",
    [
        "with open('x'):\n    pass",
        "await x",
        "match x:\n    case 1:\n        pass",
        "for k in range(3):\n    with x:\n        pass",
    ],
)
def test_where_nobody_can_ask_nothing_is_kept(source: str) -> None:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
    assert not may_tell(compile(source, "<cell>", "exec", flags).body)


def test_nested_functions_do_not_count() -> None:
    assert may_tell(ast.parse("def f():\n    with x:\n        yield 1").body)


@pytest.mark.parametrize(
    ("source", "names", "reads"),
    [
        ("k += 1", {"k": 3}, True),
        ("k += 1", {"k": np.float64(3)}, True),
        ("k += 1", {"k": np.zeros(3)}, False),
        ("t = a[0]", {"a": [1, [2, 3]]}, True),
        ("t = a[0]", {"a": [1, [2, object()]]}, False),
        ("t = a[0]", {"a": np.array([1, None])}, False),
        ("t = a[0]", {"a": list(range(5000))}, False),
        ("t = np.pi", {"np": np}, True),
        ("t = np.nothing", {"np": np}, False),
        ("t = np", {"np": np}, False),
        ("t = missing", {}, False),
        ("f(1)", {"f": len}, True),
        ("f(1)", {"f": exec}, False),
        ("a.append(k)", {"a": [], "k": 1}, True),
        ("a.append(k)", {"a": type("L", (list,), {})(), "k": 1}, False),
        ("a.sort()", {"a": [2, 1]}, False),
        ("a.sum(1, None, b)", {"a": np.ones((2, 2)), "b": np.ones(2)}, False),
        ("a.sum(out=b)", {"a": np.ones(2), "b": np.ones(())}, False),
        ("np.sum(a)", {"np": np, "a": np.ones(2)}, True),
        ("np.linalg.norm(a)", {"np": np, "a": np.ones(2)}, True),
        ("sqrt(a, a)", {"sqrt": np.sqrt, "a": np.ones(2)}, False),
        ("np.random.seed(a)", {"np": np, "a": 3}, False),
        ("np.sum(a)", {"np": np, "a": np.array([None])}, False),
        ("np.sqrt(a, a)", {"np": np, "a": np.ones(2)}, False),
        ("np.sum.reduce(a)", {"np": np, "a": np.ones(2)}, False),
    ],
)
def test_what_only_reads(source: str, names: dict[str, Any], reads: bool) -> None:
    found = reach(ast.parse(source).body[0])
    assert only_reads(found, names.__getitem__) is reads
