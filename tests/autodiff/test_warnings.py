"""What NumPy warns of in a function that is differentiated belongs to its own lines."""

from __future__ import annotations

import contextlib
import gc
import traceback
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.tracer.attribution import attributed

X = np.arange(4.0)


def outside(v: Any) -> Any:
    return np.sqrt(v - 10)


def function(x: Any) -> Any:
    return np.log(x * 0)


def operator(x: Any) -> Any:
    return (x - 1.0) / (x * 0)


def in_place(x: Any) -> Any:
    w = x.copy()
    w /= x * 0
    w[1:] **= -0.5
    return w


def helper(x: Any) -> Any:
    return outside(x) + outside(x)


def written_in_python(x: Any) -> Any:
    return np.mean(x[:0]) + np.std(x[:1], ddof=1) + np.nanmean(x * np.nan)


def loop(x: Any) -> Any:
    for _ in range(3):
        x = np.arcsin(x + 2)
    return x


def store(x: Any) -> Any:
    c = np.zeros(4)
    c[:] = x.astype(complex) * 1j
    return c + x


def layout(x: Any) -> Any:
    z = x * 2
    z.shape = (2, 2)  # newer versions of NumPy warn
    return z @ z


def constants(x: Any) -> Any:
    made = np.float64(1) / np.float64(0) + np.array([1]) // np.array([0])
    narrow = np.array([1e300]).astype(np.float32)
    parts = np.ones(3)
    parts /= 0
    return x + made + narrow + parts[0] + np.nanmean(np.array([np.nan] * 2))


def of_the_user_s(x: Any) -> Any:
    warnings.warn("mine", UserWarning, stacklevel=1)
    deeper(x)
    return np.reciprocal(x)


def deeper(x: Any) -> None:
    warnings.warn("the caller's", RuntimeWarning, stacklevel=2)
    warnings.warn(DeprecationWarning("an object"), stacklevel=3)


FUNCTIONS = [
    *(function, operator, in_place, helper, written_in_python, loop, store, layout),
    constants,
    of_the_user_s,
]
Seen = list[tuple[str, int, str, str]]


def seen(run: Callable[[Any], Any], mode: Any) -> Seen:
    """File, line, category and text of what is shown."""
    globals().pop("__warningregistry__", None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(mode)
        run(X.copy())
    return [(it.filename, it.lineno, it.category.__name__, str(it.message)) for it in caught]


@pytest.mark.parametrize("mode", ["always", "default", "module", "once"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_warnings_are_those_of_numpy(f: Callable[[Any], Any], mode: str) -> None:
    def total(x: Any) -> Any:
        return np.sum(f(x))

    expected = seen(total, mode)
    assert seen(npc.grad(total), mode) == expected
    assert expected or f is layout


def raised(run: Callable[[Any], Any]) -> tuple[str, str, list[int]]:
    """Type and text of what is raised, and the lines of this file that it came through."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            run(X.copy())
        except Warning as error:
            lines = [it.lineno for it in traceback.extract_tb(error.__traceback__)[1:]]
            files = [it.filename for it in traceback.extract_tb(error.__traceback__)[1:]]
            own = [line for line, file in zip(lines, files, strict=True) if file == __file__]
            return type(error).__name__, str(error), [line or 0 for line in own]
    return "", "", []


# An iteration of a loop is a function of its own, so its line is there twice.
@pytest.mark.parametrize("f", [f for f in FUNCTIONS if f is not loop], ids=lambda f: f.__name__)
def test_warnings_that_are_errors_are_raised_where_numpy_raises_them(
    f: Callable[[Any], Any],
) -> None:
    def total(x: Any) -> Any:
        return np.sum(f(x))

    assert raised(npc.grad(total)) == raised(total)


def test_an_error_keeps_nothing_alive() -> None:
    class Held(np.ndarray):
        pass

    def fails(x: Any) -> Any:
        return np.sum(x.reshape(3))

    array = X.copy().view(Held)
    gone = weakref.ref(array)
    gc.disable()
    try:
        with contextlib.suppress(ValueError):
            attributed(fails, (array,), {})
        del array
        assert gone() is None
    finally:
        gc.enable()
