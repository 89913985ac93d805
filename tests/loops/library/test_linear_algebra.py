"""Linear algebra in native loops: NumPy's results, whatever lies how in memory, and its errors."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.loops.library import linear_algebra
from tests.support.compiling.batches import Batches
from tests.support.loops.native_batches import compiled_together
from tests.support.loops.native_loops import compiled, define, differences, how, outcome

pytestmark = pytest.mark.skipif(
    not linear_algebra.addresses(), reason="NumPy's library has other names here"
)


@pytest.fixture(autouse=True)
def _native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "native-loop")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "off")


LAYOUTS = (
    "m",
    "m.T",
    "m[::-1]",
    "m[:, ::-1]",
    "(m + 0)[::2, ::2]",
    "w[:n, 1:n + 1]",
    "w.T[1:n + 1, :n]",
)
"""Matrices of n by n, or half of that, and how they lie."""

DECOMPOSING = """
def f(m, w, b, k):
    n = len(m)
    for _ in range(k):
        a = {layout}
        c = b[:len(a)]
        x = np.linalg.solve(a, c)
        y = np.linalg.solve(a, a.T)
        i = np.linalg.inv(a)
        d = np.linalg.det(a)
        s = a @ a.T + np.eye(len(a))
        q = np.linalg.cholesky(s)
        u, v = np.linalg.qr(a)
        tall, more = np.linalg.qr(a[:, 1:]).Q, np.linalg.qr(a[:, 1:])[1]
        wide = np.linalg.qr(a[1:])[1]
    return x, y, i, d, q, u, v, tall, more, wide
"""


def assert_same(text: str, *inputs: Sequence[Any]) -> None:
    """Compare a function with its native form, on each of these arguments."""
    function = define(text)
    native = compiled(function)
    for given in inputs:
        runs = [[v.copy() if isinstance(v, np.ndarray) else v for v in given] for _ in range(2)]
        wrong = differences(outcome(function, runs[0]), outcome(native, runs[1]))
        assert not wrong, wrong
    assert how(native) == "native"


def square(n: int, seed: int) -> np.ndarray[Any, Any]:
    """A matrix that is far from singular."""
    return np.random.default_rng(seed).normal(size=(n, n)) + 4 * n * np.eye(n)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_decompositions(layout: str) -> None:
    # What stands backwards is far from the diagonal, and would be close to singular.
    made = [square(n, n) for n in (1, 2, 3, 8, 40)]
    if "::-1" in layout:
        made = [m[::-1].copy() for m in made]
    wide = [np.pad(m, ((0, 2), (1, 3)), constant_values=7.0) for m in made]
    inputs = [(m, w, np.arange(1.0, len(m) + 1), 2) for m, w in zip(made, wide, strict=True)]
    assert_same(DECOMPOSING.format(layout=layout), *inputs)


SPECTRA = """
def f(m, w, b, k):
    n = len(m)
    for _ in range(k):
        a = {layout}
        values, vectors = np.linalg.eigh(a)
        both = np.linalg.eigh(a + a.T).eigenvalues, np.linalg.eigh(a + a.T)[1]
        alone = np.linalg.eigvalsh(a)
        u, s, vh = np.linalg.svd(a[:, 1:])
        thin, few, rows = np.linalg.svd(a[1:], full_matrices=False)
        tall = np.linalg.svd(a[:, 1:], False).U, np.linalg.svd(a[:, 1:], True)[2]
        only = np.linalg.svd(a[1:], compute_uv=False)
    return values, vectors, both, alone, u, s, vh, thin, few, rows, tall, only
