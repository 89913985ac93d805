"""NumPy's error state changes inside native code: what it ignores, and where, is NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.loops.kinds import Declined
from tests.loops.test_program import translated
from tests.runtime.dispatch.test_whole_function import assert_whole, whole
from tests.support.loops.native_loops import define, differences, outcome

EDGES = """
def f(a, b, k):
    total = np.float64(0.0)
    before = a / b if k == 0 else a
    with np.errstate(divide="ignore", invalid="ignore"):
        for i in range(len(a)):
            if k == 1 and i == 2:
                break
            total = total + a[i] / b[i]
        inside = a / b
        if k == 2:
            with np.errstate(over="ignore"), np.errstate():
                return np.exp(np.abs(b) * 1e4 + 800.0), total
        if k == 3:
            inside = np.exp(np.abs(b) * 1e4 + 800.0)
    for i in range(3):
        with np.errstate(all="ignore"):
            if i == 1:
                continue
            total = np.cumsum(b)[0] / b[0] + total
    if k == 4:
        total = np.cumsum(b)[0] / b[0] + total
    if k == 5:
        inside = a / b
    return before, inside, total
"""


def test_flags_count_on_their_side_of_each_edge() -> None:
    function = define(EDGES)
    a, good = np.arange(5.0), np.arange(5.0) + 1
    bad = good.copy()
    bad[[0, 3]] = 0.0
    made, state = whole(function, [a, bad, 1])
    assert not state.closed, state.closed
    (form,) = state.forms
    form.checked = True
    ran = []
    for b in (good, bad):
        for k in range(7):
            form.refusals = form.iterations = 0
            wrong = differences(outcome(function, [a, b, k]), outcome(made, [a, b, k]))
            assert not wrong, (k, wrong)
            ran.append((form.iterations, form.refusals))
    native, refused = (1, 0), (0, 1)
    assert ran[:7] == [native, native, native, refused, native, native, native]
    assert ran[7:] == [refused, native, native, refused, refused, refused, native]


def test_the_state_around_the_call_counts_outside() -> None:
    function = define(EDGES)
    a, bad = np.arange(5.0), np.zeros(5)
    made, state = whole(function, [a, bad, 5])
    (form,) = state.forms
    form.checked = True
    for states, native in (({"divide": "ignore", "invalid": "ignore"}, 1), ({"all": "raise"}, 0)):
        form.iterations = 0
        with np.errstate(**states):  # type: ignore[arg-type]
            assert not differences(outcome(function, [a, bad, 5]), outcome(made, [a, bad, 5]))
        assert form.iterations == native


def block(rng: np.random.Generator, depth: int, in_loop: bool) -> list[str]:
    """Random statements that may raise floating-point flags, with and without NumPy's care."""
    simple = (
        "x = x / y",
        "s = s / y[j]",
        "s = np.exp(s) - s",
        "z = np.log(x)",
        "x = np.cumsum(z) * y",
        "s = s + (x * y).sum() / len(x)",
        "y = y - 1.0",
        "s = helper(s, y[j])",
        "j = (j + 1) % 3",
        "z = np.sqrt(np.where(z == z, z, x))",
        "s = s / y[j] - s / y[j]",
    )
    states = ("all", "divide", "over", "invalid", "under")
    heads = (
        lambda: f"with np.errstate({rng.choice(states)}='ignore'):",
        lambda: f"with np.errstate({rng.choice(states[1:3])}='ignore', invalid='ignore'):",
        lambda: "for _ in range(2):",
        lambda: f"if s > {rng.integers(-2, 3)}:",
    )
    found = []
    for _ in range(rng.integers(2, 4)):
        kind = rng.random()
        if kind < 0.4 and depth:
            head = heads[rng.integers(len(heads))]()
            inner = block(rng, depth - 1, in_loop or head.startswith("for"))
            found += [head, *(f"    {line}" for line in inner)]
        elif kind < 0.5 and in_loop:
            found.append(f"if x[j] > {rng.integers(-2, 3)}: {rng.choice(['break', 'continue'])}")
        elif kind < 0.55:
            found.append("if s != s: return x, s")
        else:
            found.append(str(rng.choice(simple)))
    return found


HELPER = """
def helper(s, d):
    with np.errstate(divide='ignore'):
        if d == 0.0:
            return s / d
        s = s * 2.0
    return s / d
def f(x, y, s):
    z, j = x, 0
"""


