"""A device against what the CPU has: NumPy, its compiler, and native loops and functions."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import function_handle, preparing
from jupyter_npcompile.runtime.device.standin import StandIn
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.selector.loops import Turns
from tests.magic import test_between as test_magic_between
from tests.magic.test_between import Session, in_loop
from tests.support.loops.native_loops import Function, define, differences, outcome
from tests.support.session.seeds import seeds
from tests.support.session.silent_threads import only_tests_run

shell = test_magic_between.shell


@pytest.fixture(autouse=True)
def _competes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The stand-in may lose, like a GPU."""
    monkeypatch.setattr(StandIn, "competes", True)
    with only_tests_run():
        yield


@pytest.fixture
def wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is compiled wins against NumPy, and so does the stand-in."""
    monkeypatch.setattr(preparing, "faster", lambda numpy_us, compiled_us: True)


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """No function runs natively as a whole."""
    monkeypatch.setattr(FunctionHandle, "_goes_whole", lambda self: False)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in loses, however busy the machine is."""
    put = StandIn.put

    def slowly(self: StandIn, tensor: Any) -> Any:
        time.sleep(0.005)
        return put(self, tensor)

    monkeypatch.setattr(StandIn, "put", slowly)


def handle_for(compiled: Function) -> FunctionHandle:
    """What is known of a compiled function."""
    handle = handle_of(compiled)
    assert isinstance(handle, FunctionHandle)
    return handle


def tiers(report: Any) -> list[str]:
    """What has run the regions of the last call."""
    return [region.tier for region in report.regions]


def called(compiled: Any, written: Any, make: Any, runs: int) -> list[list[str]]:
    """Call a function and what was compiled of it; the tiers of each run."""
    found = []
    for number in range(runs):
        one, other = outcome(written, make(number)), outcome(compiled, make(number))
        assert not differences(one, other)
        found.append(tiers(npc.last_report()))
        assert npc.wait()
    return found


def smooth(x: Any) -> Any:
    y = np.sqrt(x) * 2 + x
    z = y * x - y
    z[1:] += np.sin(x[:-1])
    return z


def test_the_cpu_compiles_what_its_device_runs_too_slowly(slow: None, in_parts: None) -> None:
    compiled = npc.compile(smooth, device="standin")
    called(compiled, smooth, lambda number: [np.linspace(1, 2, 3000) + number], 6)
    handle = handle_for(compiled)
    (plan,) = handle.states[0].every_plan()
    assert plan.departure.startswith("the CPU runs it: standin took ")
    assert plan.artifact is not None
    assert plan.artifact.tier == "inductor"
    report: Any = npc.last_report()
    assert "the CPU runs it: standin took " in report.regions[0].note
    assert report.regions[0].copies is None


def test_what_libraries_do_is_left_to_numpy() -> None:
    def product(x: Any) -> Any:
        return x @ x

    compiled = npc.compile(product, device="standin")
    found = called(compiled, product, lambda number: [np.eye(600) + number], 5)
    assert {tier for run in found for tier in run} <= {"numpy", "standin"}


LOOPS = {
    "small": """
def f(x, n):
    for _ in range(n):
        x[1:-1] = x[1:-1] + 0.1 * (x[2:] - 2 * x[1:-1] + x[:-2])
        x[0] = x[1] * 0.5
    return x.sum()
""",
    "numbers": """
def f(x, n):
    total = 0.0
    for k in range(n):
        total = total * 0.5 + x[k % 100]
        x[k % 100] = total
    return total
""",
}


@pytest.mark.parametrize("name", LOOPS)
def test_small_loops_run_natively(name: str) -> None:
    function = define(LOOPS[name])
    compiled = npc.compile(function, device="standin")
    found = called(compiled, function, lambda number: [np.linspace(0, 1, 500) + number, 4000], 8)
    # Now and then the other side has a turn, to be timed.
    assert [run[-1] for run in found].count("native-loop") >= 4


def test_native_code_has_its_turn_after_a_device_that_wins(wins: None, in_parts: None) -> None:
    function = define(LOOPS["small"])
    compiled = npc.compile(function, device="standin")

    def arguments(number: int) -> list[Any]:
        return [np.linspace(0, 1, 200_000) + number, 40]

    found = called(compiled, function, arguments, 3)
    assert "standin" in found[-1]


