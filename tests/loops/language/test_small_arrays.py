"""Small arrays are values in native loops: nobody may see that they share no memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile import settings
from jupyter_npcompile.loops.loop_code import REFUSED, RETURNED
from jupyter_npcompile.runtime.whole_function import ONCE, WholeFunction
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.compiling.batches import Batches
from tests.support.loops.native_batches import compiled_together
from tests.support.loops.native_loops import (
    Function,
    assert_same,
    define,
    differences,
    how,
    outcome,
)
from tests.support.loops.small_programs import Writer

ROUNDED = (6, 28, 60)
"""Programs in which grows what NumPy's library rounds in another way; in memory it does, too."""

COUNT = 48

CASES = {
    "a loop goes through what it writes into": """
def f(a, n):
    total, x = 0.0, a * 1.0
    for k in range(n):
        x = x + k
        for value in x:
            x[2] = value * 0.5
            x[1] += 1.0
            total += value
        for row in np.array([x, x]):
            total += row[0]
    return total, x
""",
    "a function changes what it closes over": """
def f(a, n):
    x, y = a * 1.0, a * 2.0
    def change(by):
        x[0] += by
        return y
    for k in range(n):
        z = x
        y = change(0.5) + z
    return x, y, z is x
""",
    "a function returns its argument": """
def same(p):
    return p

def f(a, n):
    x = np.zeros(3)
    for k in range(n):
        y = same(x)
        y[0] += 1.0
        x = a * k
        z = same(x)
        x = x + z
    return x, y, z
""",
    "results share memory": """
def f(a, n):
    x = a + 1.0
    for k in range(n):
        x = x * 0.5 + a
    return x, x[1:], x, x[::-1], (x, a)
""",
    "what two ways give is of two kinds": """
def f(a, n):
    x = a
    y = np.zeros(3)
    for k in range(n):
        if k % 2:
            x = np.array([x[0], 1.0, 2.0])
        else:
            y = np.array([1.0, x[1]])
        x[0] += y.size
    return x, y
""",
    "early ends": """
def last(p, s):
    for k in range(3):
        if p[k] > s:
            return p * 2.0
        if p[k] < -s:
            return np.array([s, s])
    return p

def f(a, n):
    x = a * 1.0
    for k in range(n):
        x = last(x, 2.5) * 0.75 - 0.25
        if x.size < 3:
            x = np.array([x[0], x[1], 1.0])
        if k == 4:
            return x, k
    return x, n
""",
    "lists keep what was appended": """
def f(a, n):
    path, x = [], a * 1.0
    for k in range(n):
        path.append(x)
        x = x + path[0]
        path.append(x * 2.0)
        x = x - 1.0
    path[1][0] = 100.0
    return path, x
""",
    "lists see what is written": """
def f(a, n):
    path, x = [], a * 1.0
    for k in range(n):
        path.append(x)
        x += 1.0
        path.append(x)
    return path, x
""",
    "signs of zeros, no numbers": """
def f(a, n):
    x = np.array([0.0, -0.0, a[0]])
    found = []
    for k in range(n):
        y = np.array([-0.0, 0.0, np.nan]) * (k - 1.0)
        x = np.maximum(x, -x[::-1])
        found.append((np.max(x), np.min(y), np.argmax(y), np.argmin(x), np.sum(x), y[:2].sum()))
        x = -x
    return found, x, np.sum(np.array([-0.0, -0.0])), np.array([-0.0, -0.0]) @ np.ones(2)
""",
    "sums of eight and more": """
def f(a, n):
    x = np.concatenate((a, a * 0.1, a * 10.0, a * 1e-3, a * 7.0))
    total = 0.0
    for k in range(n):
        x = x * 1.01
        m = x[:9].copy().reshape(3, 3)
        total += x.sum() + np.sum(x * x) + x @ x + x[::-1].sum() + m.sum() + np.mean(m * m)
        total += x.max() + x[3:11].min() + x.argmax() + m.T.sum() + np.sum(m, axis=0)[1]
    return total, m, m.T
""",
    "other dtypes": """
def f(a, n):
    count = np.zeros(3, dtype=np.int64)
    small = np.ones(2, dtype=np.float32)
    flags = np.array([True, False, True])
    wave = np.array([1.0 + 2.0j, a[0] * 1j])
    for k in range(n):
        count[k % 3] += k
        count = count * 2 + np.array([1, 2, 3])
        small = small * np.float32(0.5) + small[::-1]
        flags = flags ^ (a > 0)
        wave = wave * wave[::-1] * 0.5 + small
    return count, small, flags, wave, count[flags], np.any(flags), wave.real, small @ small
""",
    "systems that are singular now and then": """
def f(a, n):
    total = np.zeros(2)
    for k in range(n):
        A = np.array([[1.0, k - 3.5], [a[0], 2.0]])
        total += np.linalg.solve(A, total + 1.0)
        B = np.linalg.inv(A) @ A.T
        total[0] += np.linalg.det(B)
        L = np.linalg.cholesky(np.array([[4.0, 1.0], [1.0, 3.0 + k]]))
        total += L[1]
    return total, A, B, L
""",
    "errors that are ignored": """
def f(a, n):
    x, found = a * 1.0, []
    for k in range(n):
        with np.errstate(divide="ignore", invalid="ignore"):
            y = x / np.array([0.0, 1.0, k - 2.0])
            z = np.where(y > 0.0, y, np.log(x))
        x = np.minimum(np.abs(x) + 1.0, np.array([2.0, np.nan, 3.0])) + 0.25
        found.append((y[0], z[2]))
    return x, y, z, found
""",
    "dicts and tuples": """
def f(a, n):
    state = {"x": a * 1.0, "v": np.ones(3)}
    pair = (np.zeros(2), np.ones(2))
    for k in range(n):
        state["x"] = state["x"] + state["v"] * 0.1
        state["v"][k % 3] -= 0.5
        left, right = pair
        pair = (right, left + right * 0.5)
    return state, pair, left
""",
}

