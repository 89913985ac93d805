"""Values of dicts and attributes of objects are inputs, as long as they are what they were."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.records import Record
from jupyter_npcompile.runtime.loop_compile import known_of
from jupyter_npcompile.runtime.whole_function import WholeFunction
from tests.loops.test_program import translated
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import (
    Function,
    compiled,
    define,
    differences,
    how,
    outcome,
    reasons,
)


def native(function: Function, *given: Any) -> tuple[Function, WholeFunction]:
    """A function that runs natively as a whole, without a check."""
    made, state = whole(function, given)
    assert not state.closed, state.closed
    state.forms[0].checked = True
    return made, state


def runs(
    function: Function, made: Function, state: WholeFunction, given: Callable[[], Any]
) -> bool:
    """Compare two calls on values made anew; whether the second one was native."""
    (form,) = state.forms
    form.iterations = form.refusals = 0
    first, second = given(), given()
    wrong = differences(outcome(function, first), outcome(made, second))
    assert not wrong, wrong
    return form.iterations > 0


DICT = """
def f(p, x):
    x = x.copy()
    for i in range(p["n"]):
        x[1:] = x[1:] - p["dt"] * p["sub"]["c"] * (x[1:] - x[:-1])
    if p["mode"] == "add" and p.get("mode") is not None:
        p["w"] += x[0]
        p["w"][1] = -1.0
    return x, p["w"]
"""


def test_a_dict() -> None:
    function = define(DICT)

    def given(**changes: Any) -> list[Any]:
        w = np.ones(3)
        return [
            {"n": 4, "dt": 0.5, "sub": {"c": 0.25}, "mode": "add", "w": w, **changes},
            np.arange(5.0),
        ]

    made, state = native(function, *given())
    assert runs(function, made, state, given)
    assert runs(function, made, state, lambda: given(n=2, dt=0.75, more=[1]))
    for change in ({"n": 2.0}, {"n": np.int64(3)}, {"mode": "none"}, {"sub": 3}, {"w": [1.0]}):
        assert not runs(function, made, state, lambda change=change: given(**change))
    for missing in ("n", "w", "mode"):
        short = given()
        del short[0][missing]
        assert not runs(function, made, state, lambda short=short: copy.deepcopy(short))

    class Other(dict[str, Any]):
        def __getitem__(self, name: str) -> Any:
            return 3 if name == "n" else super().__getitem__(name)

    assert not runs(function, made, state, lambda: [Other(given()[0]), given()[1]])


OBJECT = """
class Lattice:
    J = 1.5
    def __init__(self, n, t):
        self.n, self.t = n, t
        self.spins = np.ones((n, n), dtype=np.int64)
        self.field = np.zeros(n)
    @property
    def beta(self):
        return 1.0 / self.t
    def around(self, i, j, both=True):
        n = self.n
        s = self.spins
        here = s[(i + 1) % n, j] + s[i, (j + 1) % n]
        return here + s[i - 1, j] + s[i, j - 1] if both else here
    def weight(self, i, j):
        return np.exp(-self.beta * self.J * self.around(i, j))
def f(m, u):
    flips = 0
    for k in range(len(u)):
        i, j = k % m.n, (3 * k) % m.n
        if u[k] < m.weight(i, j):
            m.spins[i, j] *= -1
            flips += 1
    m.field += m.J * flips
    return flips, m.around(0, 0, both=False)
