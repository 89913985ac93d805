"""Statements that share one loop do what they do one after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.runtime.whole_function import WholeFunction
from tests.runtime.dispatch.test_whole_function import assert_whole, whole
from tests.support.loops.loop_programs import together
from tests.support.loops.native_loops import define, differences, outcome


def arguments(run: int, seed: int = 0) -> Sequence[Any]:
    """Arrays of which some overlap: the first four are parts of one, in most of the runs."""
    rng = np.random.default_rng((seed, run))
    n = 4 if run == 1 else int(rng.integers(4, 20))
    memory = rng.normal(size=8 * n)
    places = rng.integers(0, 2 * n, 4) if run % 3 else np.arange(4) * n
    if run % 5 == 4:
        places[1] = places[0]
    a, b, c, d = (memory[place : place + n] for place in places)
    m, w = rng.normal(size=(int(rng.integers(3, 7)), n)), rng.normal(size=(3, 3))
    if run == 7:
        m, w = memory[n : 7 * n].reshape(6, n), memory[:9].reshape(3, 3)
    return a, b, c, d, m, w, n, float(rng.normal())


def fused(source: str) -> list[int]:
    """How many statements each loop holds that holds several."""
    blocks = re.findall(r"(?:const \w+ x_\d+ = [^\n]*\n){2,}", source)
    return [block.count("\n") for block in blocks]


def is_same(one: Any, other: Any) -> bool:
    """Whether results are the same bit by bit, but for the bits of NaN."""
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=True) and np.array_equal(
            np.signbit(one), np.signbit(other)
        )
    return bool(one == other)


@pytest.mark.parametrize("seed", range(3))
def test_random_groups(seed: int) -> None:
    function = define(together(seed))
    made, state = whole(function, arguments(0, seed))
    assert not state.closed, state.closed
    assert fused(state.forms[0].code.source)
    for run in range(12):
        expected = outcome(function, arguments(run, seed))
        found = outcome(made, arguments(run, seed))
        assert not differences(expected, found), f"run {run}"
        assert is_same(expected.result, found.result), f"run {run}"
        assert is_same(expected.arguments, found.arguments), f"run {run}"


ACCUMULATED = """
def f(x, w, steps):
    n, total = x.shape[0] - 2, 0.0
    for _ in range(steps):
        largest = np.full((n, n), -np.inf)
        smooth = np.zeros((n, n))
        for i in range(3):
            for j in range(3):
                if i == j == 1:
                    continue
                smooth += w[i, j] * x[i : i + n, j : j + n]
        for i in range(3):
            for j in (0, 2, 1):
                np.maximum(largest, x[i : i + n, j : j + n], out=largest)
        total += smooth[0, 0] + i + j
    return smooth, largest, total
"""


def test_short_loops_are_one_loop_over_memory() -> None:
    rng = np.random.default_rng(0)
    state = assert_whole(ACCUMULATED, rng.normal(size=(9, 9)), rng.normal(size=(3, 3)), 2)
    source = state.forms[0].code.source
    assert set(fused(source)) == {18}  # one loop, in several forms


WEIGHTED = """
def f(x, w):
    n = x.shape[0] - 4
    total = np.zeros((n, n))
    for i in range(POINTS):
        for j in range(POINTS):
            total += w[i, j] * x[i : i + n, j : j + n]
    return total
"""


@pytest.mark.parametrize("points", [3, 5])
def test_what_computes_more_than_it_reads_has_the_widest_vectors(points: int) -> None:
    rng = np.random.default_rng(0)
    source = WEIGHTED.replace("POINTS", str(points))
    state = assert_whole(source, rng.normal(size=(40, 40)), rng.normal(size=(5, 5)))
    made = state.forms[0].code.source
    assert max(fused(made)) == points**2 + 1
    assert ("prefer-vector-width=512" in made) == (points == 5)


BITS = """
def f(codes, by):
    bits = codes[:, None] ^ codes[None, :]
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    bits = (bits << by) + (bits >> by)
    return bits * np.uint64(3) >> np.uint64(56)
"""


def test_shifts_are_done_with_what_is_around_them() -> None:
    """Also by as many places as there are bits, or by more."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2**64, 9, dtype=np.uint64)
    state = assert_whole(BITS, codes, rng.integers(0, 70, 9, dtype=np.uint64))
    assert fused(state.forms[0].code.source) == [4]


TEMPORARY = """
def f(u, c, steps):
    for _ in range(steps):
        left = u - np.roll(u, 1)
        right = np.roll(u, -1) - u
        same = left * right > 0
        slope = np.where(same, np.minimum(np.abs(left), np.abs(right)), 0.0)
        flux = u + c * slope
    return flux - np.roll(flux, 1)
"""


def test_temporaries_have_no_memory() -> None:
    state = assert_whole(TEMPORARY, np.random.default_rng(0).normal(size=30), 0.3, 2)
    source = state.forms[0].code.source
    together, _ = source.split("// apart", 1)
    assert fused(source) == [5]
    assert together.count("= fresh<") == 3  # two are from np.roll


