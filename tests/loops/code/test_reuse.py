"""Memory of arrays that are bound anew: what is written over was nobody else's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, differences, outcome

PROGRAMS = {
    "a view of it is kept": """
def f(x, n):
    views = x
    for k in range(n):
        x = x * 1.5 - k
        part = x[1:]
        x = x + 1.0
        views = views[: part.size] + part
        x = part - 2.0
    return x, part, views
""",
    "it is reversed or moved": """
def f(x, n):
    x = x + 0.0
    for k in range(n):
        x = x + x[::-1]
        x[0] = k
        x = np.where(x > x[0], x - x.max(), x / 2)
    return x
""",
    "it has two names": """
def f(x, n):
    x = x + 0.0
    all_of_it = []
    for k in range(n):
        y = x
        x = x * 2 + k
        all_of_it.append(x)
        x = x - y
    return x, y, all_of_it
""",
    "it chooses its own elements": """
def f(x, n):
    places = np.arange(x.size)
    for k in range(n):
        places = places[places] + 0
        places = x.size - 1 - places
        x = x[places] * 1.25
    return x, places
""",
    "its shape and its type change": """
def f(x, n):
    y = x[:3] * 1
    table = np.zeros((1, 3))
    for k in range(n):
        y = x[: k + 1] * 2
        y = y + x[0]
        table = table + np.ones((k + 1, 1)) if k == 2 else table + 1
        z = y * 2
        z = (z > 1) & (y < 3)
    return y, z, table
""",
    "some of its elements are kept": """
def f(x, n):
    place = np.arange(x.size)
    pair = x * 1j + place
    flags = x > 0
    whole = x + 0
    for k in range(n):
        inside = np.abs(x) < 2.5 - 0.2 * k
        other = place
        place, x, pair, flags = place[inside], x[inside], pair[inside], flags[inside]
        whole = whole[whole > -2.5 + 0.2 * k]
        flags = flags[flags]
        flags = x > 0.1 * k
    return place, other, x, pair, whole, flags
""",
    "one statement reads it twice": """
def f(x, n):
    x, other = x + 0, x + 1
    for k in range(n):
        m = x < 2.0 - 0.1 * k
        x, other = x[m], other[m] + x[m]
        m = other > x
        other, x = x[m], other[m]
        part = x[::2]
        x = x[x > -3.0]
        x = x[::1]
        x = x[x < 10.0]
    return x, other, part
""",
    "somebody goes through it": """
def f(x, n):
    x = x + 0
    total = 0.0
    for value in x:
        x = x * 0.5 + value
        total += x[0]
        if total > 1e6:
            break
    table = np.outer(x, x)
    for row in table:
        table = table - row
    return x, total, table
""",
}


def _arguments(n: int, seed: int) -> list[Any]:
    return [np.random.default_rng((seed, n)).normal(size=n), 6]


@pytest.mark.parametrize("name", PROGRAMS)
def test_nobody_else_sees_it(name: str) -> None:
    function = define(PROGRAMS[name])
    made, state = whole(function, _arguments(9, 0))
    assert not state.closed, state.closed
    for n in (8, 9, 17, 100, 3000, 40_000):
        if "table" in PROGRAMS[name] and n > 100:
            continue
        for seed in range(3):
            one, other = _arguments(n, seed), _arguments(n, seed)
            assert not differences(outcome(function, one), outcome(made, other)), n
    assert state.forms[0].iterations > 10


CHANGED = """
def f(x, i, v, w, unsigned, floats):
    x[i] += 1
    x[i] -= v
    floats[i] *= w[: i.size]
    floats[i[::2]] /= 3.0
    x[unsigned] |= 1
    floats[unsigned[::-1]] += w[: unsigned.size]
    floats[unsigned] -= x[unsigned]
    floats[i] **= 2
    x[i] = x[i] // 2 + v
    x[i[:1]] += v[:1]
    x[i] %= 1000
    return x, floats
"""


def _places(rng: np.random.Generator, kind: str, n: int) -> list[Any]:
    count = int(rng.integers(0, n + 1))
    if kind == "rising":
        i = np.flatnonzero(rng.random(n) < 0.5)
    elif kind == "negative":
        i = np.sort(rng.integers(-n, n, count))
    elif kind == "the same":
        i = np.full(count, n - 1)
    else:
        i = rng.integers(0, n, count)
    if kind == "outside" and i.size:
        i[-1] = n if rng.random() < 0.5 else -n - 1
    unsigned = np.unique(rng.integers(0, n, count)).astype("uint8")
    v = rng.integers(-9, 9, i.size)
    x = rng.integers(-99, 99, 2 * n)[::2]
    return [x, i, v, rng.normal(size=max(i.size, unsigned.size)), unsigned, rng.normal(size=n)]


@pytest.mark.parametrize("kind", ["rising", "negative", "the same", "any", "outside"])
def test_elements_that_an_array_chooses_are_changed(kind: str) -> None:
    function = define(CHANGED)

    def arguments(n: int, seed: int) -> Sequence[Any]:
        return _places(np.random.default_rng((seed, n)), kind, n)

    made, state = whole(function, _places(np.random.default_rng(1), "any", 40))
    assert not state.closed, state.closed
    outcome(made, _places(np.random.default_rng(1), "any", 40))  # from then on it is trusted
    for n in (1, 2, 7, 40, 64, 200):
        for seed in range(4):
            one, other = arguments(n, seed), arguments(n, seed)
            assert not differences(outcome(function, one), outcome(made, other)), (n, seed)
    assert state.forms[0].iterations > (0 if kind == "outside" else 20)


def test_places_and_values_that_lie_in_what_is_changed() -> None:
    function = define("""
def f(x, n):
    x = x.copy()
    x[x] += 1
    x[x[::-1]] -= 1
    x[x[:5]] = x[5:10]
    x[np.arange(5)] += x[1:6]
    x[np.arange(9)] = x[np.arange(9)[::-1]]
    x[x % n] += x[::-1]
    x[x % n] = x
    part = x[2:]
    part[x[:8] % 7] *= 2
    return x, part
""")

    def arguments(seed: int) -> list[Any]:
        n = 12 + seed
        rng = np.random.default_rng(seed)
        x = np.arange(n) if seed % 3 == 0 else np.sort(rng.integers(1, n - 1, n))
        return [x if seed % 3 < 2 else rng.integers(1, n - 1, n), n]

    made, state = whole(function, arguments(1))
    assert not state.closed, state.closed
    for seed in range(20):
        one, other = arguments(seed), arguments(seed)
        assert not differences(outcome(function, one), outcome(made, other)), seed
    assert state.forms[0].iterations > 5
