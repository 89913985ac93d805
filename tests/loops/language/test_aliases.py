"""Two names of one array: whoever writes through one of them, the other shows it, natively, too."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.compiling.batches import Batches
from tests.support.loops.native_batches import compiled_together
from tests.support.loops.native_loops import define, differences, outcome
from tests.support.session.seeds import seeds

NAMES = "abcd"

HELPERS = """
def same(v):
    return v

def either(v, w, k):
    return v if k >= 0 else w

def written(v, k):
    v[0] += k
    return v

"""

MADE = {
    "chained": "a = b = np.zeros(4)\n    a[1] += k",
    "chained in the loop": "for t in x:\n        a = b = np.zeros(2)\n        b[0] = k * t\n"
    "        s += a[0]",
    "of three": "a = b = c = np.zeros(len(x))\n    for i in range(len(x)):\n"
    "        a[0] += k\n        b[1] += k\n        c[2] -= k",
    "in another order": "a = b = c = np.ones(3)\n    b = b + k\n    c[0] = 5 * k",
    "a place first": "d = np.zeros((2, 3))\n    d[0] = a = np.ones(3)\n    a[1] = k",
    "a tuple first": "(a, b) = c = (np.zeros(2), np.ones(2))\n    a[0] = k\n    b = c[0]",
    "a tuple last": "c = (a, b) = (np.zeros(2), np.ones(2))\n    c[0][0] = k\n    d = c[1]",
    "the name itself": "a = (a, b) = (np.zeros(2), np.ones(2))\n    a[0] = k",
    "a walrus": "a = (b := np.zeros(3))\n    a[1] = k\n    s += b[1]",
    "a chain of views": "a = b = x[:3]\n    a[0] = k\n    s += b[0]",
    "a chain of lists": "c = d = [0.0, 1.0]\n    for t in x:\n        if k:\n"
    "            d.append(t)\n    s += len(c)\n    c = d = x",
    "a helper": "a = same(b)\n    a[0] = k\n    c = written(d, k)\n    c[1] -= k",
    "one of two": "a = either(b, c, k)\n    a[0] = 3 * k",
    "in a list": "e = [a, b, a]\n    for v in e:\n        v[0] += k",
    "numbers": "s = t = 0.0\n    for v in x:\n        s += v * k\n    a[0] = t",
    "an augmented one": "a = b = np.ones(3)\n    a += k\n    b[0] *= 0.5",
}


def function_of(body: str) -> str:
    """A function whose names are arrays at first, and that returns all of them."""
    return (
        f"{HELPERS}def f(x, k):\n    s = 0.0\n"
        "    a, b, c, d = np.zeros(3), np.ones(3), np.zeros(len(x)), np.ones(len(x))\n"
        f"    for i in range(1):\n        s += i\n    {body}\n"
        "    return a, b, c, d, s, a is b, b is c, c is d, a is c\n"
    )


def drawn(seed: int) -> str:
    """A function that gives arrays other names, and writes through them."""
    dice = random.Random(seed)

    def new() -> str:
        size = dice.choice(["3", "3", "len(x)"])
        return dice.choice([f"np.zeros({size})", f"np.full({size}, k)", f"{name()} * 0.5"])

    def name() -> str:
        return dice.choice(NAMES)

    def statement() -> str:
        p, q, r = (name() for _ in range(3))
        return dice.choice(
            [
                *(f"{p} = {q} = {new()}", f"{p} = {q}", f"{p} = {q} = {r} = {new()}"),
                *(f"{p} = ({q} := {new()})", f"{p} = same({q})", f"{p} = either({q}, {r}, k)"),
                *(f"{p}, {q} = {q}, {p}", f"{p} = {q} if k > 1 else {r}", f"{p} = {p} + k"),
                *(f"{p}[i % 3] += k", f"{p}[0] = k", f"{p}[i % 3] -= {q}[0]", f"{p}[1] *= 0.5"),
                *(f"s += {p}[1]", f"{p} += k", f"{p} = written({q}, k)"),
            ]
        )

    lines = [statement() for _ in range(dice.randint(2, 4))]
    inner = [f"    {statement()}" for _ in range(dice.randint(1, 4))]
    return function_of("\n    ".join([*lines, "for i in range(4):", *inner, statement()]))


def given(run: int) -> Sequence[Any]:
    return np.arange(3.0) + run, (0.0, 0.0, 2.0, -1.0)[run]


@pytest.fixture(autouse=True)
def _unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A first comparison would find what its values show, and proves nothing."""
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "off")


def assert_same(text: str) -> bool:
    """Whether it ran natively: as it does in Python, or not at all."""
    function = define(text)
    made, state = whole(function, given(0))
    for run in range(4):
        wrong = differences(outcome(function, given(run)), outcome(made, given(run)))
        assert not wrong, f"run {run}: {wrong}\n{text}"
    return any(form.iterations for form in state.forms)


@pytest.fixture(scope="module")
def batches() -> Batches[str]:
    return Batches(
        [*map(function_of, MADE.values()), *map(drawn, seeds(48))],
        compiled_together,
        lambda text: whole(define(text), given(0)),
    )


@pytest.mark.parametrize("name", MADE)
def test_names_of_one_array(name: str, batches: Batches[str]) -> None:
    text = function_of(MADE[name])
    batches.need(text)
    assert_same(text)


@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(48))
def test_drawn_names(seed: int, batches: Batches[str]) -> None:
    batches.need(drawn(seed))
    assert_same(drawn(seed))


def test_many_of_them_run_natively(batches: Batches[str]) -> None:
    ran = 0
    for seed in seeds(48):
        batches.need(drawn(seed))
        ran += assert_same(drawn(seed))
    assert ran >= 24
