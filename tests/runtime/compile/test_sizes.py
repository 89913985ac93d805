"""One artifact serves many sizes, and every size gives what NumPy gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import jupyter_npcompile
from jupyter_npcompile.runtime import artifacts, notices
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.state import MAX_PLANS
from jupyter_npcompile.runtime.stats import counters

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Any, ...]]
rng = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "inductor")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "off")


def same(got: Any, expected: Any) -> None:
    """Compare values, types and memory layouts."""
    assert type(got) is type(expected)
    if isinstance(expected, tuple):
        assert len(got) == len(expected)
        for one, two in zip(got, expected, strict=True):
            same(one, two)
        return
    if isinstance(expected, np.ndarray):
        assert (got.dtype, got.shape, got.strides) == (
            expected.dtype,
            expected.shape,
            expected.strides,
        )
        assert (got.base is None) == (expected.base is None)
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-13)


def vectors(x: Any, y: Any, part: Any, back: Any) -> Any:
    inner = x[1:-1] * 2.0 - x[2:] + x[:-2]
    z = np.zeros(x.shape)
    z[1:] = np.sin(x[:-1]) * y[1:]
    z[::2] += x[0]
    y[: len(y) // 2] *= 0.5
    return inner, inner[::-2], z, part * x + back, x[::3].sum(), y.mean()


def matrices(a: Any, row: Any, column: Any, turned: Any, block: Any) -> Any:
    b = np.cos(a) * row + column
    flat = (a + 1.0).reshape(-1)
    return (
        b,
        turned * a + block,
        (b.sum(axis=0), b.mean(axis=1), np.max(b), (b - b.mean()).std()),
        (column[:, 0][:, None] * row, np.arange(a.shape[0])[:, None] * row),
        (flat * np.arange(flat.size), np.concatenate([a, a * 2.0], axis=1)),
    )


def products(a: Any, b: Any) -> Any:
    c = np.exp(-a) @ b
    return np.tanh(c) + 1.0, c.T * 2.0


def sums(x: Any, y: Any) -> Any:
    return np.sin(x) * y + 1.0


def vector(n: int) -> Any:
    return rng.random(n) + 0.25


def matrix(n: int, m: int) -> Any:
    return rng.random((n, m)) + 0.25


def vectors_of(n: int) -> tuple[Any, ...]:
    return vector(n), vector(n), vector(2 * n + 3)[3::2], vector(n)[::-1]


def matrices_of(n: int, m: int) -> tuple[Any, ...]:
    block = matrix(n + 2, m + 1)[1:-1, 1:]
    return matrix(n, m), vector(m), matrix(n, 1), matrix(m, n).T, block


CASES: dict[str, tuple[Callable[..., Any], int, Make]] = {
    "vectors": (vectors, 1, vectors_of),
    "matrices": (matrices, 2, matrices_of),
    "products": (products, 2, lambda n, m: (matrix(n, m), matrix(m, n))),
    "any two": (sums, 2, lambda n, m: (vector(n), vector(m))),
}


def called(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a call gives or raises, and what it leaves in its arguments."""
    try:
        result = function(*arguments)
    except Exception as error:
        return type(error), str(error)
    return result, *arguments


