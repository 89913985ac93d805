"""Calls of whole functions on which nobody looks: they notice all that matters, all the same."""

from __future__ import annotations

import gc
import types
import weakref
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.runtime import history
from jupyter_npcompile.runtime.functions import handle_of
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import Function, define

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
    # No clock decides which calls are looked at.
    handle.native.grant(1 << 20, 3600.0, (0,) * len(handle.whole._parameters))
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


HELPERS = """
def outer(weight):
    def helper(x, offset=1.0):
        return x * weight + offset
    def other(x, offset=1.0):
        return x - weight * offset
    def change(value):
        nonlocal weight
        weight = value
    return helper, other, change

helper, other, change = outer(2.0)

def f(x):
    return np.sqrt(helper(x)) + len(x)
"""


@pytest.mark.parametrize("changed", ["cell", "default", "code", "built in", "module"])
def test_it_notices_what_helpers_hold_and_what_modules_do(
    changed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = np.arange(9.0, 14.0)
    function, made, handle = quick(HELPERS, x)
    names, form = function.__globals__, handle.whole.forms[0]
    native, ran = handle.native, form.iterations
    before = made(x)
    assert (form.iterations, handle.native) == (ran + 1, native)
    if changed == "cell":
        names["change"](7.0)
    elif changed == "default":
        names["helper"].__defaults__ = (5.0,)
    elif changed == "code":
        names["helper"].__code__ = names["other"].__code__
    elif changed == "built in":
        names["len"] = lambda x: 100
    else:
        monkeypatch.setattr(np, "sqrt", np.square)
    expected = function(x)
    assert not np.array_equal(expected, before)
    assert np.array_equal(made(x), expected)
    assert native.left < 1 << 20
    assert form.iterations == ran + 1


def test_an_equal_number_is_the_same_and_another_zero_is_not() -> None:
    x = np.arange(1.0, 4.0)
    function, made, handle = quick(
        "N = 1000\nZ = 0.0\ndef f(x):\n    return x * N / (x - x + 1) + Z\n", x
    )
    names, form = function.__globals__, handle.whole.forms[0]
    ran = form.iterations
    names["N"], names["Z"] = int("1000"), float("0.0")
    assert np.array_equal(made(x), function(x))
    assert form.iterations == ran + 1
    names["Z"] = -0.0
    assert str(made(x * 0 - 0.0)) == str(function(x * 0 - 0.0))


def test_calls_of_another_size_are_looked_at_soon() -> None:
    _, made, handle = quick("def f(x):\n    return x * 2\n", np.ones(3))
    native = handle.native
    native.grant(640, 3600.0, (2,))
    for _ in range(64):
        made(np.ones(3))
    assert native.left == 640 - 64
    for _ in range(9):
        made(np.ones(300))
    assert native.left == 0


def test_calls_that_take_long_are_looked_at_soon() -> None:
    _, made, handle = quick("def f(x):\n    return x * 2\n", np.ones(3))
    native = handle.native
    native.grant(640, -1.0, (2,))
    for calls in range(8):
        assert native.left == 640 - calls
        made(np.ones(3))
    assert native.left == 0


def test_what_runs_without_python_is_counted() -> None:
    _, made, handle = quick("def f(x):\n    return x * 2\n", np.ones(3))
    form = handle.whole.forms[0]
    before, ran = jupyter_npcompile.stats()["dispatches"], form.iterations
    for _ in range(5):
        made(np.ones(3))
    assert jupyter_npcompile.stats()["dispatches"] == before + 5
    assert form.iterations == ran + 5


def test_a_shortcut_is_let_go_with_its_function() -> None:
    _, made, handle = quick("def f(x):\n    return x * 2\n", np.ones(3))
    kept = weakref.ref(handle)
    history.remember(None)  # what ran last is kept for its report
    del made, handle
    gc.collect()
    assert kept() is None


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
            jupyter_npcompile.wait()
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


@pytest.mark.parametrize("size", [3, 1000])
def test_what_a_refused_call_has_written_is_put_back(size: int) -> None:
    text = "def f(x, first):\n    x += 1\n    x[0, 0] = first\n    return np.log(x)\n"
    function, made, handle = quick(text, np.ones((2, 2 * size))[:, ::2], 1.0)
    form = handle.whole.forms[0]
    x = np.arange(2.0 * size).reshape(2, size)
    for given in (x, np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2]):
        ran = form.iterations
        ours, plain = given.copy("K"), given.copy("K")
        with np.errstate(divide="raise"):
            for each, written in ((made, ours), (function, plain)):
                with pytest.raises(FloatingPointError):
                    each(written, 0.0)
        assert np.array_equal(ours, plain)
        assert form.iterations == ran
    assert form.refusals
