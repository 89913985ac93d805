"""Arrays as indices, beside slices and numbers: what NumPy chooses, and where it puts it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.runtime.whole_function import WholeFunction
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, differences, outcome

pytestmark = pytest.mark.usefixtures("straight_functions")

SHAPE = (4, 5, 6)

NAMES = ("i", "j", "k", "m0", "m1", "m2", "m01", "m12")
"""Arrays of integers of one dimension and two, and masks of one axis and of two."""


def drawn(run: int) -> dict[str, Any]:
    """Indices: some of them negative, some chosen twice; masks have as many places as they."""
    rng = np.random.default_rng(run)
    given: dict[str, Any] = {
        "i": rng.integers(-4, 4, 3),
        "j": rng.integers(-4, 4, 3),
        "k": rng.integers(-4, 4, (2, 3)),
    }
    for name, shape in (("m0", 4), ("m1", 5), ("m2", 6), ("m01", (4, 5)), ("m12", (5, 6))):
        mask = np.zeros(shape, dtype=bool)
        mask.flat[rng.permutation(mask.size)[:3]] = True
        given[name] = mask
    return given


def forms(count: int, seed: int) -> list[str]:
    """Random indices of an array of three dimensions that NumPy takes."""
    rng, found = random.Random(seed), list[str]()
    a, names = np.zeros(SHAPE), drawn(0)
    while len(found) < count:
        text, axis = "", 0
        while axis < 3:
            one = [":", ":", "1:-1", "::2", "::-1", "1", "n", "i", "i", "j", "k", f"m{axis}"]
            if axis < 2:
                one.append(f"m{axis}{axis + 1}")
            item = rng.choice(one)
            axis += len(item) - 1 if item[0] == "m" else 1
            text += f"{item}, "
        text = text[:-2]
        if rng.random() < 0.2:
            text = rng.choice(["i, ...", "..., m2", "..., j, :3", "m01", "i, 1:"])
        if not any(name in text for name in NAMES) or text in found:
            continue
        try:
            eval(f"a[{text}]", {**names, "a": a, "n": 2})
        except IndexError:
            continue
        found.append(text)
    return found


FORMS = forms(8, 3)


@pytest.fixture(scope="module")
def chosen() -> tuple[Any, Any, WholeFunction]:
    """A function that reads and writes by each of the indices, and its native form."""
    lines = [f"def f(a, b, n, x, which, {', '.join(NAMES)}):"]
    for which, text in enumerate(FORMS):
        lines += [
            f"    if which == {which}:",
            f"        t = a[{text}]",
            f"        a[{text}] = x",
            f"        b[{text}] = t * 2",
            f"        b[{text}] -= x",
            "        return t, a, b",
        ]
    function = define("\n".join([*lines, "    return a"]) + "\n")
    made, state = whole(function, given(0, 99))
    assert not state.closed, state.closed
    return function, made, state


def given(run: int, which: int) -> Sequence[Any]:
    """Arguments: arrays in C's order, and in others."""
    a = np.arange(120.0).reshape(SHAPE)
    b = np.random.default_rng(run).normal(size=SHAPE)
    if run == 1:
        a = np.asfortranarray(a)
    elif run == 2:
        b = np.concatenate([b, b], 1)[:, ::2][:, ::-1]
    names = drawn(run)
    if run == 3:
        names["i"][1] = names["j"][1] = names["k"][1, 1] = 9
    elif run == 4:
        names["m2"][:] = names["m12"][:] = names["m1"][:] = False
    elif run == 5:
        names["k"] = np.asfortranarray(names["k"])
    return a, b, 2, 0.5, which, *(names[name] for name in NAMES)


@pytest.mark.parametrize("which", range(len(FORMS)), ids=FORMS)
def test_chosen_and_put(chosen: tuple[Any, Any, WholeFunction], which: int) -> None:
    function, made, state = chosen
    (form,) = state.forms
    before = form.iterations
    for run in range(7):
        form.refusals = 0
        expected, found = (outcome(f, given(run, which)) for f in (function, made))
        assert not differences(expected, found), f"run {run} of {FORMS[which]}"
    assert form.iterations > before


def test_a_mask_that_is_written_through_itself() -> None:
    text = """
def f(m, x):
    m[:, m[0]] = False
    x[..., x[0] > 0] = m.sum()
    return m, x
"""
    function = define(text)
    rng = np.random.default_rng(0)
    m, x = rng.random((4, 5)) < 0.5, rng.normal(size=(3, 5))
    made, state = whole(function, (m.copy(), x.copy()))
    assert not state.closed, state.closed
    for _ in range(3):
        pair = [(m.copy(), x.copy()) for _ in range(2)]
        assert not differences(outcome(function, pair[0]), outcome(made, pair[1]))
    assert state.forms[0].iterations


ROWS = """
def f(m, mask, i, order, wide):
    every = wide[::2][i % wide[::2].shape[0]]
    return (
        m[mask], m[i], m[i[::-1]], m[order], m.T[i % m.shape[1]], m[:, ::-1][i], every,
        m[mask].mean(axis=0), np.take(m, order, axis=0), m[mask[::1]][:1],
    )
"""


@pytest.mark.parametrize("dtype", ["float64", "int16", "complex128"])
def test_rows_of_a_matrix(dtype: str) -> None:
    def arguments(width: int, seed: int) -> list[Any]:
        rng = np.random.default_rng((width, seed))
        n = int(rng.integers(1, 40))
        m = (rng.normal(size=(n, width)) * 9).astype(dtype)
        i = rng.integers(-n, n, int(rng.integers(0, 50)))
        mask = rng.random(n) < 0.6
        mask[0] = True
        wide = rng.normal(size=(2 * n, 2 * width))[:, ::2]
        return [m, mask, i, rng.permutation(n).astype("int32"), wide]

    function = define(ROWS)
    made, state = whole(function, arguments(3, 0))
    assert not state.closed, state.closed
    for width in range(1, 9):
        for seed in range(4):
            given = arguments(width, seed)
            assert not differences(outcome(function, given), outcome(made, given)), (width, seed)
    assert state.forms[0].iterations > 10
    given = arguments(4, 1)
    given[2] = np.array([0, len(given[0])])
    assert not differences(outcome(function, given), outcome(made, given))