GROUPS = (
    # What nobody needs, or needs in some cases only, is divided by zero all the same.
    ("t = a / b", "v = a + b", "w = v * 2"),
    ("t = a / b", "v = np.where(b != 0, t, 0.0)", "w = v * 2"),
    ("t = a / b", "t = a - b", "w = t * 2"),
    # A shape that does not fit, after something has been written.
    ("a += b", "np.add(a, c, out=a)", "b *= a", "w = b + c"),
    # Shapes that become larger.
    ("t = c[:1] + x", "v = t * a", "w = v + t"),
    # What is bound anew, and views and other names of what was bound before.
    ("v = a[1:] + 1", "a = a * 2", "w = a[1:] - v", "v = w * 2"),
    ("v = a", "v += b", "w = a * v", "a -= w"),
    # Elements and sums of what is written beside it.
    ("a += b", "b += a[0]", "w = a * b.sum()", "w *= w[1]", "w += np.max(a)"),
    # Other dtypes.
    ("t = a > b", "v = (t & (a > 0)) * 2", "w = v // 2 + t"),
    ("t = (a * 4).astype(np.int8)", "v = t * t", "w = v - a", "v += t"),
    ("t = a.astype(np.float32)", "v = t * np.float32(0.1)", "w = v + t", "v *= w"),
    # After the last iteration.
    ("w = a * 0", "for s in (2, 3):", "  for k in range(2): w += s * a + k", "w += k - s"),
)


@pytest.fixture(scope="module")
def groups() -> tuple[Any, Any, WholeFunction]:
    """A function that does one of the groups, and its native form."""
    lines = ["def f(a, b, c, x, steps, which):", "    w = v = a * 1.0"]
    for place, group in enumerate(GROUPS):
        body = [f"            {line}" for line in group]
        names = "a, b, w, v" if any(line.startswith("v =") for line in group) else "a, b, w"
        lines += [f"    if which == {place}:", "        for _ in range(steps):", *body]
        lines += [f"        return {names}"]
    function = define("\n".join([*lines, "    return x"]) + "\n")
    a, b, c = np.random.default_rng(0).normal(size=(3, 8))
    made, state = whole(function, (a, b, c, 0.5, 2, 99))
    assert not state.closed, state.closed
    sizes = fused(state.forms[0].code.source)
    assert len(sizes) >= len(GROUPS), sizes
    return function, made, state


@pytest.mark.parametrize("which", range(len(GROUPS)))
def test_special_groups(groups: tuple[Any, Any, WholeFunction], which: int) -> None:
    function, made, state = groups
    state.forms[0].refusals = 0
    a, b, c = np.random.default_rng(0).normal(size=(3, 8))
    b[3] = 0
    for given in ((a, np.abs(b) + 1, c), (a, b, c), (a, b + 9, c[:2]), (a, b + 9, a)):
        pairs = [(*(v.copy() for v in given), 0.5, 2, which) for _ in range(2)]
        expected, found = outcome(function, pairs[0]), outcome(made, pairs[1])
        assert not differences(expected, found)


def test_why_a_name_has_no_type_is_said() -> None:
    text = """def f(x):
    y = 0
    for k in range(len(x)):
        y = x + y
        if k:
            break
    return y
"""
    _, state = whole(define(text), [np.arange(9.0)])
    assert "`y`: it is a Python int or a 1-d array" in state.closed


@pytest.mark.parametrize("seed", range(2))
def test_stencils_of_any_layout(seed: int) -> None:
    """Slices that differ in the last dimension share pointers, wherever they turn out to lie."""
    rng = np.random.default_rng(seed)
    places = [(int(i), int(j)) for i in range(3) for j in rng.permutation(3)]
    terms = [f"{k + 1}.5 * u[{i}:n + {i}, {j}:m + {j}]" for k, (i, j) in enumerate(places)]
    text = (
        f"def f(u, v, n, m):\n    r = {' + '.join(terms)}\n"
        "    s = v[:m] + v[1:m + 1] * v[2:m + 2] - v[3:m + 3] / v[4:m + 4] + v[:m]\n"
        "    for k in range(2):\n        r = r * 0.5 + s\n    return r\n"
    )
    made, state = whole(define(text), (np.ones((6, 7)), np.ones(12), 4, 5))
    assert not state.closed, state.closed
    assert re.search(r"\*(r_\d+) = r_\d+ \+ -?\d;", state.forms[0].code.source)

    def drawn(run: int) -> Sequence[Any]:
        rng = np.random.default_rng((seed, run))
        n, m = int(rng.integers(1, 6)), int(rng.integers(1, 40))
        rows, columns = (4 if run % 4 == 1 else n + 2), (4 if run % 4 == 2 else m + 2)
        u = rng.normal(size=(2 * rows, 3 * columns))
        ways = (
            lambda: u[:rows, :columns].copy(),
            lambda: u[:rows, :columns],
            lambda: np.asfortranarray(u[:rows, :columns]),
            lambda: u[::2, ::3],
            lambda: u[:rows, columns - 1 :: -1],
            lambda: np.broadcast_to(u[0, 0], (rows, columns)),
        )
        v = rng.normal(size=2 * m + 12)
        return ways[run % 6](), v[: 2 + m] if run % 5 == 4 else v[:: run % 2 + 1][: m + 6], n, m

    for run in range(48):
        expected = outcome(define(text), drawn(run))
        found = outcome(made, drawn(run))
        assert not differences(expected, found), f"run {run}"
