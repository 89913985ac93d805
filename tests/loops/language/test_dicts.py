"""Dicts that native code makes: what is in them, and in whose hands they are."""

from __future__ import annotations

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import assert_whole, whole
from tests.support.loops.native_loops import define

HISTORY = """
def started(x, rate):
    return {"x": x * rate, "seen": 0, "note": None}
def energy(state, rate):
    return rate * (state["x"] ** 2).sum() + state["seen"]
def f(x, n, rate):
    history = {"loss": [], "last": 0.0, "best": np.inf}
    state = started(x, rate)
    for k in range(n):
        state["x"] = state["x"] * 0.5
        state["x"] -= 0.25
        state["seen"] += k
        loss = energy(state, rate)
        history["loss"].append(loss)
        if loss < history["best"]:
            history["best"] = loss
        state = {"x": state["x"], "seen": state["seen"], "note": None}
    if "best" in history and history:
        history["last"] = history["loss"][-1]
    swapped = {"a": 1.5, "b": n}
    swapped = {"a": swapped["b"], "b": swapped["a"]}
    return history, (state, swapped["a"], swapped), {"new": x, "none": None}
"""


def test_dicts() -> None:
    state = assert_whole(HISTORY, np.arange(4.0), 3, 0.5)
    assert state.forms[0].iterations == 2


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("d = {'a': x}; e = d; return e", "two names"),
        ("d = {'a': x}; return d, d", "two names"),
        ("d = {'a': x}; d['b'] = 2; return d", "was not made with"),
        ("d = {'a': x}; return d[x]", "was not made with"),
        ("d = {'a': {'b': x}}; return d", "a dict in a dict"),
        ("d = {'a': x}; changes(d); return d", "of another function"),
        ("d = {'a': [x]}; appends(d); return d", "of another function"),
        ("d = {'a': x}; return passes(d)", "two names"),
        ("d = {'a': x}; return [d]", ""),
        ("return {'a': x, 'a': x}", "a key twice"),
    ],
)
def test_whose_they_are(lines: str, reason: str) -> None:
    text = f"""
def changes(d): d["a"] = 3.0
def appends(d): d["a"].append(3.0)
def passes(d): return d
def f(x):
    for i in range(2): x = x + i
    {lines}
"""
    _, state = whole(define(text), [2.0])
    assert reason in state.closed
    assert bool(reason) == bool(state.closed)
