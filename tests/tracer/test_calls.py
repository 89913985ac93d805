"""Calls in traced code: builtins do what Python's do, and what they call has no lost effects."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc

Array = np.ndarray[Any, np.dtype[Any]]
LOG: list[Any] = []


@pytest.fixture(autouse=True)
def _forced() -> None:
    npc.settings.tier, npc.settings.first_run_check = "aten", "raise"


class Counter:
    """Counts how often it is called."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, value: Any) -> Any:
        self.calls += 1
        return value

    def method(self, value: Any) -> Any:
        self.calls += 1
        return -value


COUNTER = Counter()


def note(value: Any) -> Any:
    LOG.append(value)
    return value


def doubled(value: Any) -> Any:
    return value * 2


FUNCTIONS: dict[str, Callable[[Array, Any, Any], Any]] = {
    "max with a key": lambda x, a, b: x * max(a, b, key=abs),
    "min with a key": lambda x, a, b: x * min(a, b, key=lambda v: -v),
    "round with a keyword": lambda x, a, b: x * round(a, ndigits=1),
    "pow with a modulus": lambda x, a, b: x * pow(a, b, mod=7),
    "map prints": lambda x, a, b: x * len(list(map(print, [1, a]))),
    "map appends": lambda x, a, b: x * sum(map(note, [1, a])),
    "map calls an object": lambda x, a, b: x * sum(map(COUNTER, [1, a])),
    "map calls a bound method": lambda x, a, b: x * sum(map(COUNTER.method, [1, a])),
    "filter appends": lambda x, a, b: x * len(list(filter(note, [a, 0, b]))),
    "sorted by what appends": lambda x, a, b: x * sorted([a, b], key=note)[0],
    "largest by what appends": lambda x, a, b: x * max([a, b], key=note),
    "largest of constants": lambda x, a, b: x * max([1, 5, 3], key=note),
    "a range": lambda x, a, b: x * sum(v for v in range(a)),
    "a power": lambda x, a, b: x * a**b,
    "pow": lambda x, a, b: x * pow(a, b),
    "a root": lambda x, a, b: x * a ** (b / 4),
    "a large product": lambda x, a, b: x * (a * b * 2**40 * b * 2**21),
    "an iterator until": lambda x, a, b: x * sum(iter(functools.partial(next, iter([2, 3, 0])), 0)),
}


def seen(function: Callable[..., Any], a: Any, b: Any) -> tuple[str, list[Any], int]:
    LOG.clear()
    COUNTER.calls = 0
    try:
        result = repr(function(np.arange(4.0), a, b))
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    assert all(type(item) in (int, float) for item in LOG)
    return result, LOG.copy(), COUNTER.calls


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_given_to_builtins(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    function = FUNCTIONS[name]
    compiled = npc.compile(function)
    for a, b in [(3, 2), (3, 2), (-5, 3), (2.25, 3), (3, -2), (0, 1), (3, 2)]:
        expected = seen(function, a, b), capsys.readouterr().out
        assert (seen(compiled, a, b), capsys.readouterr().out) == expected


@pytest.mark.parametrize(
    "function",
    [
        lambda x, a, b: x * sum(map(doubled, [a, b])),
        lambda x, a, b: x * max([(a, 1.0), (b, 2.0)], key=lambda pair: pair[1])[0],
        lambda x, a, b: sum(map(np.sum, [x, x * a])) * len(list(map(str.upper, ["a", "b"]))),
        lambda x, a, b: x * round(a, 1) * pow(a, b),
    ],
)
def test_what_has_no_effect_is_captured(function: Callable[[Array, Any, Any], Any]) -> None:
    compiled = npc.compile(function)
    for a in (1.5, 2.5):
        np.testing.assert_array_equal(
            compiled(np.arange(4.0), a, 2.0), function(np.arange(4.0), a, 2.0)
        )
    report = npc.last_report()
    assert report is not None
    assert not report.breaks
