"""Lists in native code: the same items, types, aliasing and errors."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.sequences import Numbers
from jupyter_npcompile.loops.translation import translate
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.loop_compile import Job
from tests.runtime.dispatch.test_whole_function import assert_whole
from tests.support.loops.native_loops import (
    assert_same,
    compiled,
    define,
    differences,
    how,
    outcome,
    reasons,
)


def declined(text: str, *given: Any) -> str:
    """Why a function has no native form; empty where it has one."""
    function = define(text)
    state = handle_of(compiled(function)).whole
    names = {**vars(builtins), **function.__globals__}
    names.update(zip(function.__code__.co_varnames, given, strict=False))
    job = Job.of_names(state.loop, Numbers(), names)
    loop = job.loop
    try:
        translate(loop.node, job.known.__getitem__, loop.assigned, loop.names, job.kind)
    except Declined as reason:
        return reason.reason
    return ""


def test_numbers() -> None:
    state = assert_whole(
        """
def f(x, n):
    found, places, both, total = [0.5], [], [], 0.0
    for i in range(n):
        if x[i] > 0:
            found.append(x[i])
            places.append(i)
        total = total + 0.5
        both.append(total)
        both.append(x[i] * 2)
    other = found
    other.append(1.5)
    while len(places) > 3:
        total += places.pop() + found.pop(0)
    if places:
        found[-1] = x[places[-1]]
        found[0] += 2.0
    both.reverse()
    again = found[::-1]
    table = [0.0] * n
    for i, v in enumerate(found):
        table[i % n] += v
    found += [1.0, total]
    empty = []
    flags = [v > 0 for v in x if v < 1]
    pairs = [i * j for i in range(4) if i != 1 for j in range(i) if j != 1]
    some = any(v > k for k in (9, 8) for v in x[:k]), all(i <= n for i in places for j in range(i))
    ranks = sorted(both, reverse=True)
    again.sort()
    lists = (ranks, len(sorted([])), sorted([n, 2, n]), pairs, some)
    arrays = np.array(places), np.asarray(found)
    return found, other, both, again, table, arrays, empty, flags, lists
""",
        np.random.default_rng(3).normal(size=12),
        12,
    )
    assert state.forms[0].refusals == 0
    assert state.forms[0].iterations


def test_arrays_and_tuples() -> None:
    state = assert_whole(
        """
def f(u, n):
    kept, rows, parts, points, stack = [u], [], [], [[0.0, 1.0]], [(0, 1.5)]
    v = u.copy()
    for i in range(n):
        v = v * 0.5
        kept.append(v)
        rows.append(v[1:])
        parts.append(v[:i])
        points.append([i * 0.5, v[0]])
        stack.append((i, 0.5 * i))
    kept[1][0] = 7.0
    for row in rows:
        row += 1.0
    total = 0.0
    while stack:
        i, value = stack.pop()
        if i == 2:
            continue
        total += value * i
    for di, dj in ((0, 1), (1, 0), (1, 1)):
        if di == dj:
            break
        total += di - dj
    squares = [[k * k for k in range(j)][-1] for j in range(1, 4)]
    joined = np.concatenate(parts)
    near = sum(np.roll(u > 2, i + j) for i in (-1, 0, 1) for j in (0, 1) if i != 0 or j != 1)
    sums = sum(rows), sum([u]), near
    return kept, rows, np.array(kept), joined, np.array(points), total, squares, np.mean(rows), sums
""",
        np.arange(6.0) + 1,
        4,
    )
    assert state.forms[0].refusals == 0
    assert state.forms[0].iterations


@pytest.fixture
def _native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "native-loop")


GROWING = """
def f(x, losses, kept, n):
    others = losses
    for i in range(n):
        x = x * 0.5
        losses.append(x[i] + 1.0)
        if i % 2:
            kept.append(x)
    return x, losses, others, kept
"""


@pytest.mark.usefixtures("_native")
@pytest.mark.parametrize("check", ["off", "raise"])
def test_lists_from_outside_grow(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", check)
    function = define(GROWING)
    first = np.zeros(2)
    native = assert_same(function, lambda run: [np.arange(9.0), ["text", run], [first], 8 + run])
    assert how(native) == "native", reasons(native)
    # An index out of bounds after some iterations: Python appends what comes before it.
    pairs = [[np.arange(5.0), [], [], 8] for _ in range(2)]
    found = outcome(native, pairs[1])
    assert found.error is not None
    assert not differences(outcome(function, pairs[0]), found)
    # The same list twice: in which order would its items come?
    one, other = [1], [1]
    expected, found = (
        outcome(f, [np.arange(9.0), a, a, 8]) for f, a in ((function, one), (native, other))
    )
    assert not differences(expected, found)


@pytest.mark.usefixtures("_native")
def test_lists_from_outside_that_are_read() -> None:
    text = "def f(x, out):\n    for i in range(4): x[i] = len(out)\n    return x\n"
    native = assert_same(define(text), lambda run: [np.zeros(4), [1, 2]])
    assert reasons(native) == [""]  # it is part of the code
    native = assert_same(define(text), lambda run: [np.zeros(4), [np.zeros(1)]])
    assert reasons(native) == ["line 2: a list from outside that is not only appended to"]


@pytest.mark.parametrize(
    "lines",
    [
        "found = [1.0, 2.0]\n    for i in range(n): x[i] = found[i]",  # out of the list
        "found = [1]\n    for i in range(n): x[i] = found.pop()",  # nothing is left
        "found = [1]\n    for v in found:\n        if len(found) < n: found.append(v + 1)",
    ],
)
def test_what_is_left_to_python(lines: str) -> None:
    state = assert_whole(f"def f(x, n):\n    {lines}\n    return found, x\n", np.zeros(4), 4)
    assert not state.forms[0].iterations


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("a = [1.0]; b = a; a.append(x[0])", "a list whose items change their type, by two names"),
        ("a = []; b = a; a.append(1)", "an empty list, by two names"),
        ("a = [1]; a.append(0.5)", "it is a Python int or a Python float"),
        ("a = [[1]]; a.append([2])", "a list of lists"),
    ],
)
def test_declined(lines: str, reason: str) -> None:
    text = f"def f(x):\n    for i in range(3): x[i] = 0.5\n    {lines}\n    return a\n"
    assert declined(text, np.zeros(3)) == reason


def test_a_list_that_nobody_changes_is_an_index() -> None:
    assert_whole(
        """
def f(m):
    order, total = [2, 0], 0.0
    for i in range(2):
        total += m[order][i].sum() + m[order, order][i]
    return total, order
""",
        np.arange(9.0).reshape(3, 3),
    )
