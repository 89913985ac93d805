"""Arrays of one column, beside others that have more: by what was seen, and where that is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from tests.whole_functions import assert_drawn

pytestmark = pytest.mark.usefixtures("straight_functions")

WIDTHS = (1, 2, 3, 5, 17, 40)


def columns(rng: np.random.Generator) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    """A column, a row, a matrix: in some draws all have one column, or the column has more."""
    n, m = (int(rng.choice(WIDTHS)) for _ in range(2))
    column = rng.normal(size=(n, 1 if rng.random() < 0.7 else m))
    if rng.random() < 0.3:
        column = np.asfortranarray(rng.normal(size=(n, 3)))[:, :1]
    return [column, rng.normal(size=m), rng.normal(size=(n, m))]


ALONE = """(column, row, m)
    return m - column * row
"""

TOGETHER = """(column, row, m)
    a = column + m
    b = np.sqrt(np.abs(a * row)) - column
    c = b * column + m
    m -= column * c
    column *= 2.0
    return a, b, c, m, column
"""

AMONG_THEMSELVES = """(column, row, m)
    square = column * column + 1.0
    root = np.sqrt(square) - column
    return square, root, m / root, np.where(root > 1.0, m, column).sum(axis=1)
"""

SLICES = """(column, row, m)
    a = m - m[:, :1]
    b = m[:, -1:] * a
    k = m.shape[1] // 2
    m[1:] = np.minimum(m[1:], m[1:, k:k + 1] + m[:1])
    m[:, k:1 + k] += column[:, :1]
    return a, b, m, m[:, k + 1:k + 2] + column[:, :1]
"""

RESHAPED = """(column, row, m)
    return (row.reshape(-1, 1) - row) ** 2, row[:, None] * row, column.T - column
"""


@pytest.mark.parametrize("text", [ALONE, TOGETHER, AMONG_THEMSELVES, SLICES, RESHAPED])
def test_drawn_shapes(text: str) -> None:
    assert_drawn(text, columns, runs=60, refused=25)