def test_native_code_does_not_try_what_keeps_a_device_busy(
    wins: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(function_handle, "BUSY", 1e-5)
    compiled = npc.compile(smooth, device="standin")
    handle = handle_for(compiled)
    assert handle._goes_whole()  # nothing is known yet
    called(compiled, smooth, lambda number: [np.linspace(1, 2, 3000) + number], 2)
    assert not handle._goes_whole()
    for state in handle.states:
        state.leave_device("it is slow")
    assert handle._goes_whole()


def test_a_device_that_is_far_ahead_keeps_a_loop() -> None:
    turns = Turns(1.0, 2.0, is_there=True)
    assert [turns.segments(0.1, 0.1) for _ in range(2)] == [False, False]
    assert turns.is_over


def test_a_device_that_loses_all_in_all_is_left(wins: None, in_parts: None) -> None:
    compiled = npc.compile(smooth, device="standin")
    found = called(compiled, smooth, lambda number: [np.linspace(1, 2, 3000) + number], 2)
    assert found[-1] == ["standin"]
    handle = handle_for(compiled)
    for number in range(40):  # the race between it and NumPy
        x = np.linspace(1, 2, 3000) + number
        np.testing.assert_allclose(compiled(x), smooth(x), rtol=1e-13)
        (plan,) = handle.states[0].every_plan()
        if plan.departure:
            break
    assert plan.departure.startswith("the CPU runs it: as a whole NumPy is faster: ")
    handle.states[0].abandon()


def collatz(n: int) -> int:
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def test_functions_that_are_no_work_for_a_device_run_natively() -> None:
    compiled, found = npc.compile(collatz, device="standin"), set()
    for n in range(8):
        for k in range(200):
            assert compiled(837799 + n + k) == collatz(837799 + n + k)
        assert npc.wait()
        found.add(tiers(npc.last_report())[-1])  # the last call may be one that Python has
    assert "native-loop" in found


PARTS = (
    "y = x * 2 + k",
    "x += y * 0.25",
    "x[1:] -= x[:-1] * 0.5",
    "z = np.where(x > y, x, -y)\nx[:] = z * 0.5",
    "v = x[2:7]\nv *= 0.5",
    "y = x[::-1]",
    "total = 0.0\nfor i in range(len(x)):\n    total = total * 0.5 + x[i] * y[i]\n    x[i] = total",
    "for i in range(1, len(y)):\n    y[i] = y[i - 1] * 0.5 + x[i]",
    "m = 0\nwhile m < len(x) and x[m] < 3:\n    x[m] += y[m]\n    m += 1",
    "for a, b in zip(x, y):\n    total = total + a * b * 1e-3",
    "seen.append(float(x[0]))",
    "seen.append(y.copy())",
    "kept.append(x[1:4])",
    "if x.max() > 50:\n    x -= x.max()",
    "print(round(float(y[1]), 6))",
)
"""Statements for a device, loops for native code, and what Python does, on the same arrays."""


@st.composite
def functions(draw: st.DrawFn) -> str:
    """Functions in which a device, native code and Python have to find each other's results."""
    parts = draw(st.lists(st.sampled_from(PARTS), min_size=3, max_size=7))
    body = "\n".join(parts).splitlines()
    lines = [
        "def f(x, n):",
        "    y, total, seen, kept = x + 1.5, 0.0, [], []",
        "    for k in range(n):",
        "        np.clip(x, -9.0, 9.0, out=x)",
        *(f"        {line}" for line in body),
        "        seen.append({k})" if draw(st.booleans()) else "        pass",
        "    return x, y, total, seen[-9:], kept[-3:]",
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.slow
@given(functions())
@settings(max_examples=12)
def test_all_find_each_others_results(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:  # hypothesis refuses a fixture like `wins`
        patch.setattr(preparing, "faster", lambda numpy_us, compiled_us: True)
        function = define(text)
        compiled: Function = npc.compile(function, device="standin")
        for number in range(4):
            x = np.linspace(0, 1, 40 + number // 2) + number
            theirs, mine = [x.copy(), 30], [x.copy(), 30]
            assert not differences(outcome(function, theirs), outcome(compiled, mine)), text
            assert npc.wait()


CELLS = (
    "y = x * 2\nx += 1",
    "z = y + x",
    "total = 0.0\nfor i in range(3000):\n    total = total * 0.5 + x[i % 5] * y[i % 5]",
    "for i in range(3000):\n    x[i % 5] = x[i % 5] * 0.5 + 0.25",
    "y = x * 2\nx += 1\nfor i in range(3000):\n    x[i % 5] = y[i % 5] * 0.25\nz = x - y",
    "w = x[1:4]\nw *= 0.5\nm = 0\nwhile m < 3000:\n    w[m % 3] -= y[m % 5]\n    m += 1\nz = z + x",
    "for k in range(40):\n    y = x * 0.5 + k\n    x += y * 0.25\n    np.clip(x, -5, 5, out=x)",
    "def f(a, b):\n    for i in range(3000):\n        a[i % 5] = a[i % 5] * 0.5 + b[i % 5]\n"
    "    return a[3]\nq = f(x, y)\nz = x + q",
    "def g(a):\n    b = a * 2 - 1\n    a -= b * 0.25\n    return b\n"
    "for k in range(30):\n    y = g(x)\nz = np.where(x > y, x, y)",
)
LIMITS = "np.clip(x, -3, 3, out=x)\nnp.clip(y, -3, 3, out=y)"
"""A cell that keeps the numbers of the others small."""


@pytest.mark.slow
@pytest.mark.drawn
@pytest.mark.parametrize("number", seeds(3))
def test_cells_find_each_others_results(shell: Any, number: int, wins: None) -> None:
    """Results wait on the device from one cell to the next, which may be a native loop."""
    npc.settings.tier = "auto"  # the bench of the shell puts it back
    chance = random.Random(number)
    theirs: dict[str, Any] = {"np": np}
    ran: set[str] = set()

    def steps(cell: Session) -> Iterator[float]:
        begin = "x = np.arange(5.0)\ny = np.ones(5)\nz = np.zeros(5)\nw = x[1:4]"
        assert cell(begin).success
        exec(begin, theirs)
        few = [*chance.sample(CELLS, 4), LIMITS]
        for _ in range(60):
            source = chance.choice(few)
            assert cell(f"%%npcompile --device standin --quiet\n{source}").success
            exec(source, theirs)
            ran.update(tiers(npc.last_report()))
            if chance.random() < 0.3:
                yield 0.0  # to the event loop, as between cells of a kernel
            if chance.random() < 0.1:
                assert npc.wait()
            if chance.random() < 0.15:
                cell("pass")  # has everything copied back
                for name in "xyzw":
                    assert shell.user_ns[name].tolist() == theirs[name].tolist(), source

    in_loop(shell, steps)
    assert "standin" in ran
