"""Functions that are not plain, or have no source: differentiated, or refused clearly."""

from __future__ import annotations

import cmath
import functools
import itertools
import math
import operator
import struct
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc

RNG = np.random.default_rng(8)


@pytest.fixture(autouse=True)
def tape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


def numeric(f: Callable[..., Any], x: Any, step: float = 1e-6) -> Any:
    """Central differences; of a number, a number."""
    given = np.array(x)
    found = np.zeros(given.shape)
    for place in np.ndindex(given.shape):
        up, down = given.copy(), given.copy()
        up[place] += step
        down[place] -= step
        found[place] = (float(f(up[()])) - float(f(down[()]))) / (2 * step)
    return found


def executed(text: str) -> Any:
    """A function of which nobody has the text."""
    scope: dict[str, Any] = {"np": np, "math": math}
    exec(text, scope)
    return scope["f"]


HELPER = executed("def f(v):\n    y = v.copy()\n    y[0] *= 3\n    return y\n")


class Model:
    def __init__(self, scale: float) -> None:
        self.scale = scale

    def method(self, x: Any) -> Any:
        return np.sum(x**2) * self.scale

    @classmethod
    def of_class(cls, x: Any) -> Any:
        return np.sum(x**3)

    @staticmethod
    def static(x: Any) -> Any:
        return np.sum(x**4)

    def __call__(self, x: Any) -> Any:
        return np.sum(np.sin(x)) * self.scale


@functools.singledispatch
def dispatched(x: Any) -> Any:
    return np.sum(x**2)


def doubled(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def double(*args: Any) -> Any:
        return 2 * function(*args)

    return double


FIRST, SECOND = (lambda x: np.sum(x**2)), (lambda x: np.sum(x**3))

OF_ARRAYS: dict[str, Callable[..., Any]] = {
    "executed": executed("def f(x): return np.sum(x**2)"),
    "executed, a loop": executed(
        "def f(x):\n    t = 0.0\n    for v in x:\n        t += v * v\n    return t\n"
    ),
    "evaluated": eval("lambda x: np.sum(np.exp(x))", {"np": np}),
    "executed helper": lambda x: np.sum(HELPER(x) ** 2),
    "two lambdas on a line": FIRST,
    "the other one": SECOND,
    "method": Model(2.0).method,
    "class method": Model.of_class,
    "static method": Model.static,
    "callable": Model(3.0),
    "partial": functools.partial(Model(2.0).method),
    "partial of NumPy": functools.partial(np.sum, axis=0),
    "decorated": doubled(FIRST),
    "dispatched": dispatched,
    "NumPy's": np.prod,
    "sum": sum,
    "max": max,
    "math.fsum": math.fsum,
    "math.prod": math.prod,
    "math.hypot": lambda x: math.hypot(*x),
    "math.dist": lambda x: math.dist(x, [0.5, 0.0, 1.0]),
    "unbound method": np.ndarray.sum,
    "unbound operator": lambda x: np.sum(np.ndarray.__mul__(x, x)),
    "bound operator": lambda x: x.__mul__(x).sum(),
    "itemgetter": lambda x: math.prod(operator.itemgetter(0, 2)(x)),
    "attrgetter": lambda x: np.sum(operator.attrgetter("T.real")(x) ** 2),
    "methodcaller": lambda x: operator.methodcaller("sum", axis=0)(x) ** 2,
    "map": lambda x: sum(map(math.sin, x)) + sum(map(float, x)),
    "map of a getter": lambda x: sum(map(operator.itemgetter(1), [x, x**2])),
    "accumulate": lambda x: list(itertools.accumulate(x, operator.mul))[-1],
    "vectorize": lambda x: np.sum(np.vectorize(lambda v: v * v)(x)),
    "vectorize, executed": lambda x: np.sum(np.vectorize(executed("def f(v): return v * v"))(x)),
    "cmath": lambda x: (cmath.exp(x[0] * 1j) * cmath.sqrt(complex(x[1], x[2]))).real,
    "cmath.phase": lambda x: cmath.phase(complex(x[0], x[1])) + abs(complex(x[2], x[0])),
    "parts of numbers": lambda x: float(x[0]).real * complex(x[1], x[2]).conjugate().imag,
}  # fmt: skip

OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "builtin": abs,
    "conversion": float,
    "power": functools.partial(pow, exp=3),
    "operator": functools.partial(operator.mul, 3.0),
    "math": math.sin,
    "ufunc": np.sin,
    "partial of a ufunc": functools.partial(np.multiply, 3.0),
    "vectorized": np.vectorize(lambda v: v**3),
    "executed": executed("def f(v): return np.sin(v) * v"),
}


