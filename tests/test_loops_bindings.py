"""What Python lets one write: ``:=``, ``del``, ``or`` of numbers, tests that are known, dicts."""

from __future__ import annotations

import numpy as np
import pytest

from jupyter_npcompile.loops.kinds import Declined
from tests.test_loops_program import translated
from tests.test_runtime_whole_function import assert_whole

WORDS = """
def f(a, n, mode="wrap", start=None, axis=0, limit=None):
    if not isinstance(a, np.ndarray) or a.ndim != 2:
        raise TypeError(f"{a!r} is no matrix")
    assert mode in ("wrap", "edge", None), f"mode {mode}"
    assert isinstance(n, (int, np.integer)) and not isinstance(n, float)
    x = np.zeros(a.shape[1 - axis]) if start is None else start.copy()
    limit = limit or n + 3
    first, *rest, last = (n, 2, x, 4.5)
    rounds, seen = 0, []
    while (left := n - rounds) > 0 and rounds < limit:
        if mode == "wrap":
            x = x + a.sum(axis=axis) * left
        elif mode == "edge":
            x = x.no_such_thing()
        else:
            x[0] = no_such_name
        seen.append(left)
        rounds += 1
    del first, last
    while True:
        if (size := np.abs(x).max()) < 1.0:
            break
        x = x / 2
    i = k = 0
    for i, (p, q) in enumerate(zip(x, x[::-1])):
        k += int(p > q)
    q, r = divmod(k + 17, 5)
    worst = (rounds and k) or -1
    name = "many" if len(rest) > 1 else 3
    return {"x": x, "axis": axis, "found": (q, r, size), "rest": rest[1], 'é "': worst}, name
"""


INDICES = """
def f(m, n):
    out, total = np.zeros_like(m), 0.0
    for i, j in np.ndindex(m.shape):
        if (i + j) % 3 == 0:
            continue
        out[i, j] = np.median(m[i:i + n, j:j + n])
    for place in np.ndindex(2, n):
        total += m[place] * place[0]
    for (i, j), value in np.ndenumerate(m.T):
        total -= value * (i - j)
        m[j, i] = total
    for (i,), value in np.ndenumerate(m[0] * 2):
        total += i * value
    return out, total, i, j, place, value, m
"""


def test_loops_over_indices() -> None:
    rng = np.random.default_rng(2)
    state = assert_whole(INDICES, rng.normal(size=(4, 5)), 3)
    assert state.forms[0].iterations == 2


def test_ordinary_words() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=(3, 4))
    state = assert_whole(WORDS, a, 2, "wrap", None, 0, None)
    assert state.forms[0].iterations == 2


def test_an_axis_is_part_of_the_code() -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(size=(3, 4))
    state = assert_whole(WORDS, a, np.int64(4), "wrap", np.ones(3), 1, 7)
    (form,) = state.forms
    assert (None, ("axis",), 1) in [(x.function, x.path, x.value) for x in form.code.assumptions]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("for i in range(9): t = i + (i := 2)", "in such a place"),
        ("for i in range(9): t = i > 3 and (j := 2) > 1", "in such a place"),
        ("for i in range(9): t = [(j := k) for k in a]", "in such a place"),
        ("for i in range(9): t = (j := i) + j", ""),
        ("for i in range(9):\n    t = 2\n    del t\n    t = t + 1", "may not be bound|changes"),
        ("for i in range(9):\n    if word is None: word = 'b'\n    t = i", "`word`"),
        ("for i in range(9): del a[i]; t = 1", "no name"),
        ("for i in range(9): t = {i: 3}", "keys are no texts"),
        ("for i in range(9): t = {'a': 3}", "`t` is a function, or an object"),
        ("for i in range(9): t = 'x' in ('x', np.float64)", "in"),
        ("for i in range(9): t = 2 if 'x' == None or 'x' == 3 else i", ""),
        ("for i in range(9): p, *t = a", "a starred target"),
        ("while (t := n) > 3: n -= 1", "test binds names"),
    ],
)
def test_what_is_and_is_not(text: str, reason: str) -> None:
    if not reason:
        translated(text, a=np.ones(9), np=np, n=9, word=None)
        return
    with pytest.raises(Declined, match=reason):
        translated(text, a=np.ones(9), np=np, n=9, word=None)
