"""Functions of NumPy that native code calls, and random numbers: the same results and streams."""

from __future__ import annotations

import warnings

import numpy as np

from tests.runtime.dispatch.test_whole_function import assert_whole, whole
from tests.support.loops.native_loops import define, differences, outcome


def test_results_of_several_parts() -> None:
    state = assert_whole(
        """
def f(m, x):
    for i in range(2):
        q, r = np.linalg.qr(m)
        counts, edges = np.histogram(x, bins=4)
        values = np.linalg.eigh(m + m.T).eigenvalues
        rows, columns = np.nonzero(m > 0)
    (places,) = np.where(x > 0)
    size = np.linalg.slogdet(m)[1]
    return q @ r, counts, edges, values, rows, columns, places, np.flatnonzero(x < 0), size
""",
        np.random.default_rng(1).normal(size=(3, 3)) + 2 * np.eye(3),
        np.random.default_rng(2).normal(size=9),
    )
    assert state.forms[0].iterations


def test_methods_and_blocks() -> None:
    state = assert_whole(
        """
def f(m, x):
    big = np.block([[m, np.eye(3)], [np.zeros((3, 3)), m]])
    y = x.copy()
    for i in range(3):
        y.sort()
        best = m.argmax(axis=1)
        some = (m > 0).any(axis=0)
        power = 2 ** i
    steps, floats, line = np.arange(9, 0, -2), np.arange(0.0, 1.0, 0.25), np.linspace(0, 1, 5)
    value = x if x[0] > 1e9 else y
    spread = (x.var(), x.std(), np.percentile(x, 30), x.cumsum(), m.flatten(), x.ravel())
    infinite = float("inf")
    return big, y, best, some, power, steps, floats, line, value, spread, infinite
""",
        np.random.default_rng(1).normal(size=(3, 3)),
        np.random.default_rng(2).normal(size=9),
    )
    assert state.forms[0].iterations


def test_methods_of_ufuncs_and_what_is_written_into() -> None:
    state = assert_whole(
        """
def scaled(x, *, by):
    return x * by

def f(x, index, m):
    h, total = np.zeros(4), 0.0
    for k in range(3):
        np.add.at(h, index, x * k)
        total += np.maximum.accumulate(scaled(x, by=k)).sum() + np.add.outer(x, x)[k, 0]
        total += sum(x[i] * k for i in range(4)) + max([v for v in x]) + min(v + k for v in x)
        m[index, k] += x
        flags = all(v > -k for v in x), any(v > k for v in x if v < 2)
        for i in reversed(range(2)):
            total = 0.5 * total + i
    np.fill_diagonal(m, -1.0)
    np.copyto(m[0], m[1, :3])
    rows, columns = m.shape[:2]
    return h, total, m, rows, m[index, index % 3], flags
""",
        np.random.default_rng(2).normal(size=4),
        np.array([0, 2, 2, 3]),
        np.random.default_rng(1).normal(size=(4, 3)),
    )
    assert state.forms[0].iterations


def test_statistics_of_nothing_warn_once() -> None:
    function = define(
        """
def f(x, n):
    total = 0.0
    for k in range(n):
        total += x[k:].var() + np.median(x[k:]) + np.std(x[k:], ddof=1)
    return total
"""
    )
    made, state = whole(function, [np.arange(5.0), 4])
    for n in (4, 5, 6, 3):
        pairs = [[np.arange(5.0), n] for _ in range(2)]
        assert not differences(outcome(function, pairs[0]), outcome(made, pairs[1]))
    assert state.forms[0].iterations


def test_parts_of_complex_numbers_are_views() -> None:
    state = assert_whole(
        """
def f(z, n):
    for k in range(n):
        back = np.fft.ifft(np.fft.fft(z) * 0.5)
        x = back.real
        z.imag[:] += x
        total = (z * z).real.sum() + z.real @ z.imag
    x[0] = 7.0
    return x, back.imag, back, z.real, total
""",
        np.arange(5.0) + 1j,
        3,
    )
    assert state.forms[0].iterations


