"""What Python lets one write: ``:=``, ``del``, ``or`` of numbers, tests that are known, dicts."""

from __future__ import annotations

import numpy as np
import pytest

from jupyter_npcompile.loops.kinds import Declined
from tests.loops.test_program import translated
from tests.runtime.dispatch.test_whole_function import assert_whole, whole
from tests.support.loops.native_loops import define

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
    assert (("axis",), 1) in [(x.path, x.value) for x in form.code.assumptions]


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


WALKS = """
import itertools
def f(m, n, x):
    total, met, seen, i, j = 0.0, 0, [], -1, -1
    for i, j in np.ndindex(m.shape):
        i = i + 1
        total += m[i - 1, j] * i
    for i, j in itertools.product(range(1, 3), range(n)):
        if m[i, j] > 1.5:
            break
        total += m[i, j]
    seen.append(i)
    for i, j in itertools.combinations(range(len(x)), 2):
        met += x[i] > x[j]
    seen.append(j)
    for i, j, k in itertools.combinations(range(1, n + 1), 3):
        met += i * j - k
        if k - j > 1:
            continue
        met += 1
    for place in itertools.product(range(2), repeat=3):
        met += place[0] + place[1] * place[2]
    for i, j in np.ndindex(2, 2):
        for k in range(3):
            if k > i:
                break
            met += k
        if j:
            break
    else:
        met = -1
    seen.append(i)
    for value in m.T.flat:
        total += value * met
        m[0, 0] = total
    for i, j in np.ndindex(*m.shape):
        total -= m[i, j]
    return total, met, seen, i, j, value, m
"""


def test_loops_over_products_and_combinations() -> None:
    rng = np.random.default_rng(4)
    state = assert_whole(WALKS, rng.normal(size=(4, 5)), 4, rng.normal(size=6))
    assert state.forms[0].iterations == 2


EMPTY = """
import itertools
def f(n, k):
    i, j, met = -1, -1, 0
    for i, j in itertools.combinations(range(n), 2):
        met += 1
    first = i, j
    for i, j in itertools.product(range(n), range(k)):
        met += 1
    return first, i, j, met
"""


@pytest.mark.parametrize(("n", "k"), [(0, 3), (1, 0), (1, 2), (2, 0), (3, 2)])
def test_names_stay_as_they_are_where_nothing_is_gone_through(n: int, k: int) -> None:
    assert_whole(EMPTY, n, k)


ITEMS = """
import math
@np.errstate(divide="ignore", invalid="ignore")
def ratio(a, b):
    return a / b
def double(v):
    return 2 * v
def f(x, k, n):
    out = []
    for value in map(double, x):
        if value > 2:
            break
        out.append(value)
    for v in map(lambda p, q: p * q + n, x, k):
        out.append(v)
    for v in filter(lambda v: v > 0.5, x):
        out.append(v)
    out.append(sum(map(double, x)))
    some = max(x) - min(x), sum(x), sum(k), any(map(lambda v: v > 1, x)), sorted(x)
    for v in reversed(x):
        out.append(v)
    whole = 0
    for i in reversed(range(n, -9, -4)):
        whole = 3 * whole + i
    for i in reversed(range(2, n, 3)):
        whole += i
    for i in range(1, n):
        whole += math.gcd(12, -i) + math.isqrt(i * i + 2 * i) + math.factorial(i)
        whole += round(x[i]) + round(i + 0.5)
        out.append(math.degrees(x[i]) + math.radians(n))
    z = 0j
    for i in range(n):
        z = z * z + complex(x[i], 0.25)
        if abs(z) > 2.0:
            break
    zeros = np.zeros_like(x)
    r = ratio(x, zeros)
    return out, some, whole, z, r, math.isfinite(x[0]), math.isinf(x[1])
"""


def test_items_of_what_python_computes_one_by_one() -> None:
    rng = np.random.default_rng(5)
    state = assert_whole(ITEMS, rng.normal(size=9), rng.integers(0, 9, 5), 7)
    assert state.forms[0].iterations == 2


GROWS = """
def f(n):
    made = ()
    for i in range(n):
        made = made + (i,)
    return made
"""


def test_a_tuple_that_grows_is_left_to_python() -> None:
    function = define(GROWS)
    _, state = whole(function, [3])
    assert "made" in state.closed
