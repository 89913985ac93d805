"""A stack that has a name is not made where nothing but a reduction reads it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import assert_whole, whole
from tests.support.loops.native_loops import define, differences, outcome

pytestmark = pytest.mark.usefixtures("straight_functions")

TEXT = """
def f(x):
    n, m = x.shape[0] - 2, x.shape[1] - 2
    parts = [x[i : i + n, j : j + m] for i in range(3) for j in range(3)]
    {body}
"""

COMPOSED = [
    "s = np.stack(parts); return np.median(s, axis=0)",
    "s = np.stack(parts); s = np.median(s, axis=0); return s",
    "s = np.stack((x[:-1], x[1:])); return np.max(s, axis=0)",
    "s = np.array([x[:-1], x[1:], x[:-1] * 2]); y = s.max(axis=0); return y * 2",
    "s = np.stack(parts); k = n + 1; y = np.zeros(3); return np.median(s, axis=0), k, y",
    "y = np.zeros((n, m)); s = np.stack(parts); y += np.median(s, axis=0); return y",
]

APART = [
    "s = np.stack(parts); return np.median(s, axis=0), s",
    "s = np.stack(parts); y = np.median(s, axis=0); return y + s[0]",
    "s = np.stack(parts); parts[0][:] = 0.0; return np.median(s, axis=0)",
    "s = np.stack(parts); return np.median(s, axis=0) + np.max(s, axis=0)",
    "s = np.stack(parts); return np.add(np.add(x, 1.0, out=x)[1:-1, 1:-1], np.median(s, axis=0))",
    "s = np.stack(parts); np.copyto(x, 0.0); return np.median(s, axis=0)",
    "s = np.stack(parts); x += 1; return np.median(s, axis=0)",
    "s = np.stack(parts); parts = parts[1:]; return np.median(s, axis=0), len(parts)",
    "s = np.stack(parts); y = parts.pop(); return np.median(s, axis=0), y",
    "s = np.stack(parts); s2 = s; x[:] = 0; return np.median(s, axis=0), s2",
    "s = np.array(x); x[1, 1] = 9.0; return np.median(s, axis=0)",
    "s = np.asarray(x); x[1, 1] = 9.0; return np.median(s, axis=0)",
    "s = np.stack(parts); t = s; return np.median(t, axis=0)",
]


def is_made(text: str, x: np.ndarray) -> bool:
    """Whether the stack is there; results are compared with NumPy's."""
    source = assert_whole(TEXT.format(body=text.replace("; ", "\n    ")), x).forms[0].code.source
    return not any(it in source for it in ("medians_across<", "ranked<", "better<"))


@pytest.mark.parametrize("body", COMPOSED)
def test_it_is_not_made(body: str) -> None:
    assert not is_made(body, np.random.default_rng(0).random((9, 7)))


@pytest.mark.parametrize("body", APART)
def test_what_else_reads_it_sees_what_was_there(body: str) -> None:
    is_made(body, np.random.default_rng(0).random((9, 7)))


LAZY = """
def f(x, w, k):
    s = np.stack([x, w])
    return {value}
"""


@pytest.mark.parametrize(
    "value",
    [
        "np.max(s) if k else 0.0",
        "x[0, 0] if not k else np.max(s, axis=0)[0, 0]",
        "k and np.max(s)",
        "k < 0 < np.max(s)",
        "not k or s.max() > 0",
    ],
)
def test_a_stack_that_cannot_be_made_raises_though_nothing_reads_it(value: str) -> None:
    function = define(LAZY.format(value=value))
    x = np.random.default_rng(0).random((4, 3))
    made, state = whole(function, [x, x + 1.0, 1])
    for k in (1, 0, 1):
        wrong = differences(outcome(function, [x, x + 1.0, k]), outcome(made, [x, x + 1.0, k]))
        assert not wrong, wrong
    assert state.closed or state.forms[0].iterations
    given = [x, np.ones((3, 4)), 0]
    assert not differences(outcome(function, given), outcome(made, given))


WRITES = """
def f(x, z, k):
    if k:
        {body}
        return x, z, y
    return x, z
"""


@pytest.mark.parametrize(
    "body",
    [
        "s = z; y = 0; s = np.asarray(x); s += np.max(s)",
        "s = np.array(x); s += np.max(s); y = s",
        "s = np.array(x); y = (np.fill_diagonal(x, 1.0), np.max(s))",
        "s = np.stack([x, z]); y = [np.copyto(x, 1.0), np.max(s, axis=0)]",
        "s = np.array(x); y = str(np.max(s))",
    ],
)
def test_what_is_written_meanwhile(body: str) -> None:
    """On a path that the first call, which is compared, does not take."""
    function = define(WRITES.format(body=body.replace("; ", "\n        ")))

    def given(k: int) -> list[Any]:
        rng = np.random.default_rng(0)
        return [rng.random((3, 3)), rng.random((3, 3)), k]

    made, _ = whole(function, given(0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k in (0, 0, 1, 1, 1):
            wrong = differences(outcome(function, given(k)), outcome(made, given(k)))
            assert not wrong, (k, wrong)
