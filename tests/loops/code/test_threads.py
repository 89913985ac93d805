"""Loops that several threads share: the same bits, flags and errors as with one."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_npcompile.loops.costs import element_cost
from jupyter_npcompile.loops.kinds import ArrayType
from jupyter_npcompile.loops.values import Applied, Ref
from tests.loops.fusion.test_fusing import is_same
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, outcome
from tests.support.session.processes import eventually

pytestmark = pytest.mark.usefixtures("straight_functions")

PROGRAM = """
def f(x, y, row, thin, steps):
    a, b = x * 2 - y, x + row
    c = np.where(a > b, np.maximum(a, b), np.sqrt(np.abs(a)) * thin)
    x[1:-1, 1:-1] = x[1:-1, 1:-1] + 0.1 * (y[2:, 1:-1] + y[:-2, 1:-1] - y[1:-1, 2:])
    y[:, ::2] -= c[:, ::2]
    for step in range(steps):
        y += 0.5 * x
        x[1:] = 0.25 * (y[1:] + y[:-1])
    return c, x.T * 2 + y.T, np.exp(-np.abs(c.ravel() - y.ravel()))
"""


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three threads for libraries that are loaded now, however many processors there are."""
    monkeypatch.setenv("OMP_NUM_THREADS", "3")


def arguments(shape: tuple[int, int], seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=shape), rng.normal(size=shape)
    return [x, y, rng.normal(size=shape[1]), rng.normal(size=(shape[0], 1)), 2]


def copies(values: list[Any]) -> list[Any]:
    return [value.copy() if isinstance(value, np.ndarray) else value for value in values]


@pytest.fixture
def program(three: None) -> tuple[Callable[..., Any], Callable[..., Any]]:
    function = define(PROGRAM)
    native, state = whole(function, arguments((5, 7), 0))
    assert not state.closed, state.closed
    assert state.forms[0].code.source.count("spread(run, ") >= 5
    native(*arguments((5, 7), 0))
    return function, native


