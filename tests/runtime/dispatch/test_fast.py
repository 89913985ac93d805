"""The short way into native code is taken only while everything is as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.runtime.fast import Fast
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.stats import counters
from tests.support.compiling.batches import Batches
from tests.support.compiling.segment_batches import compiled_together

pytestmark = pytest.mark.slow

FACTOR = 2.0


def helper(x: Any) -> Any:
    return np.sin(x) * FACTOR


def work(x: Any, y: Any) -> Any:
    return helper(x) + y * y, x


@pytest.fixture(autouse=True)
def forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "inductor")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "raise")


@pytest.fixture
def compiled() -> Callable[..., Any]:
    """A function that has gone the short way already."""
    function = jupyter_npcompile.compile(work)
    x, y = np.linspace(0, 1, 50), np.linspace(1, 2, 50)
    for _ in range(3):
        same(function, x, y)
    assert quick(function, x, y) == 1
    return function


def quick(function: Callable[..., Any], *args: Any) -> int:
    """How many calls of the last one went the short way."""
    handle = handle_of(function)
    assert isinstance(handle, FunctionHandle)
    state = handle.states[0]
    (pairs,) = state.fast.values()
    taken: list[bool] = []

    def watched(fast: Fast) -> Fast:
        def call(local: dict[str, Any], module: dict[str, Any]) -> Any:
            found = fast(local, module)
            taken.append(found is not None)
            return found

        return call

    state.fast[0] = tuple((plan, watched(fast)) for plan, fast in pairs)
    function(*args)
    state.fast[0] = pairs
    return sum(taken)


def same(function: Callable[..., Any], *args: Any) -> None:
    found, expected = function(*args), work(*args)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-14)
    assert found[0].dtype == expected[0].dtype
    assert found[0].flags.writeable
    assert found[1] is args[0]


X = np.linspace(3, 4, 50)


OTHERS = (
    (X, X),
    (X, X[:]),
    (X[::-1], X),
    (X[::2], X[::2].copy()),
    (X.astype("f4"), X.astype("f4")),
    (X.reshape(5, 10), X.reshape(5, 10).copy()),
    (X.reshape(5, 10).T, X.reshape(10, 5).copy()),
    (X, 3.0),
    (X, 3),
    (X, np.float64(3.0)),
    (3.0, X),
    (X.astype(">f8"), X.copy()),
    (np.ma.masked_array(X), X.copy()),
    (X[:0], X[:0].copy()),
    (X.astype(complex), X.copy()),
)


@pytest.fixture(scope="module")
def batches() -> Batches[int]:
    """What is compiled for the arguments, at once."""
    return Batches(
        range(len(OTHERS)), compiled_together, lambda k: jupyter_npcompile.compile(work)(*OTHERS[k])
    )


@pytest.mark.parametrize("number", range(len(OTHERS)))
@pytest.mark.filterwarnings("ignore")
def test_other_arguments(number: int, batches: Batches[int], compiled: Callable[..., Any]) -> None:
    batches.need(number)
    args = OTHERS[number]
    same(compiled, *args)
    same(compiled, X, X.copy())
    same(compiled, *args)


def test_read_only_and_unaligned(compiled: Callable[..., Any]) -> None:
    fixed = X.copy()
    fixed.flags.writeable = False
    same(compiled, fixed, X)
    unaligned = np.zeros(8 * 50 + 1, np.uint8)[1:].view(np.float64)
    unaligned[:] = X
    same(compiled, unaligned, X)


def test_a_global_of_a_helper(
    compiled: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    same(compiled, X, X.copy())
    monkeypatch.setitem(globals(), "FACTOR", np.float32(5.0))
    same(compiled, X, X.copy())


def test_another_helper(compiled: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "helper", lambda x: x + 1)
    same(compiled, X, X.copy())


def test_the_code_of_a_helper(
    compiled: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helper, "__code__", (lambda x: x - 7).__code__)
    same(compiled, X, X.copy())


def test_another_sine(compiled: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(np, "sin", np.cos)
    same(compiled, X, X.copy())


def test_error_state(compiled: Callable[..., Any]) -> None:
    large = np.full(50, 1e200)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        compiled(X, large)
    with np.errstate(over="ignore"):
        same(compiled, X, large)
    with pytest.warns(RuntimeWarning, match="overflow"):
        same(compiled, X, large)
    assert quick(compiled, X, X.copy()) == 1


def test_results_are_fresh(compiled: Callable[..., Any]) -> None:
    x, y = X.copy(), X.copy()
    first, second = compiled(x, y)[0], compiled(x, y)[0]
    assert not np.shares_memory(first, second)
    assert first.base is None


def test_writes_reach_the_argument() -> None:
    def update(x: Any, y: Any) -> None:
        x[1:-1] += y[2:] - y[:-2]

    function = jupyter_npcompile.compile(update)
    x, expected = X.copy(), X.copy()
    for _ in range(4):
        function(x, X)
        update(expected, X)
        np.testing.assert_allclose(x, expected, rtol=1e-14)
    assert quick(function, x, X) == 1
    update(expected, X)
    function(x, x)
    update(expected, expected)
    np.testing.assert_allclose(x, expected, rtol=1e-14)


def test_counts(compiled: Callable[..., Any]) -> None:
    before = counters.dispatches
    for _ in range(5):
        compiled(X, X.copy())
    assert counters.dispatches == before + 5


class Box:
    def __init__(self) -> None:
        self.scale, self.shift = 2.0, 3.0
        self.pair = (np.ones(50), np.full(50, 2.0))


def attributes(box: Any, x: Any, dt: float) -> Any:
    first = x * box.scale + box.pair[0] * (dt * 2)
    second = x * box.shift + box.pair[1] * dt * (dt / 2)
    return first, second, x[::2], first[1:-1].reshape(8, 6).T


def in_place(x: Any, y: Any, dt: float) -> Any:
    x += dt / 2 * y
    y *= 1 + dt
    x[1:] += 0.5 * dt * y[1:]
    return x, y, x[5:]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (attributes, lambda: (Box(), np.linspace(1, 2, 50), 0.25)),
        (in_place, lambda: (np.linspace(1, 2, 50), np.linspace(3, 4, 50), 0.25)),
    ],
)
def test_parents_computed_numbers_and_views(function: Any, arguments: Any) -> None:
    """Whatever shares a parent, an operand or memory."""
    made = jupyter_npcompile.compile(function)
    for _ in range(4):
        right, given = arguments(), arguments()
        expected, found = function(*right), made(*given)
        for a, b in zip((*expected, *right), (*found, *given), strict=True):
            if isinstance(a, np.ndarray):
                np.testing.assert_allclose(b, a, rtol=1e-14)
                assert (a.strides, a.flags.writeable) == (b.strides, b.flags.writeable)
        for k, value in enumerate(found):
            assert any(value.base is other for other in (*found, *given)) == any(
                expected[k].base is other for other in (*expected, *right)
            )
    handle = handle_of(made)
    assert isinstance(handle, FunctionHandle)
    assert handle.states[0].fast
    dispatched = counters.dispatches
    made(*arguments())
    assert counters.dispatches > dispatched