def test_draws_of_a_generator() -> None:
    function = define(
        """
def f(rng, x, p, n):
    out, y = [], x.copy()
    for i in range(n):
        out.append(rng.choice(x) + rng.exponential(2.0) + rng.choice(4, p=p) + rng.choice(n))
        rng.shuffle(y)
    return (
        out, y, rng.choice([-1, 1], size=5), rng.choice(x, size=(2, 3), p=p), rng.permutation(n),
        rng.choice(x, 2, replace=False), rng.poisson(3.0), rng.gamma(2.0, size=3),
        rng.permutation(x),
    )
"""
    )
    shares = np.array([0.1, 0.2, 0.3, 0.4])
    made, state = whole(function, [np.random.default_rng(1), np.arange(4.0), shares, 6])
    for seed in range(3):
        pairs = [[np.random.default_rng(seed), np.arange(4.0), shares, 6] for _ in range(2)]
        assert not differences(outcome(function, pairs[0]), outcome(made, pairs[1]))
    assert state.forms[0].iterations
    wrong = shares + 0.1  # Python raises, and the stream is where it was
    pairs = [[np.random.default_rng(5), np.arange(4.0), wrong, 6] for _ in range(2)]
    found = outcome(made, pairs[1])
    assert not differences(outcome(function, pairs[0]), found)
    assert found.error is not None


def test_draws_that_all_of_python_shares() -> None:
    function = define(
        """
def f(x, n, k):
    total, inside = 0.0, 0
    for i in range(n):
        a, b = np.random.rand(), np.random.uniform(0.0, 2.0)
        inside += a * a + b * b < 1
        total += np.random.randn() + np.random.randint(0, 7) + np.random.normal(1.0, 2.0)
        total = total + x[i + k]
    np.random.shuffle(x)
    some = np.random.randint(5, size=4), np.random.choice(x, 3), np.random.rand(2, 3)
    return total, inside, x, some
"""
    )
    made, state = whole(function, [np.arange(8.0), 5, 0])
    for seed, k in ((1, 0), (2, 0), (3, 7), (4, 0)):  # the third one fails on its way
        states = []
        found = []
        for run in (function, made):
            np.random.seed(seed)
            np.random.randn()  # one more is kept for later
            found.append(outcome(run, [np.arange(8.0), 5, k]))
            states.append(repr(np.random.get_state(legacy=False)))
        assert not differences(*found)
        assert states[0] == states[1]
    assert state.forms[0].iterations
    assert state.forms[0].code.draws_legacy


def test_seeds_are_set() -> None:
    text = "def f(n):\n    np.random.seed(3)\n    out = []\n"
    text += "    for i in range(n): out.append(np.random.rand())\n    return np.array(out)\n"
    before = repr(np.random.get_state(legacy=False))
    state = assert_whole(text, 5)
    assert state.forms[0].iterations
    assert repr(np.random.get_state(legacy=False)) != before


def test_numbers_of_every_dtype_that_numpy_computes() -> None:
    """What NumPy returns may be a number that Python has no type for."""
    state = assert_whole(
        """
def f(x, k):
    total = np.float32(0)
    for i in range(3):
        total += x[i]
    return x.mean(), x.std(dtype=np.float32), k.sum(dtype=np.int8), k.mean(), total
""",
        np.arange(7, dtype=np.float32) / 3,
        np.arange(7, dtype=np.int8),
    )
    assert state.forms[0].iterations


def test_statistics_of_some_elements_warn_once() -> None:
    text = "def f(x, k):\n    return x.mean(where=k), np.var(x, 0, ddof=1, where=k)"
    some, none, one = np.arange(4) > 1, np.arange(4) > 9, np.arange(4) == 2
    function = define(text)
    made, state = whole(function, [np.arange(4), some])
    assert not state.closed, state.closed
    for chosen in (some, some, none, some, one):
        said = []
        for call in (function, made):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = call(np.arange(4), chosen)
            said.append((repr(result), [str(one.message) for one in caught]))
        assert said[0] == said[1]
    assert state.forms[0].iterations
