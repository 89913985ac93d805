"""``np.select``, and ``np.where`` of numbers, in native code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.loops.kinds import Declined
from tests.loops.test_program import translated
from tests.support.loops.whole_functions import apart, assert_drawn

Generator = np.random.Generator

TEXT = """
(x, row, k, small, flag, number)
    return (
        np.select([x > 0, x < -1], [x, -x]),
        np.select([x > 1, row > 0, flag], [row * 2, x, k], number),
        np.select([k > 2, flag], [1, 2]),
        np.select([k > 2, k < 0], [small, 3]),
        np.select((flag, x > 0), (small, k), default=-1.5),
        np.select([flag], [1.5], default=small).sum(),
        np.select(default=row, condlist=[x[0] > row], choicelist=[k[0]]),
    )
"""


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_cases(dtype: str) -> None:
    def draw(rng: Generator) -> Sequence[Any]:
        n, m = (int(n) for n in rng.choice([1, 2, 3, 17, 60], 2))
        x = apart(rng.normal(size=(n, m)).astype(dtype))
        x[rng.random((n, m)) < 0.1] = rng.choice([np.nan, np.inf, -0.0])
        k = rng.integers(-3, 9, (n, m))
        small = rng.integers(-3, 9, m).astype("int16")
        return x, rng.normal(size=m), k, small, rng.random((n, 1)) < 0.5, float(rng.normal())

    assert_drawn(TEXT, draw, runs=30, refused=8)  # where rows lie in an odd order


NUMBERS = """
(x, small, single, number, whole, limit)
    best = number
    for k in range(len(x)):
        if x[k] > limit:
            best = x[k]
    return (
        np.where(x > 0, 1, small), np.where(x > 0, single, 2.0), np.where(x > 0, small, number),
        np.where(x > 0, whole, 2), np.where(x > 0, True, small), np.where(x > 0, number, whole),
        np.where(x > 0, best, number), np.where(x > 0, 1, best), best,
        np.select([x > 0], [best], 0.5),
    )
"""


def test_numbers_by_a_condition() -> None:
    """Python's numbers take the dtype of NumPy's."""

    def draw(rng: Generator) -> Sequence[Any]:
        x = apart(rng.normal(size=int(rng.integers(1, 40))))
        small, single = np.int8(rng.integers(-9, 9)), np.float32(rng.normal())
        whole, limit = int(rng.integers(-9, 9)), float(rng.choice([0.0, 9.0]))
        return x, small, single, float(rng.normal()), whole, limit

    assert_drawn(NUMBERS, draw, runs=30)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("np.select([x > 0], [x, x])", "differ in length"),
        ("np.select([], [])", "differ in length"),
        ("np.select([x], [x])", "by numbers"),
        ("np.where(x > 0, x.astype('float32'), 1j)", "elements of complex64"),
        ("np.select(x > 0, [x])", "not written there"),
    ],
)
def test_what_stays_numpys(call: str, reason: str) -> None:
    with pytest.raises(Declined, match=reason):
        translated(f"for i in range(3): y = {call}", x=np.ones(3))
