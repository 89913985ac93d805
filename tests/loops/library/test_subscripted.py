"""``np.einsum`` in native code: products of matrices, and sums of products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, differences, outcome
from tests.support.loops.whole_functions import assert_drawn


def test_products_and_sums() -> None:
    def draw(rng: np.random.Generator) -> Sequence[Any]:
        n, m, k = (int(v) for v in rng.choice([1, 2, 5, 30], 3))
        a, b, c = rng.random((n, m)), rng.random((m, k)), rng.random((n, m, k))
        return a, b, c, rng.random(m), rng.random((n, m))

    text = """
(a, b, c, x, d)
    return (
        np.einsum("ij,jk->ik", a, b), np.einsum("ij,kj->ik", a, d), np.einsum("ij,ij->", a, d),
        np.einsum("ij,j->i", a, x), np.einsum("ijk,ij->i", c, a), np.einsum("i,j->ij", x, x),
    )
"""
    assert_drawn(text, draw)


def test_stacks_and_rows() -> None:
    def draw(rng: np.random.Generator) -> Sequence[Any]:
        n, m, k, h = (int(v) for v in rng.choice([2, 3, 5, 30], 4))
        a, b = rng.random((h, n, m)), rng.random((h, m, k))
        turned, also = rng.random((h, m, n)), rng.random((h, k, m))
        image = rng.random((2, m, 6, 7))[:, :, 1:5, 1:6]
        weights = rng.random((n, m, 3))[:, :, 1]
        return a, b, image, weights, rng.random((n, k)), turned, also

    text = """
(a, b, image, weights, d, turned, also)
    return (
        np.einsum("bij,bjk->bik", a, b),
        np.einsum("bji,bjk->bik", turned, b), np.einsum("bij,bkj->bik", a, also),
        np.einsum("oc,bcyx->boyx", weights, image), np.einsum("bcyx,oc->boyx", image, weights),
        np.einsum("bcyx,bcyx->byx", image, image), np.einsum("ij,bjk->bik", a[0], b),
        np.einsum("bij,ik->bjk", a, d), a @ b, a @ b[:1], a[:, None] @ b[:, None],
        np.matmul(a.transpose(0, 2, 1), d[None]),
    )
"""
    assert_drawn(text, draw)


@pytest.mark.usefixtures("straight_functions")
def test_what_would_lie_in_another_order() -> None:
    """What NumPy gives another order than C's is NumPy's."""
    rng = np.random.default_rng(0)
    given = rng.random((3, 4, 5)), rng.random((3, 5, 2)), rng.random((3, 6, 4))
    text = """
def f(a, b, c):
    return (
        np.einsum("bij,bjk->bki", a, b), np.einsum("bij,bjk->ikb", a, b),
        np.einsum("bij,bki->bjk", a, c), np.einsum("bji,bkj->bik", b, a),
    )
"""
    function = define(text)
    made, state = whole(function, given)
    assert not state.closed, state.closed
    assert not differences(outcome(function, given), outcome(made, given))
