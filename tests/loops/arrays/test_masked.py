"""Ufuncs with ``out=`` and ``where=`` in native code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.support.loops.whole_functions import assert_drawn

pytestmark = pytest.mark.usefixtures("straight_functions")


def test_only_what_is_asked_for_is_computed() -> None:
    def draw(rng: np.random.Generator) -> Sequence[Any]:
        n = int(rng.integers(2, 40))
        a, b = rng.normal(size=n), rng.normal(size=(3, n))
        b[rng.random(b.shape) < 0.3] = 0.0
        a[rng.random(n) < 0.1] = rng.choice([0.0, np.nan, np.inf])
        return a, b, rng.integers(0, 4, n), b.astype("f4"), float(rng.normal())

    text = """
(a, b, i, c, x)
    q = np.full(b.shape, -7.5)
    np.divide(a, b, out=q, where=b != 0)
    root = np.sqrt(a, where=a > 0, out=np.zeros(a.shape))
    np.log(b[1:], out=b[1:], where=b[1:] > 0)
    np.reciprocal(c, out=c, where=c != 0)
    share = np.divide(x, i, out=np.zeros_like(a), where=i > 0)
    np.power(a, x, out=b[0], where=(a > 0) & (i == 2))
    return q, root, b, c, share, np.maximum(i, 2, out=i, where=i != 1)
"""
    assert_drawn(text, draw, refused=6)
