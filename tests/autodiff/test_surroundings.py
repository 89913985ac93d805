"""Gradients of functions whose surroundings change between two calls.

A gradient that was recorded is compared with differences after a change: it
must not be used any more, or give what the function is now.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff.joint import joint_module
from jupyter_npcompile.autodiff.replays import Replay, record_call

X = np.array([0.3, 0.5, 0.9])


class Case(NamedTuple):
    """A function, and what changes its surroundings."""

    function: Callable[..., Any]
    change: Callable[[], None]


def default_replaced() -> Case:
    def f(x: Any, k: Any = (1.0,)) -> Any:
        return np.sum(x**3) * k[0]

    return Case(f, lambda: setattr(f, "__defaults__", ((9.0,),)))


def default_number_replaced() -> Case:
    def f(x: Any, k: Any = 2.0) -> Any:
        return np.sum(x**3) * k

    return Case(f, lambda: setattr(f, "__defaults__", (5.0,)))


def default_list_changed() -> Case:
    def f(x: Any, k: Any = [1.0]) -> Any:  # noqa: B006 - it is to change
        return np.sum(x**3) * k[0]

    return Case(f, lambda: f.__defaults__[0].__setitem__(0, 4.0))  # type: ignore[index]


def default_array_changed() -> Case:
    def f(x: Any, k: Any = np.ones(3)) -> Any:  # noqa: B008 - it is to change
        return np.sum(x**3 * k)

    return Case(f, lambda: f.__defaults__[0].fill(4.0))  # type: ignore[index]


def keyword_default_replaced() -> Case:
    def f(x: Any, *, k: Any = 1.0) -> Any:
        return np.sum(x**3) * k

    return Case(f, lambda: f.__kwdefaults__.__setitem__("k", 4.0))


def keyword_defaults_replaced() -> Case:
    def f(x: Any, *, k: Any = 1.0) -> Any:
        return np.sum(x**3) * k

    return Case(f, lambda: setattr(f, "__kwdefaults__", {"k": 4.0}))


def default_of_a_helper() -> Case:
    def helper(v: Any, k: Any = 1.0) -> Any:
        return v * k

    def f(x: Any) -> Any:
        return np.sum(helper(x) ** 2)

    return Case(f, lambda: setattr(helper, "__defaults__", (4.0,)))


def code_replaced() -> Case:
    def f(x: Any) -> Any:
        return np.sum(x**2)

    def other(x: Any) -> Any:
        return np.sum(x**3)

    return Case(f, lambda: setattr(f, "__code__", other.__code__))


def code_of_a_helper_replaced() -> Case:
    def helper(v: Any) -> Any:
        return v * 2

    def other(v: Any) -> Any:
        return v**3

    def f(x: Any) -> Any:
        return np.sum(helper(x))

    return Case(f, lambda: setattr(helper, "__code__", other.__code__))


def closure_rebound() -> Case:
    n = 3

    def f(x: Any) -> Any:
        return np.sum(x**2) * n

    def change() -> None:
        nonlocal n
        n += 1

    return Case(f, change)


def closure_of_a_helper_rebound() -> Case:
    n = 3.0

    def helper(v: Any) -> Any:
        return v * n

    def f(x: Any) -> Any:
        return np.sum(helper(x) ** 2)

    def change() -> None:
        nonlocal n
        n = 7.0

    return Case(f, change)


def helper_rebound() -> Case:
    helper: Any = np.square

    def f(x: Any) -> Any:
        return np.sum(helper(x))

    def change() -> None:
        nonlocal helper
        helper = np.exp

    return Case(f, change)


def attribute_changed() -> Case:
    o = types.SimpleNamespace(k=1.0, a=np.ones(3))

    def f(x: Any) -> Any:
        return np.sum(x * x * o.a) * o.k

    def change() -> None:
        o.k, o.a = 3.0, np.arange(3.0)

    return Case(f, change)


class Slotted:
    """Its attributes are no dict."""

    __slots__ = ("k",)

    def __init__(self, k: float) -> None:
        self.k = k


def slot_changed() -> Case:
    o = Slotted(2.0)

    def f(x: Any) -> Any:
        return np.sum(x**3) * o.k

    return Case(f, lambda: setattr(o, "k", 5.0))


def class_attribute_hidden() -> Case:
    class Model:
        k = 2.0

    o = Model()

    def f(x: Any) -> Any:
        return np.sum(x**3) * o.k

    return Case(f, lambda: setattr(o, "k", 5.0))


def class_attribute_changed() -> Case:
    class Model:
        k = 2.0

    def f(x: Any) -> Any:
        return np.sum(x**3) * Model.k

    return Case(f, lambda: setattr(Model, "k", 5.0))


def bound_method() -> Case:
    class Model:
        def __init__(self) -> None:
            self.k = 2.0

        def loss(self, x: Any) -> Any:
            return np.sum(x**3) * self.k

    o = Model()
    return Case(o.loss, lambda: setattr(o, "k", 5.0))


def default_of_a_method() -> Case:
    class Model:
        def loss(self, x: Any, k: Any = 2.0) -> Any:
            return np.sum(x**3) * k

    return Case(Model().loss, lambda: setattr(Model.loss, "__defaults__", (5.0,)))


def method_replaced() -> Case:
    class Model:
        def part(self, v: Any) -> Any:
            return v * 2

    o = Model()

    def f(x: Any) -> Any:
        return np.sum(o.part(x) ** 2)

    return Case(f, lambda: setattr(Model, "part", lambda self, v: v**3))


def method_hidden() -> Case:
    class Model:
        def part(self, v: Any) -> Any:
            return v * 2

    o = Model()

    def f(x: Any) -> Any:
        return np.sum(o.part(x) ** 2)

    return Case(f, lambda: setattr(o, "part", np.exp))


def property_replaced() -> Case:
    class Model:
        @property
        def k(self) -> float:
            return 2.0

    o = Model()

    def f(x: Any) -> Any:
        return np.sum(x**3) * o.k

    return Case(f, lambda: setattr(Model, "k", property(lambda self: 5.0)))


class Called:
    """An object that is called."""

    def __init__(self) -> None:
        self.k = 2.0

    def __call__(self, x: Any, scale: Any = 1.0) -> Any:
        return np.sum(x**3) * self.k * scale


def object_called() -> Case:
    o = Called()
    return Case(o, lambda: setattr(o, "k", 5.0))


def object_within_called() -> Case:
    o = Called()
    return Case(lambda x: o(x) * 2, lambda: setattr(o, "k", 5.0))


def keywords_of_a_partial() -> Case:
    def f(x: Any, k: Any) -> Any:
        return np.sum(x**3) * k

    p = functools.partial(f, k=2.0)
    return Case(p, lambda: p.keywords.__setitem__("k", 5.0))


def list_of_a_partial() -> Case:
    def f(k: Any, x: Any) -> Any:
        return np.sum(x**3) * k[0]

    k = [2.0]
    return Case(functools.partial(f, k), lambda: k.__setitem__(0, 5.0))


def object_of_a_partial() -> Case:
    def f(o: Any, x: Any) -> Any:
        return np.sum(x**3) * o.k

    o = types.SimpleNamespace(k=2.0)
    return Case(functools.partial(f, o), lambda: setattr(o, "k", 5.0))


def array_of_a_partial() -> Case:
    def f(k: Any, x: Any) -> Any:
        return np.sum(x**3 * k)

    k = np.ones(3)
    return Case(functools.partial(f, k), lambda: k.fill(5.0))


def keywords_of_a_partial_within() -> Case:
    p = functools.partial(np.multiply, 2.0)
    q = functools.partial(lambda v, k: v * k, k=2.0)

    def f(x: Any) -> Any:
        return np.sum(p(q(x)) ** 2)

    return Case(f, lambda: q.keywords.__setitem__("k", 5.0))


def partial_made_anew() -> Case:
    p = functools.partial(np.multiply, 2.0)

    def f(x: Any) -> Any:
        return np.sum(p(x) ** 2)

    return Case(f, lambda: p.__setstate__((np.multiply, (5.0,), {}, {})))  # type: ignore[attr-defined]


def wrapped() -> Case:
    def decorated(function: Any) -> Any:
        @functools.wraps(function)
        def inner(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs) * 2

        return inner

    def f(x: Any, k: Any = 1.0) -> Any:
        return np.sum(x**3) * k

    return Case(decorated(f), lambda: setattr(f, "__defaults__", (5.0,)))


def list_grown() -> Case:
    some = [1.0, 2.0]

    def f(x: Any) -> Any:
        total = 0.0
        for k, c in enumerate(some):
            total = total + c * np.sum(x ** (k + 1))
        return total

    return Case(f, lambda: some.append(5.0))


def dict_changed() -> Case:
    some = {"k": 1.0}

    def f(x: Any) -> Any:
        return np.sum(np.exp(x)) * some["k"]

    return Case(f, lambda: some.update(k=5.0))


def branch_turned() -> Case:
    some = {"k": 1.0}

    def f(x: Any) -> Any:
        return np.sum(x**2) if some["k"] > 2 else np.sum(x**3)

    return Case(f, lambda: some.update(k=5.0))


def module_attribute() -> Case:
    module = types.ModuleType("module")
    module.k = 2.0  # type: ignore[attr-defined]

    def f(x: Any) -> Any:
        return np.sum(x**3) * module.k

    return Case(f, lambda: setattr(module, "k", 5.0))


def array_replaced_by_another_shape() -> Case:
    o = types.SimpleNamespace(a=np.ones(3))

    def f(x: Any) -> Any:
        return np.sum(x**2 * o.a)

    return Case(f, lambda: setattr(o, "a", np.arange(6.0).reshape(2, 3)))


def number_of_another_type() -> Case:
    o = types.SimpleNamespace(k=2)

    def f(x: Any) -> Any:
        return np.sum(x**o.k)

    return Case(f, lambda: setattr(o, "k", 3))


def descriptor_changed() -> Case:
    class Reads:
        k = 2.0

        def __get__(self, obj: Any, kind: Any = None) -> float:
            return self.k

    class Model:
        k = Reads()

    o = Model()

    def f(x: Any) -> Any:
        return np.sum(x**3) * o.k

    return Case(f, lambda: setattr(Reads, "k", 5.0))


def attributes_made_up() -> Case:
    class Model:
        store = {"k": 2.0}  # noqa: RUF012 - it is to change

        def __getattr__(self, name: str) -> float:
            return self.store[name]

    o = Model()

    def f(x: Any) -> Any:
        return np.sum(x**3) * o.k

    return Case(f, lambda: Model.store.update(k=5.0))


def function_attribute() -> Case:
    def f(x: Any) -> Any:
        return np.sum(x**3) * f.k  # type: ignore[attr-defined]

    f.k = 2.0  # type: ignore[attr-defined]
    return Case(f, lambda: setattr(f, "k", 5.0))


CASES = [
    value
    for value in list(globals().values())
    if isinstance(value, types.FunctionType) and value.__annotations__.get("return") == "Case"
]


def differences(f: Callable[..., Any], x: Any) -> Any:
    return np.array([(f(x + h) - f(x - h)) / 2e-6 for h in np.eye(len(x)) * 1e-6])


def replayed(replay: Replay, x: Any) -> Any:
    """The gradient by the graph that would be compiled, for a call now."""
    values = [torch.from_numpy(np.array(value)) for value in replay.values((x,), {})]
    _, gradient, check = joint_module(replay.graph)(*values)
    assert bool(check)
    return gradient.numpy()


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_what_has_changed_is_seen(
    make: Callable[[], Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    function, change = make()
    derivative = npc.grad(function)
    before = differences(function, X)
    np.testing.assert_allclose(derivative(X), before, rtol=1e-6, atol=1e-8)
    replay = record_call(function, (X,), {}, (0,))
    if isinstance(replay, Replay):
        assert replay.holds((X,), {})
        np.testing.assert_allclose(replayed(replay, X), before, rtol=1e-6, atol=1e-8)
    change()
    after = differences(function, X)
    assert not np.allclose(before, after)
    np.testing.assert_allclose(derivative(X), after, rtol=1e-6, atol=1e-8)
    if isinstance(replay, Replay) and replay.holds((X,), {}):
        np.testing.assert_allclose(replayed(replay, X), after, rtol=1e-6, atol=1e-8)
