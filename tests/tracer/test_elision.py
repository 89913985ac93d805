"""Temporaries give their memory to the next operation, and nothing else does."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jupyter_npcompile as npc
from jupyter_npcompile.runtime.worker import Compiler
from jupyter_npcompile.tracer import elision

NAMES = ("x", "y", "z")


@pytest.fixture(autouse=True)
def _always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elision, "LEAST", 0)
    # The first run alone is looked at: its values are NumPy's to the last bit, unlike ATen's.
    monkeypatch.setattr(Compiler, "submit", lambda *args, **kwargs: None)


def expressions(depth: int) -> st.SearchStrategy[str]:
    leaf = st.sampled_from([*NAMES, "2", "0.5", "x[::-1]", "np.abs(y)", "(v := z * 2)"])
    if not depth:
        return leaf
    inner = expressions(depth - 1)
    operators = st.sampled_from(["+", "-", "*", "/"])
    powers = st.sampled_from(["2", "0.5", "-1"])
    return st.one_of(
        st.tuples(inner, operators, inner).map(lambda parts: f"({' '.join(parts)})"),
        inner.map(lambda text: f"same({text})"),
        inner.map(lambda text: f"(-{text})"),
        st.tuples(inner, powers).map(lambda parts: f"({parts[0]}) ** {parts[1]}"),
        leaf,
    )


def same(value: Any) -> Any:
    return value


def defined(source: str) -> Any:
    linecache.cache["<elision>"] = (len(source), None, source.splitlines(True), "<elision>")
    scope: dict[str, Any] = {"np": np, "same": same}
    exec(compile(source, "<elision>", "exec"), scope)
    return scope["f"]


@given(st.lists(expressions(3), min_size=2, max_size=5), st.sampled_from(["f4", "f8", "c16"]))
def test_programs_are_what_they_were(lines: list[str], dtype: str) -> None:
    text = "".join(f"    a{k} = {line} + a{k - 1}\n" for k, line in enumerate(lines, 1))
    names = ", ".join(f"a{k}" for k in range(len(lines) + 1))
    source = f"def f(x, y, z):\n    a0 = x\n{text}    return {names}, y, z\n"
    function = defined(source)
    arrays = [np.linspace(1, 2, 7).astype(dtype) * k for k in (1, 2, 3)]
    kept = [array.copy() for array in arrays]
    with np.errstate(all="ignore"):
        expected = function(*arrays)
        found = npc.compile(function)(*arrays)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(arrays, kept, strict=True):
        np.testing.assert_array_equal(a, b)


def test_chains_use_memory_again(monkeypatch: pytest.MonkeyPatch) -> None:
    handed: list[Any] = []
    real = elision.hand_over

    def counted(traced: Any) -> None:
        handed.append(1)
        real(traced)

    monkeypatch.setattr(elision, "hand_over", counted)

    def chain(x: Any, y: Any) -> Any:
        z = x * 2
        return (x * y + 1.0) / 3 - y * 2 + z

    fast = npc.compile(chain)
    x, y = np.linspace(0, 1, 9), np.linspace(1, 2, 9)
    np.testing.assert_array_equal(fast(x, y), chain(x, y))
    assert len(handed) == 4


OPERATORS = (
    *("-{}", "+{}", "~{}", "{} ** 2", "{} ** 2.0", "{} ** 0.5", "{} ** -1"),
    *("{} // y", "{} << y", "{} >> y", "{} + y", "y + {}", "{} - y", "y - {}", "{} * y"),
    *("{} / y", "y / {}", "{} % y", "{} & y", "y | {}", "{} ^ y", "{} ** y", "{} @ y", "{} < y"),
)


def pointer(array: Any) -> int:
    found: int = array.__array_interface__["data"][0]
    return found


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8", "u1", "?"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_memory_is_used_again_where_numpy_does(
    operator: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As NumPy's own operators use that of large temporaries."""
    handed: list[Any] = []
    real = elision.hand_over

    def counted(traced: Any) -> None:
        handed.append(1)
        real(traced)

    monkeypatch.setattr(elision, "hand_over", counted)
    y = np.ones(300_000, dtype)
    made: list[int] = []

    def temporary() -> Any:
        array = np.full_like(y, 2)
        made.append(pointer(array))
        return array

    try:
        expected = eval(operator.format("temporary()"), {"temporary": temporary, "y": y})
    except (OverflowError, TypeError, ValueError):
        return
    found = npc.compile(defined(f"def f(y):\n    return {operator.format('(y + y)')}\n"))(y)
    np.testing.assert_array_equal(found, eval(operator.format("(y + y)"), {"y": y}))
    again = type(expected) is np.ndarray and pointer(expected) in made
    if "**" not in operator or dtype in ("f8", "f4", "c16"):
        # Whole numbers to a constant power are recorded as another ufunc than NumPy calls.
        assert bool(handed) >= again


def test_what_others_see_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    handed: list[Any] = []
    real = elision.hand_over

    def counted(traced: Any) -> None:
        handed.append(1)
        real(traced)

    monkeypatch.setattr(elision, "hand_over", counted)
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")

    def seen(x: Any) -> Any:
        y = x * 2
        parts = [x * 3, x[1:] * 1]
        whole = y + 1
        view = (x * 4)[::2] + 1
        return whole, parts[0] + 1, parts[1], view, np.sqrt(x) + np.float32(1)

    fast = npc.compile(seen)
    x = np.linspace(0, 1, 9, dtype="f4")
    for a, b in zip(fast(x), seen(x), strict=True):
        np.testing.assert_array_equal(a, b)
    assert len(handed) == 1  # np.sqrt(x) alone dies


def layouts() -> dict[str, np.ndarray[Any, Any]]:
    """Arrays large enough that NumPy uses the memory of temporaries again, in many orders."""
    n = 300
    base = np.random.default_rng(5).normal(size=(n + 2, n + 2))
    return {
        "a": base[1:-1, 1:-1],
        "b": np.asfortranarray(base[:n, :n]),
        "c": np.ascontiguousarray(base[2:, 2:]),
        "d": base[:n, :n].astype("f4"),
        "e": np.arange(n * n, dtype="i4").reshape(n, n).T,
        "g": base[:n][:, n::-1][:, :n],
        "s": np.float32(0.5),
    }


operands = st.sampled_from([*"abcdegs", "(2 * a)", "(b * 0.5)", "(d * d)", "(e + 1)", "(-c)"])
sums = st.recursive(
    operands,
    lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(
        lambda parts: f"({' '.join(parts)})"
    ),
    max_leaves=6,
)


@given(st.lists(sums, min_size=1, max_size=4))
def test_results_lie_in_memory_as_those_of_numpy(lines: list[str]) -> None:
    given = layouts()
    body = "".join(f"    r{k} = {line}\n" for k, line in enumerate(lines))
    names = ", ".join(f"r{k}" for k in range(len(lines)))
    function = defined(f"def f({', '.join(given)}):\n{body}    return {names},\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elision, "LEAST", 256 * 1024)
        found = npc.compile(function)(*given.values())
    for one, other in zip(function(*given.values()), found, strict=True):
        assert type(one) is type(other)
        assert (one.dtype, one.strides) == (other.dtype, other.strides)
        assert np.array_equal(one, other)