def copied(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same arrays, in memory of their own that lies as theirs does."""
    found = []
    for array in arguments:
        base = array if array.base is None else array.base
        twin = base.copy(order="K")
        offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        found.append(np.ndarray(array.shape, array.dtype, twin.data, offset, array.strides))
    return tuple(found)


@pytest.mark.parametrize("name", CASES)
def test_sizes_that_nobody_chose(name: str) -> None:
    function, rank, make = CASES[name]
    compiled = jupyter_npcompile.compile(function)
    for sizes in ((6, 9), (7, 11), (8, 8), (9, 9)):
        called(compiled, make(*sizes[:rank]))
    lengths = st.one_of(st.integers(2, 40), st.integers(100, 400))

    @settings(max_examples=settings().max_examples // 4, suppress_health_check=list(HealthCheck))
    @given(st.tuples(*[lengths] * rank), st.booleans())
    def check(sizes: tuple[int, ...], square: bool) -> None:
        arguments = make(*(sizes[:1] * rank if square else sizes))
        expected = called(function, copied(arguments))
        for _ in range(2):
            got = called(compiled, copied(arguments))
            if isinstance(expected[0], type):
                assert got == expected
            else:
                same(got, expected)

    before = counters.artifacts
    check()
    assert counters.artifacts - before <= 3
    (state,) = handle_states(compiled)
    assert not state.closed
    plans = [plan for known in state.plans.values() for plan in known]
    shared = [plan for plan in plans if plan.artifact is not None and plan.artifact.form]
    assert len(shared) > 2
    assert all(plan.state == "ready" for plan in shared), [plan.note for plan in shared]


def looked_up(a: Any, table: Any) -> Any:
    return table[a], np.zeros((a.shape[0] - 2, a.shape[1] - 2), dtype=np.int16)


def differences_of(a: Any) -> Any:
    return np.diff(a, n=2, axis=1), np.outer(a[0], a[1]) - np.multiply.outer(a[0], a[1])


@pytest.mark.parametrize(
    ("function", "make"),
    [
        (looked_up, lambda n: (rng.integers(0, 9, (n, n + 2)), np.arange(9))),
        (differences_of, lambda n: (matrix(n, n + 1),)),
    ],
)
def test_orders_in_memory_of_sizes_that_follow(function: Callable[..., Any], make: Make) -> None:
    compiled = jupyter_npcompile.compile(function)
    for size in (6, 6, 70, 70, 31):
        arguments = make(size)
        same(compiled(*arguments), function(*arguments))
    (state,) = handle_states(compiled)
    plans = [plan for known in state.plans.values() for plan in known]
    assert plans
    assert all(plan.state == "ready" for plan in plans), [plan.note for plan in plans]


@pytest.mark.parametrize("sizes", [[5, 1, 7, 0, 2, 1, 0, 33], [1, 0, 3, 4, 1, 0]])
def test_none_and_one(sizes: list[int]) -> None:
    compiled = jupyter_npcompile.compile(sums)
    before = counters.artifacts
    for n in sizes:
        for m in {n, 1}:
            arguments = vector(n), vector(m)
            same(called(compiled, arguments), called(sums, arguments))
    assert counters.artifacts - before <= 7


def handle_states(compiled: Callable[..., Any]) -> list[Any]:
    handle = handle_of(compiled)
    assert isinstance(handle, FunctionHandle)
    return list(handle.states)


def fifty(x: Any) -> Any:
    y = np.cosh(x)
    y[1:] -= x[:-1]
    return y, y.sum()


def again(x: Any) -> Any:
    return np.sinh(x[1:] * 0.5), x[::-1] - 2.0


def test_fifty_sizes() -> None:
    compiled = jupyter_npcompile.compile(fifty)
    before = counters.artifacts
    for n in range(50, 100):
        x = vector(n)
        twin = x.copy()
        same((compiled(x), x), (fifty(twin), twin))
    # Two until so many sizes came once that no more are recorded, and two for the
    # statements after the first, which are then looked at on their own.
    assert counters.artifacts - before <= 4
    (state,) = handle_states(compiled)
    assert state.recompiled[0] == (
        "recompiled: dimension 0 of x was 50, is 51; sizes are symbolic now"
    )


def test_another_kernel_finds_the_code_for_any_size() -> None:
    compiled = jupyter_npcompile.compile(again)
    for n in (60, 70):
        compiled(vector(n))
    artifacts.clear()
    before = counters.artifacts
    compiled = jupyter_npcompile.compile(again)
    x = vector(1234)
    same(compiled(x), again(x))
    assert counters.artifacts == before
    (plan,) = handle_states(compiled)[0].plans[0]
    assert plan.state == "ready", plan.note
    assert plan.artifact.form is not None


def triangle(a: Any, x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s = s + (a[i, :i] * x[:i]).sum()
    return s


def windows(x: Any, k: int, width: int) -> Any:
    y = np.cos(x[k : k + width]) + x[:width]
    x[k:-3] *= 0.5
    return y[::2], y.sum(), x[k:].max()


def test_a_growing_slice() -> None:
    compiled = jupyter_npcompile.compile(triangle)
    before = counters.artifacts, counters.recordings
    a, x = matrix(200, 200), vector(200)
    for _ in range(2):
        same(compiled(a, x), triangle(a, x))
    # For lengths 0 and 1, where the tier is forced; for 2; and for all others.
    assert counters.artifacts - before[0] <= 4
    assert counters.recordings - before[1] <= 20
    (state,) = handle_states(compiled)
    free = [plan for plan in state.plans[0] if plan.recording.free]
    assert [plan.state for plan in free] == ["ready"]
    assert free[0].runs > 300
    a, x = matrix(90, 90), vector(90)
    same(compiled(a, x), triangle(a, x))


def test_windows_that_nobody_chose() -> None:
    compiled = jupyter_npcompile.compile(windows)
    n = 60
    for k, width in ((5, 10), (6, 12), (8, 9), (10, 5)):
        compiled(vector(n), k, width)

    @settings(max_examples=settings().max_examples // 2, suppress_health_check=list(HealthCheck))
    @given(st.integers(-3, n + 2), st.integers(-3, n + 2))
    def check(k: int, width: int) -> None:
        x = vector(n)
        expected = called(windows, (*copied((x,)), k, width))
        got = called(compiled, (*copied((x,)), k, width))
        if isinstance(expected[0], type):
            assert got == expected
        else:
            same(got, expected)

    check()
    (state,) = handle_states(compiled)
    free = [plan for plan in state.plans[0] if plan.recording.free]
    # Lengths of 0 and 1 are different operations; the others share code.
    assert 0 < len(free) == len({plan.outline for plan in free}) <= MAX_PLANS
    assert all(plan.state == "ready" for plan in free), [plan.note for plan in free]


def looks_at_a_size(x: Any, k: int) -> Any:
    y = x[:k] * 2.0
    return y.reshape(-1, 1) * len(y), y


def test_what_asks_for_the_size_of_a_slice() -> None:
    compiled = jupyter_npcompile.compile(looks_at_a_size)
    x = vector(50)
    for k in (3, 4, 5, 9, 10, 20, 50, 60):
        same(compiled(x, k), looks_at_a_size(x, k))
    (state,) = handle_states(compiled)
    assert not any(plan.recording.free for plan in state.plans[0])


def test_code_that_cannot_be_loaded_any_more_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    function = jupyter_npcompile.compile(lambda x: np.sin(x) * 0.75 - x)
    for n in (5, 6):
        function(vector(n))
    notices.take()

    def gone(*args: Any) -> Any:
        raise OSError("the disk is gone")

    monkeypatch.setattr(artifacts.store, "_load", gone)
    x = vector(7)
    same(function(x), np.sin(x) * 0.75 - x)
    told = "a cache entry cannot be loaded and was removed: the disk is gone"
    assert told in " ".join(notices.take())
