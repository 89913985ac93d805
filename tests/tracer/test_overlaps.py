"""Writes into memory that several names, or several elements of one array, show."""

from __future__ import annotations

import linecache
import random
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import jupyter_npcompile as npc
from tests.support.session.seeds import seeds

STATEMENTS = """
a += b | a -= b | a[...] = b | a[:] = b + c | a[:] = b[::-1] | a[1:] = a[:-1] | a[:-1] += a[1:]
np.add(a, b, out=c) | np.multiply(a, 2, out=b) | np.copyto(a, b) | np.copyto(a, b, where=c > 20)
np.add(a, b, out=c, where=a > 10) | np.add(a, 1, out=a, where=b > 10) | a[b > 10] = 5
a[b > 20] += 3 | a += a[::-1] | b[::2] = a[::2] + 1 | np.negative(b, out=b)
t = a * 2; b[...] = t; c += a | v = a[1:]; v += b[:-1]; c[0] = v[0] | a.fill(3)
a[0], b[1] = b[0], a[1] | a[:], b[:] = b, a | np.clip(a, 2, 30, out=b) | a.sort()
np.cumsum(a, axis=0, out=b) | np.put(a, [0, 1, 0], [7, 8, 9]) | a[[0, 1, 0]] += b[[1, 1, 2]]
a[[0, 1, 0]] = c[[0, 1, 2]] | np.maximum(a, b, out=a) | a //= 3 | np.subtract(b, a, out=a)
np.add.at(a, [0, 0, 1], 1) | np.take(a, [2, 1, 0], axis=0, out=b[:3]) | a.T[...] = b.T
np.place(a, b > 5, [1, 2]) | np.minimum.accumulate(a, axis=0, out=b) | b.flat[2] = 4
np.putmask(a, b > 10, c) | np.divmod(a, 3, out=(b, c)) | a = a + b; c[...] = a
a[::-1][...] = b | w = a.reshape(-1); w[0] = 99 | a[..., 0] = b[..., 1] | c[...] = a.sum(axis=0)
np.sum(a, axis=0, out=b[0:1] if a.ndim == 1 else b[0]) | np.stack([a, b]).sum(0, out=c)
"""
ROOM = 60
FIXED = ("windows", "diagonals", "rows")


def function_of(statements: str) -> Any:
    """A function with source."""
    lines = ["def function(a, b, c):", *statements.split("; "), "return a, b, c"]
    source = "\n    ".join(lines) + "\n"
    filename = f"<overlaps {statements}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    space: dict[str, Any] = {"np": np}
    exec(compile(source, filename, "exec"), space)
    return space["function"]


def view(base: Any, shape: tuple[int, ...], rng: np.random.Generator, twice: bool) -> Any:
    """A view with drawn steps; ``twice`` where it may show an element more than once."""
    while True:
        steps = [int(rng.integers(-4, 5)) for _ in shape]
        steps[0] *= 1 if len(shape) == 1 or rng.random() < 0.3 else int(rng.integers(1, 6))
        reach = [step * (n - 1) for step, n in zip(steps, shape, strict=True)]
        low, high = sum(min(0, r) for r in reach), sum(max(0, r) for r in reach)
        places = sum(s * k for s, k in zip(steps, np.indices(shape), strict=True))
        if high - low < ROOM and (twice or np.unique(places).size == places.size):
            begin = int(rng.integers(-low, ROOM - high))
            return as_strided(base[begin:], shape, [s * base.itemsize for s in steps])


def drawn(seed: int, call: int, shape: tuple[int, ...], dtype: str, kind: str) -> Any:
    """Three arrays and the memory behind them; each call has them overlap otherwise."""
    rng = np.random.default_rng((seed, 0 if kind == "same" else call))
    base = np.arange(ROOM).astype(dtype)
    bases = [base, base.copy(), base + base.dtype.type(1)]
    chosen = [base if rng.random() < 0.7 else bases[rng.integers(3)] for _ in range(3)]
    views = [view(one, shape, rng, kind == "twice" and rng.random() < 0.6) for one in chosen]
    for one in bases if call > 1 else ():  # the order of writes shows in values that differ
        one[...] = np.random.default_rng((seed, call)).permutation(ROOM)
    return bases, views


def outcome(function: Any, arrays: Any) -> Any:
    try:
        with np.errstate(all="ignore"):
            return [(r.shape, r.strides, r.tobytes()) for r in function(*arrays)]
    except Exception as error:
        return type(error)


def compare(statements: str, arguments: Any) -> None:
    """Call it with memory made anew each time."""
    function = function_of(statements)
    made = npc.compile(function, ahead=True)
    for call in range(5):
        (mine, one), (theirs, other) = arguments(call), arguments(call)
        expected = outcome(function, one)
        assert outcome(made, other) == expected, (statements, call)
        for k, (x, y) in enumerate(zip(mine, theirs, strict=True)):
            assert x.tobytes() == y.tobytes(), (statements, call, k)


def shown_twice(kind: str, call: int) -> Any:
    """Arrays whose elements share memory; with equal values no order of writes shows."""
    y = np.arange(200.0) * (call != 1)
    rng = np.random.default_rng(call)
    c = np.zeros((50, 4)) if call < 2 else rng.normal(size=(50, 4))
    a = {
        "windows": lambda: sliding_window_view(y, 4, writeable=True)[:50],
        "diagonals": lambda: as_strided(y[10:], (50, 4), (8, -8 if call > 2 else 8)),
        "rows": lambda: as_strided(y, (50, 4), (0, 8)),
    }
    return [y, c], [a[kind](), c * 2 + 1, c]


@pytest.fixture(autouse=True)
def _aten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")


def texts() -> list[str]:
    return STATEMENTS.replace("\n", " | ").strip(" |").split(" | ")


@pytest.mark.parametrize("kind", FIXED)
def test_an_element_that_is_shown_twice_is_written_in_order(kind: str) -> None:
    for statements in texts():
        compare(statements, lambda call: shown_twice(kind, call))


@pytest.mark.drawn
def test_drawn_overlaps() -> None:
    for seed in seeds(120):
        chosen = random.Random(seed)
        statements = "; ".join(chosen.choices(texts(), k=chosen.choice((1, 1, 2))))
        shape = chosen.choice(((4,), (7,), (3, 3), (4, 3), (3, 5)))
        dtype = chosen.choice(("f8", "f8", "i8", "i4", "f4", "u1"))
        kind = chosen.choice(("other", "same", "twice"))
        compare(statements, lambda call, s=seed, d=dtype: drawn(s, call, shape, d, kind))  # noqa: B023


def test_reversed_and_gapped_memory_is_captured() -> None:
    def function(x: Any) -> Any:
        x += 1
        x[::-1, 1:] *= x[:, :-1]
        return x

    whole = np.arange(60.0).reshape(3, 20)
    for x in (
        whole,
        whole[:, ::-1],
        whole.T,
        whole[::2, 3::4],
        as_strided(whole, (4, 3), (8, 160)),
    ):
        assert npc.explain(function, x).breaks == ()


def test_the_report_says_that_the_order_of_writes_decides() -> None:
    def function(w: Any, x: Any) -> Any:
        y = x * 2
        w[...] = y[:, None]
        return y[:, None] + w

    windows = sliding_window_view(np.arange(9.0), 3, writeable=True)
    (found,) = npc.explain(function, windows, np.arange(7.0)).breaks
    assert found.reason.startswith("elements of what is written share memory")
