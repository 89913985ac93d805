"""Stores that overlap what they read are as if all had been computed before, for all slices."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.loops import overlaps
from tests.loops.fusion.test_fusing import is_same
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, differences, outcome

pytestmark = pytest.mark.usefixtures("straight_functions")


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few rows, so that there are many of them."""
    monkeypatch.setattr(overlaps, "BLOCK", 24)


def slices(rng: random.Random, room: int) -> str:
    """A slice that leaves out `room` elements of an axis."""
    first = rng.randint(0, room)
    stop = first - room
    return f"{first or ''}:{stop or ''}"


def stencil(seed: int, ndim: int) -> str:
    """Stores of random slices of an array into others of them."""
    rng = random.Random(seed)
    lines = []
    for _ in range(3):
        room = [rng.choice([1, 2, 3]) for _ in range(ndim)]

        def part(room: list[int] = room) -> str:
            return f"u[{', '.join(slices(rng, one) for one in room)}]"

        terms = [f"{rng.choice([0.5, 0.25, -1.5])} * {part()}" for _ in range(rng.randint(1, 5))]
        if rng.random() < 0.4:
            terms.append(f"v{'[' + ', '.join(f'{one}:' for one in room) + ']'}")
        if rng.random() < 0.3:
            terms.append(f"w[{room[-1]}:]")
        lines.append(f"        {part()} {rng.choice(['=', '+=', '-='])} {' + '.join(terms)}")
    head = "def f(u, v, w, steps):\n    for _ in range(steps):\n"
    return head + "\n".join(lines) + "\n    return u[1:]"


LAYOUTS: tuple[Callable[[Any], Any], ...] = (
    lambda x: x.copy(),
    lambda x: x.copy()[::-1],
    lambda x: x.copy().T,
    lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
)


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_random_stencils(seed: int, ndim: int) -> None:
    function = define(stencil(seed, ndim))
    shape = (9, 8, 7)[:ndim]
    first = [np.ones(shape), np.ones(shape), np.ones(shape[-1]), 1]
    native, state = whole(function, first)
    assert not state.closed, state.closed
    assert "lag_of(" in state.forms[0].code.source
    rng = np.random.default_rng(seed)
    for run in range(30):
        n = int(rng.integers(5, 40 if ndim > 1 else 200))
        shape = (n, *(int(k) for k in rng.integers(5, 9, ndim - 1)))
        x, layout = rng.normal(size=shape), LAYOUTS[run % len(LAYOUTS)]
        pair = []
        for _ in range(2):
            u = layout(x)
            same = np.random.default_rng(run)
            v = u if run % 7 == 3 else same.normal(size=u.shape)
            pair.append([u, v, same.normal(size=u.shape[-1]), 2])
        found = [f(*given) for f, given in zip((function, native), pair, strict=True)]
        assert is_same(found[0], found[1]), (run, shape)
        assert is_same(pair[0][:3], pair[1][:3]), (run, shape)


@pytest.mark.parametrize("shape", [(30, 4), (120,)])
def test_a_lag_of_many_rows(shape: tuple[int, ...]) -> None:
    function = define("def f(u, k):\n    for _ in range(2): u[k:] += 0.5 * u[:-k]\n    return u")
    native, state = whole(function, [np.ones(shape), 2])
    assert not state.closed, state.closed
    for k in (1, 2, 5, 6, 7, 13, 29):
        x = np.random.default_rng(k).normal(size=shape)
        assert is_same(function(x.copy(), k), native(x.copy(), k)), k


@pytest.mark.parametrize("shape", [(9,), (9, 4), (48,)])
def test_what_does_not_fit_is_an_error(shape: tuple[int, ...]) -> None:
    text = "def f(u, k):\n    for i in range(3): u[i:] = u[:k] + 1\n    return u"
    function = define(text)
    native, state = whole(function, [np.ones(shape), 1])
    assert not state.closed, state.closed
    for k in (1, 3, 24, shape[0] - 1):
        pair = [np.arange(np.prod(shape, dtype=float)).reshape(shape) for _ in range(2)]
        found = [outcome(f, [u, k]) for f, u in zip((function, native), pair, strict=True)]
        assert not differences(*found), k


AT_ANY_DISTANCE = """
def f(u, steps):
    for _ in range(steps):
        u[1:] += 0.5 * u[::-1][:-1]
        u[::2] -= u[: (len(u) + 1) // 2]
    return u
"""


@pytest.mark.parametrize("shape", [(3, 4), (7,)])
def test_what_is_read_at_any_distance(shape: tuple[int, ...]) -> None:
    function = define(AT_ANY_DISTANCE)
    native, state = whole(function, [np.ones(shape), 2])
    assert not state.closed, state.closed
    for n in (1, 2, 3, 7, 24, 49, 200):
        x = np.random.default_rng(n).normal(size=(n, *shape[1:]))
        assert is_same(function(x.copy(), 2), native(x.copy(), 2)), n
    assert state.forms[0].iterations >= 5
