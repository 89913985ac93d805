"""Helpers that are made anew for each call: what they close over is looked at, not who they are."""

from __future__ import annotations

import functools
import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jupyter_npcompile as npc
from jupyter_npcompile.runtime.stats import counters


@pytest.fixture(autouse=True)
def _aten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


def twice(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.wraps(function)
    def wrapper(value: Any) -> Any:
        return function(function(value))

    return wrapper


def composed(outer: Callable[[Any], Any], inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: outer(inner(value))


def sine(x: Any) -> Any:
    return np.sin(x) + 1


def cosine(x: Any) -> Any:
    return np.cos(x) + 1


HELPERS = (
    "g = lambda v: v * a + k",
    "g = lambda v, s=k: v * s - a",
    "def g(v, *, s=a): return v + s",
    "def g(v):\n        b = v + k\n        def inner(w): return w * b + a\n        return inner(v)",
    "g = twice(sine if k > 2 else cosine)",
    "g = composed(h, np.sin)",
    "g = composed(lambda v: v + a, h)",
    "g = h",
    "g = twice(h)",
    "g = [lambda v, j=j: v * j + k for j in range(3)][flip]",
    "def g(v): return h(v) + a",
    "h = (lambda v: v - a) if flip else (lambda v: v + k)",
    "h = sine if flip else twice(cosine)",
    "def g(v): return v + 1 if h is sine else v - k",
    "a = a + 1",
    "a += k",
    "g, h = h, g",
    "def g(v): return same(g, h) + v * a",
)
USES = ("y = g(x) + y", "y = y * h(a)", "y = composed(g, h)(x)", "z = y + (g is h)", "k = k + 1")


def defined(lines: list[str]) -> Callable[..., Any]:
    body = "".join(f"    {line}\n" for line in lines)
    source = (
        "def f(x, k, flip):\n    a = x * k\n    h = sine\n    g = lambda v: v + a\n"
        f"    y = z = x\n{body}    return y, z, a, k\n"
    )
    linecache.cache["<closures>"] = (len(source), None, source.splitlines(True), "<closures>")
    scope: dict[str, Any] = {
        **{"np": np, "twice": twice, "composed": composed, "sine": sine, "cosine": cosine},
        "same": lambda one, other: 2 if one is other else 3,
    }
    exec(compile(source, "<closures>", "exec"), scope)
    function: Callable[..., Any] = scope["f"]
    return function


@given(
    st.lists(st.sampled_from(HELPERS + USES + USES), min_size=2, max_size=7),
    st.lists(st.tuples(st.integers(1, 4), st.booleans()), min_size=3, max_size=6),
)
def test_programs_are_what_they_were(lines: list[str], calls: list[tuple[int, bool]]) -> None:
    function = defined(lines)
    compiled = npc.compile(function)
    for number, (k, flip) in enumerate(calls):
        x = np.linspace(0, 1, 5) + number
        try:
            values = function(x, k, flip)
        except RecursionError:  # helpers that call each other
            return
        for found, expected in zip(compiled(x, k, flip), values, strict=True):
            assert type(found) is type(expected)
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_what_was_recorded_serves_functions_that_are_made_anew() -> None:
    def run(x: Any, k: float) -> Any:
        scale = x.max() + k
        bent = lambda v, power=k: (v / scale) ** power  # noqa: E731

        def summed(v: Any, *, offset: float = k) -> Any:
            return (bent(v) + offset).sum()

        y = x + 1
        return summed(y) + summed(x)

    compiled = npc.compile(run)
    x = np.linspace(0, 1, 50)
    for k in (1.5, 2.5):
        compiled(x, k)
    before = counters.recordings
    for k in (3.5, 0.5, 2.0):
        assert compiled(x, k) == pytest.approx(run(x, k))
    assert counters.recordings == before


def test_another_function_behind_the_same_decorator_is_another_one() -> None:
    helper = twice(sine)
    compiled = npc.compile(lambda x: helper(x) + x)
    x = np.linspace(0, 1, 50)
    for function in (sine, cosine, sine):
        helper = twice(function)
        for _ in range(3):
            np.testing.assert_allclose(compiled(x), twice(function)(x) + x)