@pytest.mark.parametrize("name", OF_ARRAYS)
def test_functions_of_arrays(name: str) -> None:
    f, x = OF_ARRAYS[name], RNG.uniform(0.4, 2.0, 3)
    value, found = npc.value_and_grad(f)(x)
    # From Python 3.12 on `sum` of floats rounds once.
    np.testing.assert_allclose(value, f(x), rtol=1e-14 if sys.version_info >= (3, 12) else 0)
    np.testing.assert_allclose(found, numeric(f, x), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_functions_of_numbers(name: str) -> None:
    f, x = OF_NUMBERS[name], float(RNG.uniform(0.4, 2.0))
    value, found = npc.value_and_grad(f)(x)
    assert value == f(x)
    np.testing.assert_allclose(found, numeric(f, x), rtol=1e-5)


REFUSED: dict[str, Callable[..., Any]] = {
    "executed, prints": executed("def f(x):\n    print(x[0])\n    return np.sum(x**2)\n"),
    "executed, branches": executed("def f(x): return np.sum(x) if x[0] > 0 else np.sum(x**2)"),
    "executed, a cast": executed("def f(x): return np.sum(x * int(x[1]))"),
    "executed, a closure": executed("def g(k):\n    return lambda x: np.sum(k * x)\nf = g(3.0)\n"),
    "executed, a global array": executed("w = np.ones(3)\ndef f(x): return np.sum(w * x)\n"),
    "ufunc of objects": lambda x: np.sum(np.frompyfunc(lambda v: v**3, 1, 1)(x).astype(float)),
    "vectorize with options": lambda x: np.sum(
        np.vectorize(lambda v: v * v, signature="(n)->(n)")(x)
    ),
    "array of objects": lambda x: np.sum(np.array(list(x), dtype=object) ** 2),
    "bytes": lambda x: struct.unpack("d", struct.pack("d", x[0]))[0] ** 2,
    "text": lambda x: eval("np.sum(x ** 2)", {"np": np, "x": x}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_followed_says_so(name: str) -> None:
    f, x = REFUSED[name], RNG.uniform(1.4, 2.0, 3)
    with pytest.raises(npc.GradientError) as caught:
        npc.grad(f)(x)
    assert caught.value.hint
    if name.startswith("executed"):
        assert (
            "has no source" in caught.value.reason
            or "int()" in caught.value.reason
            or ("depends on a value" in caught.value.reason)
        )
        assert "define it in a cell or file" in caught.value.hint


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(TypeError, match="needs a function, not float"):
        npc.grad(3.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="real-valued outputs"):
        npc.grad(round)(1.5)


class Called:
    def __call__(self, x: Any) -> Any:
        return (x**3).sum() / 3


COMPILED: dict[str, Callable[..., Any]] = {
    "a partial": functools.partial(lambda x, k: k * (x**3).sum() / 3, k=1.0),
    "an object": Called(),
    "a method of NumPy": functools.partial(np.add.reduce),
    "no source": executed("def f(v):\n    return (v**3).sum() / 3\n"),
}
"""Callables of which `npc.compile` makes no function, but an object that calls them."""


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_callables_without_source_are_followed(name: str) -> None:
    function, made = COMPILED[name], npc.compile(COMPILED[name])
    x = np.array([0.5, 1.5, -1.0])
    slope = numeric(function, x)
    np.testing.assert_allclose(npc.grad(made)(x), slope, rtol=1e-6)
    np.testing.assert_allclose(npc.grad(lambda v: 2 * made(v))(x), 2 * slope, rtol=1e-6)
    np.testing.assert_allclose(npc.jvp(made, (x,), (np.ones(3),))[1], slope.sum(), rtol=1e-6)
    np.testing.assert_allclose(npc.vjp(made, x)[1](1.0)[0], slope, rtol=1e-6)
    np.testing.assert_allclose(npc.jacobian(made)(x), slope, rtol=1e-6)
    np.testing.assert_allclose(npc.hessian(made)(x), npc.hessian(function)(x))