def test_all_shapes_are_cut_without_a_difference(
    program: tuple[Callable[..., Any], Callable[..., Any]],
) -> None:
    function, native = program

    @settings(max_examples=25, deadline=None)
    @given(st.integers(3, 2000), st.integers(3, 2_000_000), st.integers(0, 99))
    def compare(rows: int, elements: int, seed: int) -> None:
        values = arguments((rows, max(elements // rows, 3)), seed)
        pair = copies(values), copies(values)
        expected, found = outcome(function, pair[0]), outcome(native, pair[1])
        assert (expected.error, expected.warned) == (found.error, found.warned) == (None, [])
        # Exponentials of vectors are not NumPy's own.
        assert is_same(expected.result[:2], found.result[:2])
        np.testing.assert_allclose(expected.result[2], found.result[2], rtol=1e-14)
        assert is_same(pair[0][:2], pair[1][:2])

    compare()


SUMS = """
def f(x, cube, weights):
    return (
        x.sum(axis=1), x.sum(axis=0), np.abs(x).max(axis=1), x.min(axis=0), (x * x).mean(axis=0),
        cube.sum(axis=1), cube.max(axis=0), (cube + 1).sum(axis=2), cube.min(axis=-1),
        np.einsum("oc,bcyx->boyx", weights, np.stack([cube, cube + 1])),
    )
"""


def test_rows_and_columns_that_are_reduced_are_cut_without_a_difference(three: None) -> None:
    function = define(SUMS)

    def arrays(rows: int, columns: int, depth: int, seed: int) -> list[Any]:
        rng = np.random.default_rng(seed)
        cube = rng.normal(size=(depth, rows, columns))
        return [rng.normal(size=(columns, depth * rows)), cube, rng.normal(size=(5, depth))]

    native, state = whole(function, arrays(3, 5, 2, 0))
    assert not state.closed, state.closed
    assert state.forms[0].code.source.count("spread(run, ") >= 8

    @settings(max_examples=25, deadline=None)
    @given(st.integers(1, 300), st.integers(1, 3000), st.integers(1, 5), st.integers(0, 99))
    def compare(rows: int, columns: int, depth: int, seed: int) -> None:
        values = arrays(rows, columns, depth, seed)
        expected, found = outcome(function, values), outcome(native, values)
        assert (expected.error, expected.warned) == (found.error, found.warned) == (None, [])
        assert is_same(expected.result, found.result)

    compare()


def test_whatever_a_part_meets_is_told(three: None) -> None:
    function = define("def f(x, y):\n    a = x / y\n    return a + x, np.sqrt(a - 2)\n")
    native, state = whole(function, [np.ones(9), np.ones(9)])
    assert not state.closed, state.closed
    assert "spread(run, " in state.forms[0].code.source
    native(np.full(9, 3.0), np.ones(9))
    size = 3_000_000
    x, y = np.full(size, 3.0), np.ones(size)
    assert outcome(native, [x, y]).warned == []
    for place in (0, size // 2, size - 1):
        for value, numerator, word in ((0.0, 3.0, "divide"), (2.0, 3.0, "invalid")):
            bad, top = y.copy(), x.copy()
            bad[place], top[place] = value, numerator
            expected, found = outcome(function, [top, bad]), outcome(native, [top, bad])
            assert [word in text for _, text in expected.warned] == [True]
            assert expected.warned == found.warned
            assert is_same(expected.result, found.result)


WAVES = """
def f(x, y, steps):
    for step in range(steps):
        y += 0.1 * x
        x -= 0.1 * y
    return x
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted in /proc")
def test_threads_are_there_for_a_run_and_no_longer(three: None) -> None:
    function = define(WAVES)
    native, state = whole(function, [np.ones(9), np.ones(9), 2])
    assert not state.closed, state.closed
    native(np.ones(9), np.ones(9), 2)
    before, most, over = len(os.listdir("/proc/self/task")), 0, threading.Event()

    def count() -> None:
        nonlocal most
        while not over.wait(0.001):
            most = max(most, len(os.listdir("/proc/self/task")))

    watcher = threading.Thread(target=count)
    watcher.start()
    native(np.ones(1_000_000), np.ones(1_000_000), 200)
    over.set()
    watcher.join()
    assert most >= before + 3  # the watcher, and two beside the one that is there
    # The system takes them off its list a little later.
    assert eventually(lambda: len(os.listdir("/proc/self/task")) <= before)


def test_a_loop_over_large_arrays_is_stopped_between_two_iterations(three: None) -> None:
    function = define(WAVES)
    native, state = whole(function, [np.ones(9), np.ones(9), 2])
    assert not state.closed, state.closed
    native(np.ones(9), np.ones(9), 2)
    x, y = np.ones(500_000), np.ones(500_000)
    # This process may be held up by what it computes: another one presses the key.
    key = subprocess.Popen(["bash", "-c", f"sleep 0.5; kill -INT {os.getpid()}"])
    with pytest.raises(KeyboardInterrupt):
        native(x, y, 10**9)  # of days
    key.wait()
    assert (x == 1).all()
    assert (y == 1).all()


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded")
def test_a_forked_process_has_threads_of_its_own(three: None) -> None:
    """Threads of the parent's that wait for work would be missing there, and all would hang."""
    function = define(WAVES)
    native, state = whole(function, [np.ones(9), np.ones(9), 2])
    assert not state.closed, state.closed
    native(np.ones(9), np.ones(9), 2)

    def result() -> Any:
        return native(np.ones(1_000_000), np.ones(1_000_000), 3)

    expected = result()
    child = os.fork()
    if not child:
        os._exit(0 if np.array_equal(result(), expected) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_costs() -> None:
    x, y = (Ref(name, ArrayType("float64", 1, True)) for name in "xy")
    total = Applied("({0} + {1})", (x, y), "float64", 1)
    quotient = Applied("({0} / {1})", (x, y), "float64", 1)
    cheap, dear = element_cost([total], [y]), element_cost([quotient], [y])
    assert 0.1 < cheap < dear < element_cost([Applied("math::exp({0})", (x,), "float64", 1)], [y])
    assert element_cost([total, total], [y]) < 2 * cheap  # what is read once is read for both
