"""Arrays of one column, beside others that have more: by what was seen, and where that is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, differences, outcome
from tests.support.loops.whole_functions import assert_drawn

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


WRITTEN = """
    a = column + row
    column *= 2.0
    column += row
    b = column - a
    column -= b * row
    return a, b, column
"""

WRITTEN_FIRST = """
    column *= 2.0
    column += row
    column -= row * row
    return column
"""

READ = """
    a = m * column
    b = a + column
    m += b
    return a, b, m
"""


@pytest.mark.parametrize("text", [WRITTEN, WRITTEN_FIRST, READ])
@pytest.mark.parametrize("seen", [(6, 1), (1, 1)])
def test_what_was_a_column_when_it_was_compiled(text: str, seen: tuple[int, int]) -> None:
    head = "def f(column, row, m):\n    for once in range(1): last = once\n"
    function = define(head + text.lstrip("\n"))
    rng = np.random.default_rng(0)
    wide = 7 if text is READ else 1
    native, state = whole(
        function, [rng.normal(size=seen), rng.normal(size=1), rng.normal(size=(seen[0], wide))]
    )
    assert not state.closed, state.closed
    for n, m, k in ((6, 1, 1), (6, 5, 5), (6, 5, 1), (1, 5, 5), (5, 1, 5), (1, 1, 1), (40, 40, 40)):
        pair = []
        for _ in range(2):
            same = np.random.default_rng(n + m)
            shapes = (n, m), k, (n, max(m, k))
            pair.append([same.normal(size=shape) for shape in shapes])
        found = [outcome(f, given) for f, given in zip((function, native), pair, strict=True)]
        assert not differences(*found), (n, m, k)