"""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_spectra(layout: str) -> None:
    """Also of matrices of which only one half counts."""
    made = [np.random.default_rng(n).normal(size=(n, n)) for n in (4, 5, 8, 40)]
    wide = [np.pad(m, ((0, 2), (1, 3)), constant_values=7.0) for m in made]
    inputs = [(m, w, np.arange(1.0, len(m) + 1), 2) for m, w in zip(made, wide, strict=True)]
    assert_same(SPECTRA.format(layout=layout), *inputs)


CALLS = (
    *("solve(m, b)", "inv(m)", "cholesky(m)", "det(m)", "eigh(m)[1]", "eigvalsh(m)"),
    "svd(m, compute_uv=False)",
)


@pytest.fixture(scope="module")
def calls() -> Batches[str]:
    """Functions that make one of the calls."""
    return Batches(
        map(CALLING.format, CALLS),
        compiled_together,
        lambda text: outcome(compiled(define(text)), (square(3, 1), np.ones(3), 2)),
    )


CALLING = "def f(m, b, k):\n    for _ in range(k): t = np.linalg.{}\n    return t"


@pytest.mark.parametrize("call", CALLS)
def test_what_numpy_raises(call: str, calls: Batches[str]) -> None:
    text = CALLING.format(call)
    calls.need(text)
    for bad in (np.zeros((3, 3)), -np.eye(3), np.full((3, 3), np.nan), np.ones((3, 2))):
        assert_same(text, (square(3, 1), np.ones(3), 2), (bad, np.ones(len(bad)), 2))


def test_lengths_that_do_not_fit() -> None:
    text = CALLING.format("solve(m, b)")
    assert_same(text, (square(3, 1), np.ones(3), 2), (square(3, 1), np.ones(4), 2))


PRODUCTS = """
def f(a, b, u, v, k):
    for _ in range(k):
        t = {left} @ {right}
    return t
"""

MATRICES = ("a", "a.T", "a[::-1]", "a[:, ::2]", "a[::2].T", "a[:1]", "a[:, :1]")


@pytest.mark.parametrize("left", [*MATRICES, "u", "u[::-1]", "u[::2]"])
def test_products(left: str) -> None:
    """Of matrices that are not small."""
    rng = np.random.default_rng(3)
    a, u = rng.normal(size=(90, 70)), rng.normal(size=180)
    shape = eval(left, {"a": a, "u": u}).shape
    inner = shape[-1]
    wide = rng.normal(size=(2 * inner, 2 * inner))
    given = (a, wide, u[: shape[0]] if left == "u" else u, wide[0], 2)
    rights = ("b[:n]", "b[:n, ::3]", "b.T[:n, 1:]", "b[n - 1::-1]", "v[:n]", "v[::-1][:n]")
    texts = [
        PRODUCTS.format(left=left, right=right.replace("n", str(inner)))
        for right in rights
        if (left[0], right[0]) != ("u", "v")
    ]
    with compiled_together():
        for text in texts:
            outcome(compiled(define(text)), given)
    for text in texts:
        assert_same(text, given)


def test_products_of_what_is_not_finite() -> None:
    text = PRODUCTS.format(left="a", right="b")
    a = np.ones((60, 60))
    bad = a.copy()
    bad[3, 4], bad[5, 6] = np.inf, np.nan
    assert_same(text, (a, a, a[0], a[0], 2), (a, bad, a[0], a[0], 2), (bad, bad, a[0], a[0], 2))


def test_numbers_of_other_types_go_to_numpy() -> None:
    text = CALLING.format("solve(m, b)")
    for dtype in (np.float32, np.int64):
        assert_same(text, (square(3, 1).astype(dtype), np.ones(3, dtype), 2))


PIVOTED = """
def f(m, b, k):
    for _ in range(k):
        t = np.array({rows})
        x = np.linalg.solve(t, np.array({right}))
        y = np.linalg.solve(t.T, np.array({rows}))
        z = np.linalg.solve(m, b)
        i, d = np.linalg.inv(t), np.linalg.det(t)
    return x + 0.0, y + 0.0, z + 0.0, i + 0.0, d  # the library rounds some to zero with a sign
"""


@pytest.mark.parametrize("n", [2, 3, 4])
def test_rows_of_few_equations_change_places(n: int) -> None:
    """Whichever row has the largest number, also where two have; with zeros of both signs."""
    rows = [[f"m[{i}, {j}]" for j in range(n)] for i in range(n)]
    text = PIVOTED.format(
        rows=str(rows).replace("'", ""), right=str([f"b[{i}]" for i in range(n)]).replace("'", "")
    )
    rng = np.random.default_rng(n)
    given = []
    for order in itertools.permutations(range(n)):
        m = np.round(rng.normal(size=(n, n)), 1) + 5 * np.eye(n)[list(order)]
        given.append((m, rng.normal(size=n), 2))
        tied = np.where(abs(m) < 1, rng.choice([0.0, -0.0, 1.0, -1.0], (n, n)), 5.0)
        if np.linalg.matrix_rank(tied) == n:
            given.append((tied, np.arange(n) - 1.0, 2))
    given.append((np.ones((n, n)), np.ones(n), 2))  # singular
    assert_same(text, *given)
