"""Memory of native code: large results are handed over, and what is done with is used again."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, differences, outcome

LARGE = 100_000
"""Elements of an array that does not come from the lists of small memory."""


def test_large_results_are_ndarrays_like_all_others() -> None:
    function = define(
        """
def f(x, n):
    for i in range(n):
        y = x * 2.0 + i
        z = y - x
        x = z
    table = (x > 0.5).reshape(10, -1)
    return y, y[::2], z, table, y[5:9]
"""
    )
    given = [np.linspace(0.0, 1.0, LARGE), 7]
    native, state = whole(function, given)
    assert not state.closed, state.closed
    for _ in range(3):
        assert not differences(outcome(function, given), outcome(native, given))
    assert state.forms[0].iterations
    y, part, z, table, few = native(*given)
    assert y.flags.owndata
    assert y.base is None
    assert part.base is y
    assert few.base is y
    expected = y.copy()
    del y, few
    gc.collect()
    assert np.array_equal(part, expected[::2])
    z.resize((2 * LARGE,), refcheck=False)  # NumPy frees and enlarges it as it does its own
    assert z.nbytes == 16 * LARGE
    assert not z[LARGE:].any()
    assert table.shape == (10, LARGE // 10)


def test_what_is_done_with_is_used_again_but_not_by_two() -> None:
    function = define(
        """
def f(x, n):
    kept = []
    for i in range(n):
        a = x + i
        b = a * a
        c = b[::2] - i
        x = b / (i + 1.0)
        kept.append(c)
    return a, b, c, x, kept
"""
    )
    given = [np.linspace(-1.0, 1.0, LARGE), 6]
    native, state = whole(function, given)
    assert not state.closed, state.closed
    for _ in range(3):
        assert not differences(outcome(function, given), outcome(native, given))
    assert state.forms[0].iterations


def test_arrays_that_shrink_use_memory_again() -> None:
    function = define(
        """
def f(x, limit):
    place = np.arange(x.size)
    steps = 0
    while x.size > limit:
        inside = np.abs(x) < 3.0
        x, place = x[inside] * 1.05 + 0.01, place[inside]
        steps += 1
    return x, place, place[::2], steps
"""
    )
    x = np.random.default_rng(5).normal(size=2 * LARGE)
    native, state = whole(function, [x, LARGE])
    assert not state.closed, state.closed
    for limit in (LARGE, 40_000, LARGE // 2, 10_000, 3 * LARGE):
        given = [x, limit]
        assert not differences(outcome(function, given), outcome(native, given))
    assert state.forms[0].iterations
    left, place, _, _ = native(x, LARGE)
    assert left.flags.owndata
    assert place.base is None
    kept = left.copy()
    left.resize((2 * LARGE,), refcheck=False)
    assert np.array_equal(left[: kept.size], kept)


KEEPS = """
def f(x):
    for once in range(1):
        pass
    a = np.sort(x)
    b = np.concatenate([a, x])
    c = np.cumsum(b)
    d = np.sort(c[::-1].reshape(2, -1)[0])
    return float(d[0] + c[-1])
"""


def test_memory_of_a_run_is_there_for_the_next() -> None:
    """A page that the system takes back has to be found again, which takes a microsecond or two."""
    resource = pytest.importorskip("resource")
    function = define(KEEPS)
    x = np.random.default_rng(0).normal(size=100_000)
    made, state = whole(function, [x])
    (form,) = state.forms
    form.checked = True
    made(x)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        made(x)
    pages = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    assert form.iterations == 11
    assert pages < 1000, pages  # 4 MB, or a thousand pages, are used in each
