"""Diagonals in native code: views that nobody may write into, and that show what is there now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import assert_whole, whole
from tests.support.loops.native_loops import define
from tests.support.loops.whole_functions import assert_drawn, odd

pytestmark = pytest.mark.usefixtures("straight_functions")

Generator = np.random.Generator


def test_diagonals_are_views_that_are_read_only() -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        shape = (int(rng.integers(1, 7)), int(rng.integers(1, 7)))
        m = odd(rng, rng.normal(size=shape))
        return (m.T if rng.random() < 0.3 else m), rng.normal(size=9), int(rng.integers(-2, 3))

    text = """
(m, x, k)
    d, e = np.diag(m), m.diagonal(k)
    total = np.sqrt(np.abs(np.diag(m, -k)))
    m[0, 0] = 9.0
    x[: len(e)] *= e
    for v in d:
        x[0] += v
        m[-1, -1] = 0.5
    return d, e, total, d * 2, np.diag(d), d[1:], d[0], e.sum(), np.sort(e), d.shape, x
"""
    assert_drawn(text, draw, refused=7)


def test_a_write_into_a_diagonal_is_numpys_to_refuse() -> None:
    text = """
def f(m):
    for k in range(2):
        m[k, 0] += 1.0
    d = np.diag(m)
    d += 1.0
    return d
"""
    assert_whole(text, np.eye(3))


@pytest.mark.parametrize("line", ["d.reshape(-1, 1)", "d.T", "np.reshape(d, (1, -1))", "[d][0]"])
def test_what_would_be_a_view_of_a_diagonal_has_no_native_form(line: str) -> None:
    text = (
        f"def f(m):\n    m = m * 2\n    d = np.diag(m)\n    e = {line}\n    e[0] = 1\n    return e"
    )
    state = whole(define(text), [np.eye(3)])[1]
    assert state.closed