PROGRAMS = [seed for seed in range(COUNT) if seed not in ROUNDED]


def _native(state: WholeFunction, function: Function) -> Function:
    """What native code makes of arguments; None of those that it leaves to NumPy."""
    ((form, take),) = state._taken
    names = function.__code__.co_varnames[: function.__code__.co_argcount]

    def call(*given: Any) -> Any:
        values = take(dict(zip(names, given, strict=True)), function.__globals__)
        assert values is not None
        answer = form.run(1, *ONCE, *values, *form.code.hosts)
        assert answer is not None, "arguments of other types"
        assert answer[0] in (RETURNED, REFUSED)
        return answer[2] if answer[0] == RETURNED else None

    return call


def _assert_same(
    state: WholeFunction, function: Function, arguments: Sequence[Sequence[Any]]
) -> int:
    """Compare calls with NumPy's; returns how many native code has made."""
    made, ran = _native(state, function), 0
    for one, other in zip(arguments[::2], arguments[1::2], strict=True):
        with np.errstate(all="ignore"):
            found = outcome(made, other)
            expected = outcome(function, one)
        if found.result is None:
            continue
        wrong = differences(expected, found)
        assert not wrong, wrong
        ran += 1
    return ran


def _arguments(run: int) -> list[Any]:
    rng = np.random.default_rng(run)
    m = rng.normal(size=(2, 2))
    return [rng.normal(size=3), m if run % 2 else m.T, 4 + run, 0.5 + run]


def _written(seed: int) -> Function:
    function: Function = define(Writer(seed).text())
    return function


@pytest.fixture(scope="module")
def batches() -> Batches[int]:
    return Batches(
        PROGRAMS,
        compiled_together,
        lambda seed: whole(_written(seed), _arguments(0), lengths=True),
    )


@pytest.mark.parametrize("seed", PROGRAMS)
def test_random_program(seed: int, batches: Batches[int]) -> None:
    batches.need(seed)
    function = _written(seed)
    _, state = whole(function, _arguments(0), lengths=True)
    assert not state.closed, state.closed
    runs = [run for run in range(4) for _ in range(2)]
    _assert_same(state, function, [_arguments(run) for run in runs])


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    function = define(CASES[name])

    def drawn(run: int) -> list[Any]:
        return [np.random.default_rng(run).normal(size=3), 7]

    _, state = whole(function, drawn(0), lengths=True)
    assert not state.closed, state.closed
    runs = [drawn(run) for run in range(4) for _ in range(2)]
    assert _assert_same(state, function, runs) > 2


def test_lengths_are_asked_for_before_each_run() -> None:
    text = """
def f(a, n):
    x = a * 2.0
    for k in range(n):
        x = x * 0.5 + np.sum(a)
    return x
"""
    function = define(text)
    made, state = whole(function, [np.ones(3), 5], lengths=True)
    ((form, _),) = state._taken
    assert "Small<double, 3>" in form.code.source
    for size in (3, 4, 1, 0, 20):
        given = [np.arange(float(size)), 5]
        assert not differences(outcome(function, given), outcome(made, given))


def test_what_numpy_warns_of() -> None:
    text = """
def f(a, n):
    x = a * 1.0
    for k in range(n):
        y = 1.0 / (x - a)
        z = np.where(y > x, y, x)
        x = np.maximum(z, 0.5) * 0.5 + a * (k > 3)
    return z[2]
"""
    function = define(text)
    made, _ = whole(function, [np.ones(3), 5], lengths=True)
    for first in (1.0, 0.5, -0.5):
        given = [np.array([first, 2.0, 3.0]), 5]
        assert not differences(outcome(function, given), outcome(made, given))


def test_loops_bind_small_arrays() -> None:
    text = """
def f(a, n):
    x = a * 1.0
    y = [0.0]
    for k in range(n):
        x = np.array([x[1], x[2], x[0] * 0.5])
        z = x * 2.0
        w = z
        u = x[:2]
    print(len(y))
    return x, z, w, u
"""

    def given(run: int) -> list[Any]:
        return [np.random.default_rng(run).normal(size=3), 50]

    settings.tier, settings.first_run_check = "native-loop", "raise"
    assert how(assert_same(define(text), given, runs=4)) == "native"
