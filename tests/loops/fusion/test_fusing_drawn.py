"""Drawn statements that share a loop, with rows, columns and memory of all kinds, as in NumPy."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, differences, outcome

pytestmark = pytest.mark.usefixtures("straight_functions")

GIVEN = ["a", "b", "r", "c", "q"]
"""Two matrices, a row, a column, and what has one row."""

CALLS = (
    "np.sqrt(np.abs({0}) + 1)",
    "np.maximum({0}, {1})",
    "np.where({0} > 0.1, {1}, {2})",
    "np.exp(-np.abs({0}))",
    "({0} + 1).astype(np.float64)",
    "({0} / (1 + r * r))",
)

FORMS = (
    *((5, 4, True, True, "C"), (6, 3, False, True, "C"), (6, 3, True, False, "C")),
    *((1, 4, True, True, "C"), (7, 1, True, True, "C"), (5, 4, False, False, "F")),
    *((700, 7, True, True, "C"), (700, 7, False, True, "C"), (600, 9, True, True, "turned")),
    *((600, 9, True, False, "apart"), (100, 60, True, True, "F"), (1371, 3, True, True, "row")),
)
"""Rows, columns, whether the row and the column are whole, and how the first matrix lies."""


def expression(draw: random.Random, names: list[str], depth: int = 0) -> str:
    kind = draw.random()
    if depth > 2 or kind < 0.25:
        return draw.choice(names)
    parts = [expression(draw, names, depth + 1) for _ in range(3)]
    if kind < 0.8:
        return f"({parts[0]} {draw.choice('+-*')} {parts[1]})"
    return draw.choice(CALLS).format(*parts)


def program(draw: random.Random) -> str:
    names, body = [*GIVEN], []
    for k in range(draw.randint(2, 5)):
        kind = draw.random()
        if kind < 0.55:
            body.append(f"y{k} = {expression(draw, names)}")
            names.append(f"y{k}")
        elif kind < 0.7:
            body.append(f"y{k}, z{k} = {expression(draw, names)}, {expression(draw, names)}")
            names += [f"y{k}", f"z{k}"]
        elif kind < 0.85:
            body.append(f"a {draw.choice('+-*')}= {expression(draw, GIVEN)}")
        else:
            body.append(f"b[...] = {expression(draw, names)}")
    results = [name for name in names if name[0] in "yz" and draw.random() < 0.7]
    lines = [
        "for once in range(1):",
        "    pass",
        *body,
        f"return {', '.join([*results, 'a', 'b'])}",
    ]
    return "\n    ".join(["def f(a, b, r, c, q):", *lines]) + "\n"


def arguments(place: int) -> list[Any]:
    rows, columns, is_whole_row, is_whole_column, order = FORMS[place]
    rng = np.random.default_rng(place)
    a, b, q = (rng.normal(size=(rows, columns)) for _ in range(3))
    r = rng.normal(size=columns if is_whole_row else 1)
    c = rng.normal(size=(rows if is_whole_column else 1, 1))
    if order == "F":
        a = np.asfortranarray(a)
    elif order == "turned":
        b = b[::-1]
    elif order == "apart":
        a = np.repeat(a, 2, axis=1)[:, ::2]
    elif order == "row":
        r = a[rows // 2]  # which a statement may write into
    return [a, b, r, c, q[:1] if is_whole_row else q]


@pytest.mark.parametrize("seed", range(12))
def test_statements(seed: int) -> None:
    text = program(random.Random(seed))
    function = define(text)
    made, state = whole(function, arguments(0))
    assert not state.closed, (text, state.closed)
    for place in range(len(FORMS)):
        wrong = differences(outcome(function, arguments(place)), outcome(made, arguments(place)))
        assert not wrong, (text, FORMS[place], wrong)
    (form,) = state.forms
    assert form.iterations >= len(FORMS) // 2
