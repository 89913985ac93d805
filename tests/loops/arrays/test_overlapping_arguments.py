"""Arguments of native loops that share memory: in each call otherwise than in the one before."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import jupyter_npcompile
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.compiling.batches import Batches
from tests.support.loops.native_batches import compiled_together
from tests.support.loops.native_loops import define
from tests.support.session.seeds import seeds
from tests.tracer.test_overlaps import ROOM, view

LINES = (
    """
a[:] = b | a += b | a[1:] = a[:-1] | a[:-1] += a[1:] | a[:] = b[::-1] | a -= a[0] | b *= 0.5
a[k] = b[k - 1] | a[k] += b[-k] | np.add(a, b, out=c) | np.add(a[:-1], a[1:], out=a[1:])
c[:] = a + b * 2 | a[:], b[:] = b, a | a[0], b[1] = b[0], a[1] | p, q = a, b; p[:], q[:] = q, p
t = a * 2; b[:] = t; c += a | v = a[1:]; v += b[:-1]; c[0] = v[0] | a[::-1] += 1 | c[:] = a.sum()
np.maximum(a, b, out=a) | a[b > 10] = 5.0 | b[1:] -= b[:-1] * 0.5; a[k] = b[0] | c[a > b] += 1.0
a[np.array([0, 1, 0])] = b[:3] | a[np.array([0, 1])] += b[np.array([1, 0])] | a[:2] = b[1:3]
""".replace("\n", " | ")
    .strip(" |")
    .split(" | ")
)
TABLES = (
    """
a[k] = b[k - 1] | a[:, k] = b[k, :] | a[k] -= a[k].mean() | a += b | a[:] = b.T | a[1:] = a[:-1]
a[k], b[k] = b[k].copy(), a[k].copy() | a[k] = a[k][::-1] | a[:, 1:] += a[:, :-1] | c[:] = a @ b
a[k, 1:] = a[k, :-1] | a[k] /= a[k, 0] + 3.0 | a += a.T | c[:] = a - b; b[k] = c[0] | a[::-1] = b
for row in a: row += b[0] | for row in a: c[k] += row | for row, other in zip(a, b): row[:] = other
a[:] = np.where(a > b, a, b) | b[k] = a.sum(axis=0) | np.multiply(a, b, out=c) | a[k] = a[:, k]
""".replace("\n", " | ")
    .strip(" |")
    .split(" | ")
)


def text_of(seed: int) -> tuple[str, tuple[int, ...]]:
    """A function with a loop, and the shape of its arguments."""
    dice = random.Random(seed)
    is_table = dice.random() < 0.5
    chosen = dice.choices(TABLES if is_table else LINES, k=dice.choice((1, 2, 2, 3)))
    lines = [line for one in chosen for line in one.split("; ")]
    if any(line.startswith("for") for line in lines):
        lines = [line for line in lines if not line.startswith("for")] + lines[-1:]
    body = "\n        ".join(lines)
    text = f"def f(a, b, c):\n    for k in range(1, 3):\n        {body}\n    return a[0], c[-1]\n"
    return text, (4, 4) if is_table else (6,)


def arguments(seed: int, call: int, shape: tuple[int, ...]) -> Any:
    """Memory, and three views of it."""
    rng = np.random.default_rng((seed, call))
    base = rng.permutation(ROOM).astype(float)
    bases = [base, base[::-1].copy()]
    chosen = [bases[int(rng.random() < 0.25)] for _ in range(3)]
    return base, [view(one, shape, rng, call > 3 and rng.random() < 0.6) for one in chosen]


def outcome(function: Any, arrays: Any) -> Any:
    try:
        with np.errstate(all="ignore"):
            return [np.asarray(item).tolist() for item in function(*arrays)]
    except Exception as error:
        return type(error)


def assert_same(seed: int) -> bool:
    """Whether it ran natively: as it does in Python, or not at all."""
    text, shape = text_of(seed)
    function = define(text)
    made, state = whole(function, [np.ones(shape) for _ in range(3)])
    for call in range(8):
        (mine, one), (theirs, other) = (arguments(seed, call, shape) for _ in range(2))
        expected, found = outcome(function, one), outcome(made, other)
        np.testing.assert_allclose(theirs, mine, rtol=1e-13, err_msg=f"call {call}\n{text}")
        for x, y in zip(one, other, strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-13, err_msg=f"call {call}\n{text}")
        assert isinstance(expected, list) == isinstance(found, list)
    return any(form.iterations for form in state.forms)


@pytest.fixture(autouse=True)
def _unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A first comparison would find what its values show, and proves nothing."""
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "off")


def ask(seed: int) -> None:
    text, shape = text_of(seed)
    whole(define(text), [np.ones(shape) for _ in range(3)])


@pytest.fixture(scope="module")
def batches() -> Batches[int]:
    return Batches(seeds(36), compiled_together, ask)


@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(36))
def test_drawn_overlaps(seed: int, batches: Batches[int]) -> None:
    batches.need(seed)
    assert_same(seed)


STORES = ("w[k] = v[k] + w[k, 0]", "w[:] = v", "w += v[0]", "w[:, 0] = v[:, 1]; w[:, 1] += 1")


@pytest.mark.parametrize("store", STORES)
def test_windows_are_written_in_order(store: str) -> None:
    lines = "\n        ".join(store.split("; "))
    function = define(f"def f(w, v):\n    for k in range(3):\n        {lines}\n    return w[0, 0]")
    made, state = whole(function, [np.ones((6, 4)), np.ones((6, 4))])
    assert not state.closed, state.closed
    v = np.arange(24.0).reshape(6, 4)
    for call in range(4):
        pair = []
        for _ in range(2):
            y = np.arange(9.0) * (call > 1)
            steps = ((8, 8), (0, 8), (8, -8))[call % 3]
            windows = as_strided(y[3:] if call % 3 == 2 else y, (6, 4), steps)
            pair.append((y, windows if call % 3 else sliding_window_view(y, 4, writeable=True)))
        found = [f(w, v) for f, (_, w) in zip((function, made), pair, strict=True)]
        assert found[0] == found[1], (store, call)
        assert pair[0][0].tolist() == pair[1][0].tolist(), (store, call)
