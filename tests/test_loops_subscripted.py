"""``np.einsum`` in native code: products of matrices, and sums of products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.whole_functions import assert_drawn


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