"""


def test_an_object() -> None:
    function = define(OBJECT)
    kind: Any = function.__globals__["Lattice"]
    u = np.random.default_rng(0).random(40) ** 4

    def given(**changes: Any) -> list[Any]:
        made = kind(4, 2.0)
        made.__dict__.update(changes)
        return [made, u]

    made, state = native(function, *given())
    assert runs(function, made, state, given)
    assert runs(function, made, state, lambda: given(n=3, t=0.5))
    assert not runs(function, made, state, lambda: given(t=2))
    assert not runs(function, made, state, lambda: given(J=np.float64(2.0)))
    assert not runs(function, made, state, lambda: given(around=lambda i, j, both=True: 1))

    class Other(kind):  # type: ignore[misc]
        J = 9.0

    def of_another_class() -> list[Any]:
        one = given()
        one[0].__class__ = Other
        return one

    assert not runs(function, made, state, of_another_class)
    kind.J = 0.25
    assert not runs(function, made, state, given)
    kind.J = 1.5
    assert runs(function, made, state, given)
    kind.around = lambda self, i, j, both=True: 2
    assert not runs(function, made, state, given)


def test_looking_up_has_no_effects() -> None:
    class Plain:
        def __init__(self) -> None:
            self.n = 3

    class Counting(Plain):
        def __getattribute__(self, name: str) -> Any:
            return super().__getattribute__(name)

    class Setting(Plain):
        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value)

    class Managed(Plain):
        @property
        def n(self) -> int:
            return 4

        @n.setter
        def n(self, value: int) -> None:
            self.__dict__["n"] = value

    def entries(value: Any) -> Any:
        found = Record.of(value, lambda entry, depth: entry, 2)
        return None if found is None else found.entries

    assert entries(Plain()) == entries(types.SimpleNamespace(n=3)) == {"n": 3}
    assert entries(Counting()) is entries(Setting()) is None
    assert entries(Managed()) == {}
    for other in (3, "a", np, Plain, Plain.__init__, np.ones(2), np.sin, None, [1], slice(2)):
        assert not isinstance(known_of(other), Record)
    assert entries({1: 2, "a": 3}) == {"a": 3}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("for i in range(9): t = p['n'] + p['s']['m']", ""),
        ("for i in range(9): p['n'] = i", ""),
        ("for i in range(9): p['n'] += i", ""),
        ("for i in range(9): p['n'] = 0.5 * i", "a Python int, and then a Python float"),
        ("for i in range(9): p['s'] = i", "bound anew"),
        ("for i in range(9): p['k'] = i", "is not in the dict"),
        ("for i in range(9): t = p['k']", "is not in the dict"),
        ("for i in range(9): t = p[i]", "this key"),
        ("for i in range(9): t = p['l'][0]", "is a list"),
        ("for i in range(9): t = p.get('k', 3)", "not in the dict"),
        ("for i in range(9): t = p.pop('n')", "the method pop of a dict"),
        ("for i in range(9): t = len(p)", "len|no"),
        ("for i in range(9): t = p", "a function, or an object"),
        ("for i in range(9): t = o.n", ""),
        ("for i in range(9): o.n = i", ""),
        ("for i in range(9): o.n += i", ""),
        ("for i in range(9): o.k = i", "is not there"),
        ("for i in range(9): t = o.k", "is not there"),
        ("for i in range(9): t = o(i)", "no function"),
    ],
)
def test_what_may_be_done(text: str, reason: str) -> None:
    values = {"p": {"n": 3, "s": {"m": 2.0}, "l": [1]}, "o": types.SimpleNamespace(n=3)}
    if not reason:
        translated(text, **values)
        return
    with pytest.raises(Declined, match=reason):
        translated(text, **values)


STEPS = """
class Body:
    def __init__(self, x, v):
        self.x, self.v, self.t, self.count = x, v, 0.0, 0
        self.log = {"e": np.float64(0.5), "n": 3}
    def energy(self, k):
        return k * (self.x ** 2).sum() + (self.v ** 2).sum()
    def step(self, k, dt):
        self.v = self.v - dt * k * self.x
        self.x = self.x + dt * self.v
        if self.t > 0.25:
            self.count += 1
        self.t += dt
        return self.t
def f(body, p, n, bad):
    total = 0.0
    for i in range(n):
        total += body.t + body.step(p["k"], p["dt"]) + body.t
        if i == bad:
            raise ValueError(i)
        p["k"], p["e"] = p["k"] * 0.5, body.energy(p["k"])
        body.log["e"] -= p["e"]
        body.v[0] = 0.25
    return total
"""


def test_entries_are_replaced() -> None:
    function = define(STEPS)
    kind: Any = function.__globals__["Body"]

    def given(n: int = 5, bad: int = -1, **changes: Any) -> list[Any]:
        p = {"k": 1.5, "dt": 0.125, "e": np.float64(0.0), **changes}
        return [kind(np.arange(4.0), np.ones(4)), p, n, bad]

    made, state = native(function, *given())
    (form,) = state.forms
    assert len(form.code.stored) == 7
    form.checked = False
    for count in (0, 1, 2):  # the first call is the check
        one, other = given(), given()
        assert not differences(outcome(function, one), outcome(made, other))
        assert form.iterations == count
        assert form.checked
    assert runs(function, made, state, lambda: given(n=0))
    assert not runs(function, made, state, lambda: given(bad=3))
    assert not runs(function, made, state, lambda: given(e=0.0))

    def shared() -> list[Any]:
        body, p, *rest = given()
        body.log = p
        p["n"] = 3
        return [body, p, *rest]

    assert not runs(function, made, state, shared)


def test_a_loop_that_replaces_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "native-loop")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "raise")
    text = """
def f(p, n):
    for i in range(n):
        p["t"] += p["dt"]
        p["x"] = p["x"] * 0.5 + i
    return p["t"]
"""
    function = define(text)
    made = compiled(function)
    for _ in range(3):
        first, second = ({"t": 0, "dt": 2, "x": np.arange(3.0)} for _ in range(2))
        assert not differences(outcome(function, [first, 9]), outcome(made, [second, 9]))
    assert how(made) == "native", reasons(made)
