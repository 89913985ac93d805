"""Calls of whole functions on which nobody looks: they notice all that matters, all the same."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.runtime.functions import handle_of
from tests.native_loops import Function, define
from tests.test_runtime_whole_function import whole

pytestmark = pytest.mark.usefixtures("straight_functions")

TEXT = """
FACTOR = 2.0

def helper(x):
    return x + 1

def f(x, *rest, scale=1.0):
    return np.sqrt(helper(x) * FACTOR) * scale
"""


def quick(text: str, *given: Any) -> tuple[Function, Function, Any]:
    """A function, the same compiled, and its handle, which offers a shortcut."""
    function = define(text)
    made, _ = whole(function, given)
    for _ in range(2):
        made(*given)
    handle = handle_of(made)
    assert handle.native is not None
    return function, made, handle


def test_it_notices_what_has_changed() -> None:
    x = np.arange(5.0)
    function, made, handle = quick(TEXT, x)
    form = handle.whole.forms[0]
    ran = form.iterations
    assert np.array_equal(made(x, scale=3.0), function(x, scale=3.0))
    assert form.iterations == ran + 1
    names = function.__globals__
    changes: list[dict[str, Any]] = [{"FACTOR": 3.0}, {"FACTOR": 5}, {"helper": np.square}]
    for change in [*changes, {"np": types.SimpleNamespace(sqrt=np.abs)}]:
        names.update(change)
        assert np.array_equal(made(x), function(x)), change


def test_other_arguments_go_another_way() -> None:
    function, made, handle = quick(TEXT, np.arange(5.0))
    for given in (2.0, np.arange(4), np.ones((2, 3)), np.arange(6.0)[::-2], np.float32(3)):
        expected, found = function(given), made(given)
        assert (type(found), getattr(found, "dtype", None)) == (
            type(expected),
            getattr(expected, "dtype", None),
        )
        assert np.array_equal(found, expected)
    assert handle.native is None


def test_what_warns_is_run_by_numpy() -> None:
    function, made, handle = quick("def f(x):\n    return np.log(x)\n", np.ones(3))
    form = handle.whole.forms[0]
    ran = form.iterations
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert made(np.zeros(3))[0] == function(np.ones(3))[0] - np.inf
    assert form.iterations == ran
    assert made(np.ones(3)).sum() == 0
    assert form.iterations == ran + 1


def test_a_forced_tier_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    _, made, handle = quick("def f(x):\n    return x * 2\n", np.ones(3))
    ran = handle.whole.forms[0].iterations
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "numpy")
    assert made(np.ones(3)).sum() == 6
    assert handle.whole.forms[0].iterations == ran


def test_what_a_closure_holds_takes_no_shortcut() -> None:
    text = """
def outer(c):
    def f(x):
        return x * c + 1
    return f
"""
    function = define(text)(3.0)
    made = jupyter_npcompile.compile(function)
    state = handle_of(made).whole
    for call in range(100):
        assert np.array_equal(made(np.ones(3)), function(np.ones(3)))
        if call == 5:
            jupyter_npcompile.wait(60)
    assert state.forms
    assert handle_of(made).native is None


def test_the_last_report_is_about_it() -> None:
    _, made, _ = quick("def f(x):\n    return x * 2\n", np.ones(3))
    other = jupyter_npcompile.compile(define("def g(x):\n    return x - 1\n"))
    other(np.ones(3))
    made(np.ones(3))
    assert "x * 2" in str(jupyter_npcompile.last_report())


def test_a_function_that_returns_nothing() -> None:
    x = np.zeros(3)
    _, made, handle = quick("def f(x):\n    x += 1\n", x)
    before = x.copy()
    assert made(x) is None
    assert np.array_equal(x, before + 1)
    assert handle.native is not None
