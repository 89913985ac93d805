"""Functions that are defined in native code: they read names as they are when they are called."""

from __future__ import annotations

import numpy as np
import pytest

from jupyter_npcompile.loops.kinds import Declined
from tests.loops.test_program import translated
from tests.runtime.dispatch.test_whole_function import assert_whole
from tests.support.loops.native_loops import define

TEXT = """
def run(step, y, n):
    for k in range(n):
        y = step(y, k)
    return y
def f(a, x, h, kind="euler", shift=None):
    scale = 2.0
    def slope(y, k, by=0.5):
        return scale * y + a[k] * by
    square = lambda v, p=2: v ** p + scale
    def step(y, k):
        if kind == "euler":
            return y + h * slope(y, k)
        elif kind == "midpoint":
            return y + h * slope(y + 0.5 * h * slope(y, k), k, by=square(0.5))
        raise ValueError(kind)
    def mark(k):
        a[k] = -1.0
    out = [run(step, x, 3)]
    scale = -0.5
    out.append(run(step, x, 3))
    for scale in (1.0, 3.0):
        out.append(square(x) + (square(x, 3) if shift is None else square(shift)))
    mark(1)
    return out, (lambda: scale + a[1])(), a
"""


@pytest.mark.parametrize("kind", ["euler", "midpoint"])
def test_closures(kind: str) -> None:
    state = assert_whole(TEXT, np.arange(4.0), 0.75, 0.125, kind, None)
    assert state.forms[0].iterations == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("for i in range(9):\n    g = lambda v: v + i\nt = g", "`g` is a function"),
        ("for i in range(9):\n    t = made(i)(2)", "defined in another one"),
        ("for i in range(9):\n    t = (lambda v=a[i]: v)()", "a default that is computed"),
        ("for i in range(9):\n    t = (lambda *v: v)(1)", "takes any arguments"),
        ("for i in range(9):\n    t = (lambda v: v)(1, 2)", "with these arguments"),
        ("for i in range(9):\n    t = (lambda v, *, w=2: v + w)(1)", ""),
        ("for i in range(9):\n    g = (lambda: 1) if i else (lambda: 2)\n    t = g()", "types"),
    ],
)
def test_what_they_may_be(text: str, reason: str) -> None:
    made = define("def made(k):\n    return lambda v: v + k")
    if not reason:
        translated(text, a=np.ones(9), made=made)
        return
    with pytest.raises(Declined, match=reason):
        translated(text, a=np.ones(9), made=made)


SYNTHESISED = """
def f(a, n, up):
    scale = 0.5
    def blur(x):
        w = [scale * (k + 1) for k in range(3)]
        t = sum(w[k] * x[k:k + n] for k in range(3))
        low = (t if up else -t) * (scale or 2.0)
        return low + max(w[j] for j in range(2)) if all(v > 0 for v in w) else low
    def twice(x):
        t = [blur(x + k) for k in range(2)]
        return t[0] + t[1], len([k for k in t])
    first = blur(a)
    scale = 1.5
    return first, blur(a * a), twice(a), [k * scale for k in range(2)]
"""


@pytest.mark.parametrize("up", [True, False])
def test_names_that_nobody_wrote_belong_to_the_function_that_needs_them(up: bool) -> None:
    state = assert_whole(SYNTHESISED, np.arange(9.0) * 0.25, 6, up)
    assert state.forms[0].iterations == 2
