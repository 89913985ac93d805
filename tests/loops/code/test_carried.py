"""Recurrences in native code: what an iteration has written stays in variables for later ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.loops.carried import unrolled
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, differences, outcome

FORMS = {
    "two back": """
def f(x, k):
    y = np.zeros(x.size + 2)
    for n in range(2, x.size + 2):
        y[n] = x[n - 2] + 0.5 * y[n - 1] - 0.25 * y[n - 2]
    return y
""",
    "backwards": """
def f(x, k):
    y = np.ones(x.size + 1)
    for n in range(x.size - 1, -1, -1):
        y[n] = x[n] * y[n + 1] + n
    return y
""",
    "four back, in place": """
def f(x, k):
    for n in range(4, len(x)):
        x[n] = x[n] + x[n - 4] * 0.5 - x[n - 1]
    return x
""",
    "integers": """
def f(x, k):
    y = np.arange(x.size + 3)
    for n in range(3, y.size):
        y[n] = (y[n - 1] * 3 + y[n - 3] + k) % 1009
    return y
""",
    "it divides": """
def f(x, k):
    y = np.ones(x.size + 1)
    for n in range(x.size):
        y[n + 1] = x[n] / (y[n] + 3.0)
    return y, y.sum()
""",
}


@pytest.mark.parametrize("name", FORMS)
def test_recurrences(name: str) -> None:
    function = define(FORMS[name])

    def arguments(n: int) -> Sequence[Any]:
        return [np.random.default_rng(n).normal(size=2 * n)[::2], 7]

    made, state = whole(function, arguments(9))
    assert not state.closed, state.closed
    for n in [*range(14), 100, 1023, 1025, 5000]:
        wrong = differences(outcome(function, arguments(n)), outcome(made, arguments(n)))
        assert not wrong, (n, wrong)
    assert state.forms[0].iterations > 10


def test_iterations_beside_each_other() -> None:
    loop = ["for (; i < n; i++) {", "last_2 = last_1;", "{", "last_1 = i;", "}", "next_t_3: ;", "}"]
    made = unrolled(loop)
    assert made.count("last_1 = i;") == 5
    assert made.count("next_t_3: ;") == 1
    assert made[0] == "while (i + 4 <= n) {"
    assert "".join(made).count("{") == "".join(made).count("}")
    assert unrolled([*loop[:3], "goto next_t_3;", *loop[3:]])[0] == loop[0]