@pytest.mark.parametrize("seed", range(2))
def test_random_programs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    looped = [f"    {line}" for line in block(rng, 2, True)]
    lines = [*block(rng, 2, False), "for _ in range(2):", *looped, *block(rng, 1, False)]
    text = HELPER + "\n".join(f"    {line}" for line in [*lines, "return x, y, z, s, j"])
    function = define(text)
    made, state = whole(function, [np.ones(3), np.ones(3), np.float64(1.0)])
    assert not state.closed, (state.closed, text)
    (form,) = state.forms
    form.checked = True
    numbers = np.array([0.0, -0.0, 1.0, 2.0, -1.0, 3.0, 700.0, -1e300, 1e-300, np.inf, np.nan])
    ran = 0
    for _ in range(60):
        form.refusals = form.iterations = 0
        likely = rng.random() < 0.5
        x, y = (rng.choice(numbers[2:6] if likely else numbers, 3) for _ in range(2))
        given: list[Any] = [x, y, np.float64(rng.choice(numbers[:8]))]
        wrong = differences(outcome(function, given), outcome(made, given))
        assert not wrong, (text, given, wrong)
        ran += form.iterations
    assert ran


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("for i in range(9):\n    with np.errstate(over='warn'): t = 1", "does not ignore"),
        ("for i in range(9):\n    with np.errstate(call=t): t = 1", "may not be bound|ignore"),
        ("for i in range(9):\n    with errstate(over='ignore') as e: t = 1", "with"),
        ("for i in range(9):\n    with np.errstate(over='ignore'): t = 1", ""),
        ("for i in range(9): t = quiet(a)", ""),
        ("for i in range(9): t = 1 + quiet(a)", "called in an expression"),
        ("for i in range(9): t = [quiet(v) for v in a]", "called in an expression"),
        ("for i in range(9): t = quiet(a) if i else a[0]", "called in an expression"),
        ("for i in range(9): t = twice(a)", "called in an expression"),
        (
            "for i in range(9):\n    for v in (a[0] / a[1], 2.0):\n"
            "        with np.errstate(all='ignore'): t = v",
            "in a loop over a tuple",
        ),
    ],
)
def test_where_it_may_stand(text: str, reason: str) -> None:
    helpers = "def quiet(a):\n    with np.errstate(all='ignore'):\n        return a[0]\n"
    quiet = define(helpers)
    twice = define("def twice(a): return 1 + quiet(a)", {"quiet": quiet})
    names = {"a": np.ones(3), "np": np, "errstate": np.errstate, "quiet": quiet, "twice": twice}
    if not reason:
        translated(text, **names)
        return
    with pytest.raises(Declined, match=reason):
        translated(text, **names)


NAMELESS = """
def f(x, y, m):
    once = np.maximum(x, y)
    limited = np.clip(x, -1.0, 0.5)
    chosen = np.where(x > y, np.abs(x), -y)
    seen = np.count_nonzero(x <= y), np.any(x < -5.0), np.all(y >= x)
    places = np.argmax(x), np.argmin(y[::2]), np.argmax(m, axis=0), np.argmin(m, axis=1)
    ends = x.max(), y.min(), np.max(m, axis=0), np.min(m, axis=1), m.max()
    marks = np.sign(x) + (m[0, 0] > 0)
    return once, limited, chosen, seen, places, ends, marks
"""


def test_comparisons_with_nan_are_no_errors() -> None:
    rng = np.random.default_rng(7)
    x, y, m = rng.normal(size=200), rng.normal(size=200), rng.normal(size=(20, 40))
    x[3::17], y[5::29], m[2, ::5], m[3:5, 7] = np.nan, np.nan, np.nan, np.inf
    state = assert_whole(NAMELESS, x, y, m)
    assert (state.forms[0].iterations, state.forms[0].refusals) == (2, 0)


WARNED = """
def f(x, a, b, n):
    ratio = a / b
    once = np.maximum(x, ratio)
    low = np.where(x > a * n, x, b)
    return once, low, np.sqrt(x - x.max())
"""


@pytest.mark.parametrize("zero", [0, 1, 2])
def test_what_is_computed_beside_comparisons_is_one(zero: int) -> None:
    x = np.ones(50)
    a, n = np.float64(1.0), np.float64(2.0 if zero != 1 else np.finfo(float).max)
    b = np.float64(zero != 0)
    if zero == 2:
        x[7] = np.inf
    function = define(WARNED)
    made, _ = whole(function, [np.ones(50), a, np.float64(1.0), np.float64(2.0)])
    for given in (
        [np.ones(50), a, np.float64(1.0), np.float64(2.0)],
        [x, a * 2, b, n],
        [x, a, b, n],
    ):
        pairs = [[np.copy(v) if isinstance(v, np.ndarray) else v for v in given] for _ in range(2)]
        wrong = differences(outcome(function, pairs[0]), outcome(made, pairs[1]))
        assert not wrong, wrong
