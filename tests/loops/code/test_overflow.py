"""Integers of vectorised loops: nothing that is lost goes unnoticed."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.runtime.native.loop_toolchain import compile_loop
from tests.runtime.dispatch.test_whole_function import assert_whole, whole
from tests.support.loops.native_loops import define, differences, outcome

pytestmark = pytest.mark.usefixtures("straight_functions")

DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")

EXPORTED = """
template <class T> static int together(int op, const T *a, const T *b, T *c, i64 n) {
    Lazy lazy_;
    T sum = b[0];
    const T before = sum;
    try {
        switch (op) {
            case 0: for (i64 i = 0; i < n; i++) c[i] = lazy_.add<T>(a[i], b[i]); break;
            case 1: for (i64 i = 0; i < n; i++) c[i] = lazy_.sub<T>(a[i], b[i]); break;
            case 2: for (i64 i = 0; i < n; i++) c[i] = lazy_.mul<T>(a[i], b[i]); break;
            case 3: for (i64 i = 0; i < n; i++) c[i] = lazy_.neg<T>(a[i]); break;
            case 4: for (i64 i = 0; i < n; i++) sum = lazy_.sum<T>(sum, a[i]); break;
            case 5: for (i64 i = 0; i < n; i++) sum = lazy_.less<T>(sum, a[i]); break;
        }
        lazy_.look();
        if (op > 3) { lazy_.look_at<T>(before, n, 1); c[0] = sum; }
        return 0;
    } catch (const Bail &) { return 1; }
}
#define EXPORT(T) extern "C" __attribute__((visibility("default"))) \\
    int of_##T(int op, const T##_t *a, const T##_t *b, T##_t *c, i64 n) \\
    { return together<T##_t>(op, a, b, c, n); }
EXPORT(int8) EXPORT(int16) EXPORT(int32) EXPORT(int64)
EXPORT(uint8) EXPORT(uint16) EXPORT(uint32) EXPORT(uint64)
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    target: Path = tmp_path_factory.mktemp("overflow") / "together.so"
    compile_loop(EXPORTED, target)
    return ctypes.CDLL(str(target))


def drawn(rng: np.random.Generator, dtype: str, count: int) -> np.ndarray[Any, Any]:
    """Numbers of all sizes, and those beside the limits."""
    info = np.iinfo(dtype)
    bits = rng.integers(0, info.bits + 1, count)
    found = []
    for k, many in enumerate(bits):
        value = int(rng.integers(0, 2**64, dtype=np.uint64)) >> (64 - int(many))
        value = value if info.min == 0 or rng.random() < 0.5 else -value
        if rng.random() < 0.2:
            value = (info.min if k % 2 else info.max) + int(rng.integers(-2, 3))
        found.append(min(max(value, info.min), info.max))
    return np.array(found, dtype=dtype)


def exact(op: int, a: int, b: int) -> int:
    return [a + b, a - b, a * b, -a][op]


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_lost_is_noticed(library: ctypes.CDLL, dtype: str) -> None:
    rng, info = np.random.default_rng(1), np.iinfo(dtype)
    run = getattr(library, f"of_{dtype}")
    operations = (0, 1, 2, 3) if info.min < 0 else (0, 1, 2)
    for trial in range(300):
        n = 1 if trial % 3 else 70
        a, b = (drawn(rng, dtype, n) for _ in range(2))
        for op in operations:
            made = np.empty_like(a)
            pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (a, b, made)]
            lost = run(op, *pointers, ctypes.c_int64(n))
            right = [exact(op, int(p), int(q)) for p, q in zip(a, b, strict=True)]
            fits = all(info.min <= value <= info.max for value in right)
            if not fits:
                assert lost, (op, a, b)
            elif op == 2 and info.bits == 64:  # large factors are Python's, whatever comes of them
                small = max(abs(int(p)) for p in (*a, *b)) < 1 << 31
                assert not (lost and small), (a, b)
            else:
                assert not lost, (op, a, b)
            assert lost or made.tolist() == right


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_sums_in_any_order_cannot_have_overflowed(library: ctypes.CDLL, dtype: str) -> None:
    rng, info = np.random.default_rng(2), np.iinfo(dtype)
    run, accepted = getattr(library, f"of_{dtype}"), 0
    for trial in range(400):
        n = int(rng.integers(1, 90))
        a, start = drawn(rng, dtype, n), drawn(rng, dtype, 1)
        a >>= int(rng.integers(0, info.bits))
        for op, sign in ((4, 1), (5, -1)):
            made = np.empty(1, dtype)
            pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (a, start, made)]
            if run(op, *pointers, ctypes.c_int64(n)):
                continue
            accepted += 1
            reach = abs(int(start[0])) + sum(abs(int(x)) for x in a)
            assert reach <= info.max, (trial, op)
            assert int(made[0]) == int(start[0]) + sign * sum(map(int, a))
    assert accepted > 100


SUMS = """
def f(x, y, k):
    total, less, out, seen = 0, k, np.zeros_like(x), 0
    for i in range(len(x)):
        total += x[i] * y[i]
    for value in y:
        less -= value
    for i in range(1, len(x)):
        out[i] = x[i] - y[i] + x[i - 1]
        if out[i] > 3:
            seen += 1
    return total, less, out, seen
"""


def test_sums_of_a_loop_are_looked_at_once() -> None:
    rng = np.random.default_rng(3)
    given = rng.integers(-1000, 1000, 2000), rng.integers(-1000, 1000, 2000), np.int64(7)
    state = assert_whole(SUMS, *given)
    assert state.forms[0].iterations == 2
    assert state.forms[0].code.source.count("Lazy lazy_") == 3


def test_numpy_warns_of_what_overflows() -> None:
    function = define(SUMS)
    small = np.arange(50), np.arange(50), np.int64(1)
    made, state = whole(function, small)
    large = np.int64(np.iinfo(np.int64).max)
    wide = np.full(50, 1 << 40), np.ones(50, dtype=np.int64), np.int64(1)
    for given in (
        small,
        (np.append(small[0], large), np.ones(51, dtype=np.int64), np.int64(1)),
        (np.ones(50, dtype=np.int64), small[1], -large),
        wide,
        wide,
        small,
    ):
        pairs = [[np.copy(v) if isinstance(v, np.ndarray) else v for v in given] for _ in range(2)]
        wrong = differences(outcome(function, pairs[0]), outcome(made, pairs[1]))
        assert not wrong, wrong
    # Having lost something once, the loops look at each sum: products of large factors fit.
    assert state.forms[0].iterations >= 2


WAITING = """
def f(x):
    table = np.zeros(len(x) + 1, dtype=np.int64)
    for i in range(len(x)):
        table[i + 1] = table[i] + x[i]
    best = x[0]
    for i in range(1, len(x)):
        best = max(x[i], best + x[i])
    return table, best
"""


def test_loops_that_wait_for_each_iteration_look_at_each_sum() -> None:
    state = assert_whole(WAITING, np.arange(40))
    assert "Lazy lazy_" not in state.forms[0].code.source
